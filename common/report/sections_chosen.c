/* SPDX-License-Identifier: MIT */
/* Finds sections by the words of --section. */
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/report/report_sections.h"

const struct pv_view_row *pv_section_only(const struct pv_section_set *set)
{
	const struct pv_view_row *only = NULL;
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));) {
		if (pv_section_in(set, s) && only)
			return NULL;
		only = pv_section_in(set, s) ? s : only;
	}
	return only;
}

/* Parts of every report, in front. */
static const char *const heads[] = { "source", "target", "duration_ns" };

static bool one_list(const struct pv_report_options *o)
{
	return o->format == PV_REPORT_CSV || o->format == PV_REPORT_MARKDOWN ||
	       o->format == PV_REPORT_VIM;
}

static bool same_word(const char *name, const char *word, size_t len)
{
	return strncmp(name, word, len) == 0 && name[len] == 0;
}

/* "gc" stands for every "gc.x"; in a format of one list a name is just one list. */
static bool matches(const struct pv_report_options *o, const struct pv_view_row *s,
	const char *word, size_t len)
{
	if (same_word(s->section, word, len))
		return true;
	return !one_list(o) && !(s->flags & PV_SECTION_CSV) &&
	       strncmp(s->section, word, len) == 0 && s->section[len] == '.';
}

static bool is_head(const char *word, size_t len)
{
	for (size_t i = 0; i < PV_COUNT_OF(heads); i++)
		if (same_word(heads[i], word, len))
			return true;
	return false;
}

/* Lists sections with `word` in the name, all for "", as far as there is room. */
static size_t list_sections(const char *word, size_t len, struct pv_error *ret)
{
	size_t n = 0;
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));) {
		const char *name = s->section;
		size_t at = strlen(ret->what), room = sizeof ret->what - at;
		if (!memmem(name, strlen(name), word, len))
			continue;
		n++;
		if (strlen(name) + sizeof " ..." >= room) {
			snprintf(ret->what + at, room, " ...");
			break;
		}
		snprintf(ret->what + at, room, " %s", name);
	}
	return n;
}

static bool unknown_section(const char *word, size_t len, struct pv_error *reterr)
{
	const char *shown = PV_FIT_LEN(word, len, 40);
	pv_fail(reterr, PV_EUSAGE, 0, "no section \"%s\"; there is:", shown);
	if (!reterr || (len && list_sections(word, len, reterr)))
		return false;
	pv_fail(reterr, PV_EUSAGE, 0, "no section \"%s\"; there are:", shown);
	list_sections("", 0, reterr);
	return false;
}

static bool add_word(const struct pv_report_options *o, const char *word, size_t len,
	struct pv_section_set *ret, struct pv_error *reterr)
{
	bool found = false;
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));) {
		bool all = same_word("all", word, len) &&
			   !(s->flags & (PV_SECTION_CSV | PV_SECTION_GRAPH | PV_SECTION_IDENTITY |
						PV_SECTION_FOLDER | PV_SECTION_METHOD));
		if (!all && !matches(o, s, word, len))
			continue;
		pv_section_choose(ret, s);
		found = true;
	}
	return found || (is_head(word, len) && !one_list(o)) || unknown_section(word, len, reterr);
}

static void choose_usual(struct pv_section_set *ret)
{
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));)
		if (!(s->flags & (PV_SECTION_EXTRA | PV_SECTION_CSV)))
			pv_section_choose(ret, s);
}

/* Whether the rows are lines of files. */
static bool has_lines(const struct pv_view_row *s)
{
	size_t n, found = 0;
	const struct pv_column *c = pv_view_columns(s->view, &n);
	for (size_t i = 0; i < n; i++)
		found += strcmp(c[i].id, "file") == 0 || strcmp(c[i].id, "line") == 0;
	return found == 2;
}

static bool check_one_list(const struct pv_report_options *o, const struct pv_section_set *set,
	struct pv_error *reterr)
{
	const struct pv_view_row *one = pv_section_only(set);
	if (one && one->flags & PV_SECTION_FIGURES)
		return pv_fail(reterr, PV_EUSAGE, 0, "\"%s\" is no list", one->section);
	if (o->format == PV_REPORT_VIM && (!one || !has_lines(one)))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"vim takes lines of files: --section lines or --section sample_lines");
	return one || !one_list(o) ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "this format takes exactly one list, for example "
		       "--section methods, --section gc.pauses");
}

bool pv_sections_chosen(
	const struct pv_report_options *o, struct pv_section_set *ret, struct pv_error *reterr)
{
	static const struct pv_section_set none = { { 0 } };
	const char *at = o->sections ? o->sections : "";
	*ret = none;
	if (!*at)
		choose_usual(ret);
	while (*at) {
		size_t len = strcspn(at, ",");
		if (len && !add_word(o, at, len, ret, reterr))
			return false;
		at += len + (at[len] == ',');
	}
	return !one_list(o) || check_one_list(o, o->sections ? ret : &none, reterr);
}
