/*
 * profview.conf in the user's folder of configurations ($XDG_CONFIG_HOME/profview, else
 * ~/.config/profview): "key = value" lines, # begins a comment. Keys: "filter NAME", "theme". The main
 * thread, before others start.
 */
#ifndef UI_CONF_H
#define UI_CONF_H

#include "common/base/filter_names.h"
#include "tui/draw/theme.h"

enum { UI_SETS = 8 }; /* of --set */

struct ui_conf {
	struct pv_filter_names filters;
	enum ui_theme theme;
	char expanded[1 + UI_SETS][PV_FILTER_MAX + 1]; /* private, as `used`: of these so many */
	size_t used;
};

/*
 * Reads it, as far as it is right: a line that is not is complained about and left out; no file is
 * fine. Finish frees all of it.
 */
void ui_conf_load(struct ui_conf *ret);
void ui_conf_finish(struct ui_conf *c);

/*
 * Replaces the names in the filter of an option, which may be NULL: it lives as long as `c` then.
 * False: that was complained about. --filter and each --set once.
 */
bool ui_conf_expand(struct ui_conf *c, const char *option, const char **filter);

/* Takes one file's text, which it changes, as `path` has it; for tests. */
void ui_conf_take(struct ui_conf *c, const char *path, char *text);

#endif
