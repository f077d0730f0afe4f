/* `profview check`, and `profview run --check`. The main thread; says errors on standard error. */
#ifndef UI_CHECK_RUN_H
#define UI_CHECK_RUN_H

#include <stdbool.h>

struct pv_model;
struct ui_options;

/* The exit code. */
int ui_check_run(const struct ui_options *o);

/* Whether the rules of --check can be read; before a program is started. Says why not. */
bool ui_check_ready(const struct ui_options *o, int *ret_code);
/* Judges what a program that was started has left, with lines on standard error. */
int ui_check_model(const struct ui_options *o, struct pv_model *m);

#endif
