/* SPDX-License-Identifier: MIT */
/* Reads profview.conf and theme files, and replaces filter names in options. */
#include "tui/app/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/status.h"
#include "tui/app/complain.h"

enum { CONF_MAX = 64 << 10, PATH_LENGTH = 4096, COMPLAINTS = 8 };

void ui_conf_finish(struct ui_conf *c)
{
	pv_filter_names_finish(&c->filters);
}

bool ui_conf_expand(struct ui_conf *c, const char *option, const char **filter)
{
	struct pv_filter_error e;
	if (!*filter || !strchr(*filter, '\\'))
		return true;
	char *room = c->expanded[c->used % PV_COUNT_OF(c->expanded)];
	if (!pv_filter_expand(&c->filters, *filter, room, sizeof c->expanded[0], &e)) {
		ui_complain(NULL, "%s, character %zu: %s", option, e.at + 1, e.what);
		return false;
	}
	c->used++;
	*filter = room;
	return true;
}

bool ui_conf_split(struct pv_filter_split *room, const char *option, const char **filter,
	const char **ret_requests)
{
	struct pv_filter_error e;
	if (!*filter || !**filter)
		return true;
	if (!pv_filter_split(*filter, PV_FILTER_WORDS, room, &e)) {
		ui_complain(NULL, "%s, character %zu: %s", option, e.at + 1, e.what);
		return false;
	}
	if (!room->requests[0])
		return true;
	*ret_requests = room->requests;
	*filter = room->rows[0] ? room->rows : NULL;
	return true;
}

/* --- lines */

struct line {
	const char *path;
	int number;
	int *complaints;
};

static void wrong(const struct line *l, const char *what, size_t at)
{
	if (++*l->complaints > COMPLAINTS)
		return;
	if (at)
		ui_complain(l->path, "line %d, character %zu: %s; the line is left out", l->number,
			at, what);
	else
		ui_complain(l->path, "line %d: %s; the line is left out", l->number, what);
}

static char *trim_blanks(char *text)
{
	text += strspn(text, " \t\r");
	size_t n = strlen(text);
	while (n > 0 && strchr(" \t\r", text[n - 1]))
		text[--n] = 0;
	return text;
}

/* Splits "key = value". False: a comment or blank, or no such line, which is complained about. */
static bool split_setting(const struct line *l, char *line, char **ret_key, char **ret_value)
{
	char *key = trim_blanks(line), *equals = strchr(key, '=');
	if (!*key || *key == '#')
		return false;
	for (const char *at = key; *at; at++)
		if ((unsigned char)*at < ' ' && *at != '\t') {
			wrong(l, "it has a control character", 0);
			return false;
		}
	if (!equals) {
		wrong(l, "it has no =", 0);
		return false;
	}
	*equals = 0;
	*ret_value = trim_blanks(equals + 1);
	*ret_key = trim_blanks(key);
	return true;
}

static void take_filter(
	struct ui_conf *c, const struct line *l, const char *name, const char *text, size_t column)
{
	struct pv_filter_error e = { 0 };
	if (!pv_filter_is_name(name, strlen(name)))
		wrong(l, "a filter's name is up to 32 letters, digits, - and _, a letter first", 0);
	else if (!pv_filter_names_add(&c->filters, name, text, &e))
		wrong(l, e.what, column + e.at + 1);
}

static void take_lines(struct ui_conf *c, const char *path, char *text,
	void (*take)(struct ui_conf *, const struct line *, char *));

/* Takes a line of a theme file. */
static void take_colour(struct ui_conf *c, const struct line *l, char *line)
{
	char *key, *value;
	if (!split_setting(l, line, &key, &value))
		return;
	const char *why = ui_theme_set(&c->theme, key, value);
	if (why)
		wrong(l, why, 0);
}

/* NAME.theme in the folder of the configuration. */
static void read_theme(struct ui_conf *c, const struct line *l, const char *name)
{
	char path[PATH_LENGTH];
	struct pv_error e = { 0 };
	const char *slash = strrchr(l->path, '/');
	const int n = snprintf(path, sizeof path, "%.*s%s.theme",
		slash ? (int)(slash - l->path + 1) : 0, l->path, name);
	if (n < 0 || (size_t)n >= sizeof path || access(path, F_OK) != 0) {
		wrong(l, "there is no such theme: its file NAME.theme lies beside this one", 0);
		return;
	}
	char *text = ui_conf_read(path, &e);
	if (text)
		take_lines(c, path, text, take_colour);
	else
		ui_complain(path, "%s; it is left out", e.what);
	free(text);
}

/* The usual colours also serve users who cannot tell red from green. */
static void take_theme(struct ui_conf *c, const struct line *l, const char *name)
{
	const bool usual = strcmp(name, "usual") == 0 || strcmp(name, "red-green-blind") == 0;
	if (!usual && !pv_filter_is_name(name, strlen(name))) {
		wrong(l, "a theme's name is up to 32 letters, digits, - and _, a letter first", 0);
		return;
	}
	c->theme = ui_theme_usual();
	if (!usual)
		read_theme(c, l, name);
}

