/*
 * profview.conf in the user's folder of configurations ($XDG_CONFIG_HOME/profview, else
 * ~/.config/profview): "key = value" lines, # begins a comment. Keys: "filter NAME", "theme",
 * "units", "glyphs", "columns VIEW". The main thread.
 */
#ifndef UI_CONF_H
#define UI_CONF_H

#include "common/base/filter_names.h"
#include "common/base/status.h"
#include "tui/draw/settings.h"
#include "tui/draw/theme.h"

enum { UI_SETS = 8 }; /* of --set */

struct ui_conf {
	struct pv_filter_names filters;
	enum ui_theme theme;
	struct ui_settings settings;
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

/*
 * Writes the settings in place of the lines that had them, or below the others; every other line
 * stays as it is. The new file is put there whole, by rename. The path is given back in any case.
 * False: PV_EOUTPUT or PV_EIO with the reason, or PV_ENOMEM, and the file is as it was.
 */
bool ui_conf_save(
	const struct ui_settings *s, char *ret_path, size_t size, struct pv_error *reterr);

/* Private to the files of conf.h. False: there is no such place. */
bool ui_conf_path(char *ret, size_t size);
/* The file's text, for the caller to free; "" of none. NULL: the reason is given. */
char *ui_conf_read(const char *path, struct pv_error *reterr);

/* Takes one file's text, which it changes, as `path` has it; for tests. */
void ui_conf_take(struct ui_conf *c, const char *path, char *text);

#endif
