/* Words of --section to sections. */
#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/report/report_sections.h"

size_t pv_section_set_size(const struct pv_section_set *s, size_t *ret_last)
{
	size_t n = 0;
	for (size_t i = 0; i < pv_section_count; i++) {
		if (!pv_section_in(s, i))
			continue;
		*ret_last = i;
		n++;
	}
	return n;
}

/* Parts of the report that come first whatever is asked for. */
static const char *const heads[] = { "source", "target", "duration_ns" };

const struct pv_section *pv_section_find(const char *name)
{
	for (size_t i = 0; i < pv_section_count; i++)
		if (strcmp(pv_sections[i].name, name) == 0)
			return &pv_sections[i];
	return NULL;
}

bool pv_report_match_of(const char *text, enum pv_report_match *ret)
{
	static const char *const word[] = { [PV_REPORT_IDENTITY] = "identity",
		[PV_REPORT_ADDRESS] = "address",
		[PV_REPORT_CLASS] = "class" };
	for (size_t i = 0; i < PV_COUNT_OF(word); i++) {
		if (strcmp(text, word[i]) == 0) {
			*ret = (enum pv_report_match)i;
			return true;
		}
	}
	return false;
}

static bool one_list(const struct pv_report_options *o)
{
	return o->format == PV_REPORT_CSV || o->format == PV_REPORT_MARKDOWN;
}

static bool is_word(const char *name, const char *word, size_t len)
{
	return strncmp(name, word, len) == 0 && name[len] == 0;
}

/* "gc" stands for every "gc.x"; in a format of one list a name is that list only. */
static bool matches(
	const struct pv_report_options *o, const struct pv_section *s, const char *word, size_t len)
{
	if (is_word(s->name, word, len))
		return true;
	return !one_list(o) && !(s->flags & PV_SECTION_CSV) && strncmp(s->name, word, len) == 0 &&
	       s->name[len] == '.';
}

static bool is_head(const char *word, size_t len)
{
	for (size_t i = 0; i < PV_COUNT_OF(heads); i++)
		if (is_word(heads[i], word, len))
			return true;
	return false;
}

/* Lists the sections whose names hold `word`, all for "", as far as there is room. */
static size_t list_sections(const char *word, size_t len, struct pv_error *ret)
{
	size_t n = 0;
	for (size_t i = 0; i < pv_section_count; i++) {
		const char *name = pv_sections[i].name;
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
	for (size_t i = 0; i < pv_section_count; i++) {
		bool all = is_word("all", word, len) &&
			   !(pv_sections[i].flags &
				   (PV_SECTION_CSV | PV_SECTION_GRAPH | PV_SECTION_IDENTITY |
					   PV_SECTION_FOLDER | PV_SECTION_METHOD));
		if (!all && !matches(o, &pv_sections[i], word, len))
			continue;
		pv_section_choose(ret, i);
		found = true;
	}
	return found || (is_head(word, len) && !one_list(o)) || unknown_section(word, len, reterr);
}

static void choose_usual(struct pv_section_set *ret)
{
	for (size_t i = 0; i < pv_section_count; i++)
		if (!(pv_sections[i].flags & (PV_SECTION_EXTRA | PV_SECTION_CSV)))
			pv_section_choose(ret, i);
}

static bool check_one_list(const struct pv_report_options *o, const struct pv_section_set *set,
	struct pv_error *reterr)
{
	size_t last;
	bool one = pv_section_set_size(set, &last) == 1;
	if (one && &pv_sections[last] == pv_section_find("samples"))
		return pv_fail(reterr, PV_EUSAGE, 0, "\"samples\" is no list");
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
