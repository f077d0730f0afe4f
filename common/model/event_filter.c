#include "common/model/event_filter.h"

#include <string.h>
#include <strings.h>

enum { ANYTHING, OF_KIND, OF_THREAD, OF_TEXT };

static bool has(const char *text, const char *part)
{
	size_t n = strlen(part);
	for (; *text; text++)
		if (strncasecmp(text, part, n) == 0)
			return true;
	return n == 0;
}

static uint8_t field_of(const char **at)
{
	static const struct {
		const char *name;
		uint8_t of;
	} field[] = { { "kind:", OF_KIND }, { "thread:", OF_THREAD }, { "text:", OF_TEXT } };
	for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
		size_t n = strlen(field[i].name);
		if (strncasecmp(*at, field[i].name, n) != 0)
			continue;
		*at += n;
		return field[i].of;
	}
	return ANYTHING;
}

/* Copies the word at *at, which goes after it; false when it does not fit. */
static bool take_word(struct pv_event_filter *f, size_t *used, const char **at)
{
	struct pv_event_word *w = &f->word[f->words];
	*w = (struct pv_event_word){ .at = (uint16_t)*used };
	w->not = **at == '!' && (*at)[1] && (*at)[1] != ' ';
	*at += w->not;
	w->of = field_of(at);
	char until = **at == '"' ? '"' : ' ';
	*at += until == '"';
	size_t n = 0;
	while ((*at)[n] && (*at)[n] != until)
		n++;
	if (*used + n + 1 > sizeof f->text)
		return false;
	memcpy(f->text + *used, *at, n);
	f->text[*used + n] = 0;
	*used += n + 1;
	*at += n + (until == '"' && (*at)[n] == '"');
	f->words += n > 0;
	return true;
}

static bool kind_fits(const struct pv_event_filter *f, unsigned kind)
{
	for (unsigned i = 0; i < f->words; i++) {
		const struct pv_event_word *w = &f->word[i];
		if (w->of == OF_KIND && has(pv_kind_name(kind), f->text + w->at) == w->not)
			return false;
	}
	return true;
}

void pv_event_filter_parse(const char *words, struct pv_event_filter *ret)
{
	size_t used = 0;
	const char *at = words ? words : "";
	*ret = (struct pv_event_filter){ 0 };
	for (at += strspn(at, " "); *at && ret->words < PV_EVENT_WORDS; at += strspn(at, " "))
		if (!take_word(ret, &used, &at))
			break;
	for (unsigned i = 0; i < ret->words; i++)
		ret->lines = ret->lines || ret->word[i].of != OF_KIND;
	for (unsigned kind = 0; kind < PV_KIND_COUNT; kind++)
		ret->kind[kind] = kind_fits(ret, kind);
}

bool pv_event_filter_has(
	const struct pv_event_filter *f, unsigned kind, const char *thread, const char *line)
{
	for (unsigned i = 0; i < f->words; i++) {
		const struct pv_event_word *w = &f->word[i];
		const char *part = f->text + w->at;
		bool any = w->of == ANYTHING, holds = false;
		if (w->of == OF_KIND)
			continue;
		if (any || w->of == OF_THREAD)
			holds = has(thread, part);
		if (!holds && (any || w->of == OF_TEXT))
			holds = has(line, part);
		if (!holds && any)
			holds = has(pv_kind_name(kind), part);
		if (holds == w->not)
			return false;
	}
	return true;
}