static void take_background(struct ui_conf *c, const struct line *l, const char *word)
{
	const enum ui_background background = ui_background_of(word);
	if (background == UI_BACKGROUNDS)
		wrong(l, "a background is auto, dark or light", 0);
	else
		c->background = background;
}

static void take_units(struct ui_conf *c, const struct line *l, const char *word)
{
	if (!pv_units_of(word, &c->settings.units))
		wrong(l, "units are binary or decimal", 0);
	else
		c->settings.units_chosen = true;
}

static void take_glyphs(struct ui_conf *c, const struct line *l, const char *word)
{
	const enum ui_glyphs glyphs = ui_glyphs_of(word);
	if (glyphs == UI_GLYPHS_COUNT) {
		wrong(l, "glyphs are block, braille or ascii", 0);
		return;
	}
	c->settings.glyphs = glyphs;
	c->settings.glyphs_chosen = true;
}

static void take_columns(
	struct ui_conf *c, const struct line *l, const char *name, const char *words)
{
	char why[100];
	const enum pv_view view = ui_settings_view(name);
	if (view == PV_VIEW_COUNT)
		wrong(l, "there is no view of that name", 0);
	else if (!ui_settings_columns(&c->settings, view, words, why, sizeof why))
		wrong(l, why, 0);
}

static void take_source(struct ui_conf *c, const struct line *l, const char *from, const char *to)
{
	char both[2 * PV_SOURCE_PATH];
	const int n = snprintf(both, sizeof both, "%s=%s", from, to);
	if (n < 0 || (size_t)n >= sizeof both || !pv_source_maps_add(&c->settings.maps, both))
		wrong(l, "a source has a folder and where it lies here, 16 lines at most", 0);
}

static bool is_word(const char *key, size_t n, const char *word)
{
	return strlen(word) == n && memcmp(key, word, n) == 0;
}

static void take_setting_line(struct ui_conf *c, const struct line *l, char *line)
{
	char *begin = line, *key, *value;
	if (!split_setting(l, line, &key, &value))
		return;
	size_t n = strcspn(key, " \t");
	if (strcmp(key, "theme") == 0)
		take_theme(c, l, value);
	else if (strcmp(key, "background") == 0)
		take_background(c, l, value);
	else if (strcmp(key, "units") == 0)
		take_units(c, l, value);
	else if (strcmp(key, "glyphs") == 0)
		take_glyphs(c, l, value);
	else if (is_word(key, n, "columns"))
		take_columns(c, l, trim_blanks(key + n), value);
	else if (is_word(key, n, "source"))
		take_source(c, l, trim_blanks(key + n), value);
	else if (is_word(key, n, "filter"))
		take_filter(c, l, trim_blanks(key + n), value, (size_t)(value - begin));
	else
		wrong(l, "the key is not known", 0);
}

static void take_lines(struct ui_conf *c, const char *path, char *text,
	void (*take)(struct ui_conf *, const struct line *, char *))
{
	int complaints = 0;
	struct line l = { .path = path, .complaints = &complaints };
	while (text) {
		char *end = strchr(text, '\n');
		if (end)
			*end = 0;
		l.number++;
		take(c, &l, text);
		text = end ? end + 1 : NULL;
	}
	if (complaints > COMPLAINTS)
		ui_complain(path, "%d more lines are left out", complaints - COMPLAINTS);
}

static void take_conf_text(struct ui_conf *c, const char *path, char *text)
{
	take_lines(c, path, text, take_setting_line);
}

/* --- the file */

bool ui_conf_path(char *ret, size_t size)
{
	const char *named = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	bool own = named && named[0] == '/';
	if (!own && (!home || home[0] != '/'))
		return false;
	int n = snprintf(ret, size, "%s%s/profview/profview.conf", own ? named : home,
		own ? "" : "/.config");
	return n > 0 && (size_t)n < size;
}

static char *read_file(int fd, struct pv_error *reterr)
{
	struct stat st;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > CONF_MAX) {
		pv_fail(reterr, PV_EIO, 0, "it is no regular file of at most 64 KiB");
		return NULL;
	}
	char *text = malloc(CONF_MAX + 1);
	size_t n = 0;
	for (ssize_t got = 1; text && n < CONF_MAX && got > 0; n += got > 0 ? (size_t)got : 0)
		got = read(fd, text + n, CONF_MAX - n);
	if (!text) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	text[n] = 0;
	if (strlen(text) == n)
		return text;
	pv_fail(reterr, PV_EIO, 0, "it has a byte 0");
	free(text);
	return NULL;
}

char *ui_conf_read(const char *path, struct pv_error *reterr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return strdup("");
	if (fd < 0) {
		pv_fail(reterr, PV_EIO, 0, "%s", strerror(errno));
		return NULL;
	}
	char *text = read_file(fd, reterr);
	close(fd);
	return text;
}

void ui_conf_load(struct ui_conf *ret)
{
	char path[PATH_LENGTH];
	struct pv_error e = { 0 };
	*ret = (struct ui_conf){ .filters = { .name = { 0 } }, .theme = ui_theme_usual() };
	if (!ui_conf_path(path, sizeof path))
		return;
	char *text = ui_conf_read(path, &e);
	if (text)
		take_conf_text(ret, path, text);
	else
		ui_complain(path, "%s; it is left out", e.what);
	free(text);
}
