/*
 * Private to the command line: what its options set. The texts are borrowed. Main thread. False:
 * the value is not one that the option takes, p->err says it.
 */
#ifndef UI_OPTIONS_SET_H
#define UI_OPTIONS_SET_H

#include "tui/app/options.h"

struct ui_parse {
	struct ui_options *o;
	struct pv_error *err;
	const char *name; /* of the option at hand */
};

/* A decimal number up to `max` and nothing after it; false: it is none. */
bool ui_number(const char *text, unsigned long max, unsigned long *ret);

/* One for each row of the options: `value` is NULL where there is none. */
bool ui_set_help(const struct ui_parse *p, const char *value);
bool ui_set_version(const struct ui_parse *p, const char *value);
bool ui_set_follow(const struct ui_parse *p, const char *value);
bool ui_set_no_index(const struct ui_parse *p, const char *value);
bool ui_set_readonly(const struct ui_parse *p, const char *value);
bool ui_set_ascii(const struct ui_parse *p, const char *value);
bool ui_set_glyphs(const struct ui_parse *p, const char *value);
bool ui_set_dump(const struct ui_parse *p, const char *value);
bool ui_set_record(const struct ui_parse *p, const char *value);
bool ui_set_keys(const struct ui_parse *p, const char *value);
bool ui_set_spool(const struct ui_parse *p, const char *value);
bool ui_set_color(const struct ui_parse *p, const char *value);
bool ui_set_size(const struct ui_parse *p, const char *value);
bool ui_set_jobs(const struct ui_parse *p, const char *value);
bool ui_set_format(const struct ui_parse *p, const char *value);
bool ui_set_section(const struct ui_parse *p, const char *value);
bool ui_set_sort(const struct ui_parse *p, const char *value);
bool ui_set_filter(const struct ui_parse *p, const char *value);
bool ui_set_group(const struct ui_parse *p, const char *value);
bool ui_set_split(const struct ui_parse *p, const char *value);
bool ui_set_in(const struct ui_parse *p, const char *value);
bool ui_set_limit(const struct ui_parse *p, const char *value);
bool ui_set_shot(const struct ui_parse *p, const char *value);
bool ui_set_base(const struct ui_parse *p, const char *value);
bool ui_set_by(const struct ui_parse *p, const char *value);
bool ui_set_names(const struct ui_parse *p, const char *value);
bool ui_set_waits(const struct ui_parse *p, const char *value);
bool ui_set_my_code(const struct ui_parse *p, const char *value);
bool ui_set_object(const struct ui_parse *p, const char *value);
bool ui_set_set(const struct ui_parse *p, const char *value);
bool ui_set_retained(const struct ui_parse *p, const char *value);
bool ui_set_require_baseline(const struct ui_parse *p, const char *value);
bool ui_set_kind(const struct ui_parse *p, const char *value);
bool ui_set_method(const struct ui_parse *p, const char *value);
bool ui_set_class(const struct ui_parse *p, const char *value);
bool ui_set_weak(const struct ui_parse *p, const char *value);
bool ui_set_thread(const struct ui_parse *p, const char *value);
bool ui_set_process(const struct ui_parse *p, const char *value);
bool ui_set_output(const struct ui_parse *p, const char *value);
bool ui_set_to(const struct ui_parse *p, const char *value);
bool ui_set_measure(const struct ui_parse *p, const char *value);
bool ui_set_data_version(const struct ui_parse *p, const char *value);
bool ui_set_range(const struct ui_parse *p, const char *value);
bool ui_set_calls(const struct ui_parse *p, const char *value);
bool ui_set_alloc(const struct ui_parse *p, const char *value);
bool ui_set_sample(const struct ui_parse *p, const char *value);
bool ui_set_heapshot(const struct ui_parse *p, const char *value);
bool ui_set_leaks(const struct ui_parse *p, const char *value);
bool ui_set_inject(const struct ui_parse *p, const char *value);
bool ui_set_via(const struct ui_parse *p, const char *value);
bool ui_set_meter(const struct ui_parse *p, const char *value);
bool ui_set_probe(const struct ui_parse *p, const char *value);
bool ui_set_per(const struct ui_parse *p, const char *value);
bool ui_set_base_range(const struct ui_parse *p, const char *value);
bool ui_set_all(const struct ui_parse *p, const char *value);
bool ui_set_rules(const struct ui_parse *p, const char *value);
bool ui_set_rule(const struct ui_parse *p, const char *value);
bool ui_set_baseline(const struct ui_parse *p, const char *value);
bool ui_set_save_baseline(const struct ui_parse *p, const char *value);
bool ui_set_init(const struct ui_parse *p, const char *value);
bool ui_set_budget(const struct ui_parse *p, const char *value);

#endif
