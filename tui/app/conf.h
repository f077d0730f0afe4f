/* SPDX-License-Identifier: MIT */
/*
 * profview.conf in the user's folder of configurations ($XDG_CONFIG_HOME/profview, else
 * ~/.config/profview): "key = value" lines, # begins a comment. Keys: "filter NAME", "theme",
 * "background", "units", "glyphs", "columns VIEW", "source FROM". "theme = NAME" reads lines of
 * colours from NAME.theme in the same folder. The main thread.
 */
#ifndef UI_CONF_H
#define UI_CONF_H

#include "common/base/filter/filter_names.h"
#include "common/base/filter/filter_split.h"
#include "common/base/status.h"
#include "tui/draw/settings.h"
#include "tui/draw/theme.h"

enum { UI_SETS = 8 }; /* of --set */

struct ui_conf {
	struct pv_filter_names filters;
	struct ui_theme theme;
	enum ui_background background;
	struct ui_settings settings;
	char expanded[2 + UI_SETS][PV_FILTER_MAX + 1]; /* private, as `used`: of these so many */
	size_t used;
};

/*
 * Reads profview.conf. A wrong line is complained about and left out; no file is fine. Finish frees
 * all of the configuration.
 */
void ui_conf_load(struct ui_conf *ret);
void ui_conf_finish(struct ui_conf *c);

/*
 * Replaces the names in the filter of an option; the new filter lives as long as `c`. NULL stays
 * NULL. Called once for --filter, --base-filter and each --set. False, with a complaint: a wrong
 * filter.
 */
bool ui_conf_expand(struct ui_conf *c, const char *option, const char **filter);

/*
 * Moves terms about requests, if any, from an option's filter, which may be NULL, to *ret_requests;
 * both then live as long as `room`. False, with a complaint: a wrong filter.
 */
bool ui_conf_split(struct pv_filter_split *room, const char *option, const char **filter,
	const char **ret_requests);

/*
 * Writes the settings in place of the lines that had them, or below the others; every other line
 * stays. A whole new file takes the old file's place by rename. ret_path is filled in any case.
 * False: PV_EOUTPUT or PV_EIO with the reason, or PV_ENOMEM, and the old file is unchanged.
 */
bool ui_conf_save(
	const struct ui_settings *s, char *ret_path, size_t size, struct pv_error *reterr);

/* Private to the files of conf.h. False: there is no such place. */
bool ui_conf_path(char *ret, size_t size);
/* The file's text, for the caller to free; "" of none. NULL: the reason is given. */
char *ui_conf_read(const char *path, struct pv_error *reterr);

#endif
