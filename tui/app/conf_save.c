/* SPDX-License-Identifier: MIT */
/*
 * Saves settings into profview.conf: a new file takes the old one's place, other lines unchanged.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/system/private_place.h"
#include "tui/app/conf.h"

struct text {
	PV_ARRAY(char) v;
	bool failed;
};

static void add_bytes(struct text *t, const char *bytes, size_t n)
{
	if (t->failed || !pv_reserve(&t->v, n)) {
		t->failed = true;
		return;
	}
	memcpy(t->v.v + t->v.n, bytes, n);
	t->v.n += n;
}

static void add_words(struct text *t, const char *words)
{
	add_bytes(t, words, strlen(words));
}

/* --- lines */

enum {
	SET_UNITS = UI_COLUMN_SETS,
	SET_GLYPHS,
	SET_SOURCES,
	SET_NOTHING = SET_SOURCES + PV_SOURCE_MAPS
};

/* The number of a source's setting, for a line that has `left` before its "=". */
static size_t source_of(const struct ui_settings *s, char *left)
{
	char *from = strstr(left, "source") + strlen("source");
	from += strspn(from, " \t");
	size_t n = strlen(from);
	while (n > 0 && strchr(" \t", from[n - 1]))
		from[--n] = 0;
	for (size_t i = 0; i < s->maps_given; i++)
		if (strcmp(s->maps.map[i].from, from) == 0)
			return SET_SOURCES + i;
	return SET_NOTHING;
}

/* Number of the setting that the line is for: an index in `set`, or one of the numbers above. */
static size_t setting_of(const struct ui_settings *s, const char *line, size_t len)
{
	char key[64] = "", view[64] = "";
	const char *equals = memchr(line, '=', len);
	size_t n = equals ? (size_t)(equals - line) : 0;
	char left[PV_SOURCE_PATH + 64];
	if (n == 0 || n >= sizeof left)
		return SET_NOTHING;
	memcpy(left, line, n);
	left[n] = 0;
	int words = sscanf(left, " %63s %63s", key, view);
	if (words == 1 && strcmp(key, "units") == 0)
		return SET_UNITS;
	if (words == 1 && strcmp(key, "glyphs") == 0)
		return SET_GLYPHS;
	for (size_t i = 0; words == 2 && strcmp(key, "columns") == 0 && i < s->n; i++)
		if (strcmp(pv_view_name(s->set[i].view), view) == 0)
			return i;
	return words == 2 && strcmp(key, "source") == 0 ? source_of(s, left) : SET_NOTHING;
}

static void add_setting(struct text *t, const struct ui_settings *s, size_t which)
{
	if (which == SET_UNITS) {
		add_words(t, "units = ");
		add_words(t, pv_units_word(s->units));
		add_words(t, "\n");
	} else if (which == SET_GLYPHS) {
		add_words(t, "glyphs = ");
		add_words(t, ui_glyphs_word(s->glyphs));
		add_words(t, "\n");
	} else if (which >= SET_SOURCES) {
		add_words(t, "source ");
		add_words(t, s->maps.map[which - SET_SOURCES].from);
		add_words(t, " = ");
		add_words(t, s->maps.map[which - SET_SOURCES].to);
		add_words(t, "\n");
	} else if (s->set[which].ids[0]) {
		add_words(t, "columns ");
		add_words(t, pv_view_name(s->set[which].view));
		add_words(t, " = ");
		add_words(t, s->set[which].ids);
		add_words(t, "\n");
	}
}

static bool is_set(const struct ui_settings *s, size_t which)
{
	return which < s->n || (which == SET_UNITS && s->units_chosen) ||
	       (which == SET_GLYPHS && s->glyphs_chosen) ||
	       (which >= SET_SOURCES && which < SET_SOURCES + s->maps_given);
}

/* The first line of a setting is written anew, further lines of the setting go. */
static void merge_settings(struct text *t, const struct ui_settings *s, const char *old)
{
	bool done[SET_NOTHING] = { false };
	while (*old) {
		size_t len = strcspn(old, "\n"), which = setting_of(s, old, len);
		if (!is_set(s, which)) {
			add_bytes(t, old, len);
			add_words(t, "\n");
		} else if (!done[which]) {
			add_setting(t, s, which);
			done[which] = true;
		}
		old += len + (old[len] == '\n');
	}
	for (size_t i = 0; i < s->n; i++)
		if (!done[i])
			add_setting(t, s, i);
	for (size_t i = SET_UNITS; i < SET_NOTHING; i++)
		if (is_set(s, i) && !done[i])
			add_setting(t, s, i);
}

/* --- the file */

static bool make_folders(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = 0;
		bool ok = mkdir(path, 0700) == 0 || errno == EEXIST;
		*at = '/';
		if (!ok)
			return false;
	}
	return true;
}

static bool write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, n);
		if (done < 0 && errno != EINTR)
			return false;
		bytes += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

static bool replace(const char *path, mode_t mode, const struct text *t)
{
	char temp[PATH_MAX + 8];
	snprintf(temp, sizeof temp, "%s.XXXXXX", path);
	int fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return false;
	bool ok = fchmod(fd, mode) == 0 && write_all(fd, t->v.v, t->v.n) && fsync(fd) == 0;
	ok = close(fd) == 0 && ok && rename(temp, path) == 0;
	int error = errno;
	if (!ok)
		unlink(temp);
	errno = error;
	return ok;
}

bool ui_conf_save(const struct ui_settings *s, char *ret_path, size_t size, struct pv_error *reterr)
{
	char real[PATH_MAX];
	struct stat st;
	struct text t = { .failed = false };
	if (!ui_conf_path(ret_path, size))
		return pv_fail(reterr, PV_EOUTPUT, 0, "neither XDG_CONFIG_HOME nor HOME is set");
	if (pv_private_is_foreign(PV_PRIVATE_CONFIG))
		return pv_fail(reterr, PV_EOUTPUT, 0, "its folder is another user's");
	char *old = ui_conf_read(ret_path, reterr);
	if (!old)
		return false;
	const char *to = realpath(ret_path, real) ? real : ret_path; /* a symbolic link stays */
	mode_t mode = stat(to, &st) == 0 ? st.st_mode & 07777 : 0600;
	merge_settings(&t, s, old);
	free(old);
	bool ok = !t.failed && make_folders(ret_path) && replace(to, mode, &t);
	if (t.failed)
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	else if (!ok)
		pv_fail(reterr, PV_EOUTPUT, 0, "%s", strerror(errno));
	pv_array_finish(&t.v);
	return ok;
}
