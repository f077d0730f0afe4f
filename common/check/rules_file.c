/* SPDX-License-Identifier: MIT */
/* Reads files of rules: sections, keys and values. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/filter/filter_split.h"
#include "common/base/filter/filter.h"
#include "common/base/system/small_file.h"
#include "common/base/utf8.h"
#include "common/base/text/units.h"
#include "common/check/kinds.h"

enum { FILE_MOST = 1 << 20 };

struct reading {
	struct pv_check_set *set;
	const char *name;
	unsigned line; /* 0: on the command line */
	struct pv_check_rule *rule;
	bool in_check; /* in section [check] */
	struct pv_error *err;
};

static bool wrong(const struct reading *r, const char *what, const char *text, size_t len)
{
	const char *part = PV_FIT_LEN(text, len, 60);
	if (r->line)
		return pv_fail(r->err, PV_EUSAGE, 0, "%s:%u: %s \"%s\"", PV_FIT(r->name, 80),
			r->line, what, part);
	return pv_fail(r->err, PV_EUSAGE, 0, "--rule: %s \"%s\"", what, part);
}

/* Refuses a filter, from the wrong character on. */
static bool refuse_from(const struct reading *r, const char *what, const char *text, size_t at)
{
	char said[160];
	snprintf(said, sizeof said, "filter, character %zu: %s, at", at + 1, what);
	return wrong(r, said, text + at, strlen(text + at));
}

static bool rules_no_memory(const struct reading *r)
{
	return pv_fail(r->err, PV_ENOMEM, 0, "out of memory");
}

/* --- values --- */

static bool is_rule_number(const char *text, size_t len, double *ret)
{
	char copy[40], *end;
	if (!len || len >= sizeof copy)
		return false;
	memcpy(copy, text, len);
	copy[len] = 0;
	errno = 0;
	*ret = strtod(copy, &end);
	return isdigit((unsigned char)copy[0]) && !*end && !errno && *ret - *ret == 0;
}

static bool is_bytes(const char *text, size_t len, double *ret)
{
	uint64_t bytes;
	char copy[40];
	if (!len || len >= sizeof copy || !strpbrk(text, "BKkMG"))
		return false;
	memcpy(copy, text, len);
	copy[len] = 0;
	if (copy[len - 1] == 'B' && len > 1 && isdigit((unsigned char)copy[len - 2]))
		copy[len - 1] = 0;
	bool ok = pv_units_parse_bytes(copy, &bytes);
	*ret = (double)bytes;
	return ok;
}

static bool set_limit(struct reading *r, struct pv_check_limit *l, const char *text, size_t len)
{
	int64_t ns;
	l->given = true;
	l->text = pv_arena_copy(&r->set->arena, text, len);
	if (!l->text)
		return rules_no_memory(r);
	l->unit = PV_CHECK_COUNT;
	if (is_rule_number(text, len, &l->value))
		return true;
	l->unit = PV_CHECK_PERCENT;
	if (len > 1 && text[len - 1] == '%' && is_rule_number(text, len - 1, &l->value))
		return true;
	l->unit = PV_CHECK_BYTES;
	if (is_bytes(l->text, len, &l->value))
		return true;
	l->unit = PV_CHECK_NS;
	l->value = pv_units_parse_time(text, len, &ns) ? (double)ns : -1;
	return l->value >= 0 || wrong(r, "no number, size, time or percentage:", text, len);
}

static bool is(const char *key, size_t len, const char *word)
{
	return strlen(word) == len && strncmp(key, word, len) == 0;
}

static bool set_text(struct reading *r, const char **to, const char *text, size_t len)
{
	*to = pv_arena_copy(&r->set->arena, text, len);
	return *to || rules_no_memory(r);
}

/* Comparisons name columns, which depend on the kind. */
static bool check_filter(const struct reading *r)
{
	struct pv_filter_error wrong;
	const char *text = r->rule->filter;
	struct pv_filter_split split;
	if (pv_filter_split(text, PV_FILTER_CAPITALS, &split, &wrong) && split.requests[0])
		return refuse_from(
			r, "a rule's filter chooses rows, not requests", split.requests, 0);
	struct pv_filter *f = pv_filter_make(text, PV_FILTER_CAPITALS, NULL, 0, &wrong);
	pv_filter_free(f);
	if (f)
		return true;
	return wrong.no_memory ? rules_no_memory(r) : refuse_from(r, wrong.what, text, wrong.at);
}

static bool set_check_key(
	struct reading *r, const char *key, size_t len, const char *value, size_t n)
{
	if (is(key, len, "version"))
		return is(value, n, "1") || wrong(r, "this reads version 1, not", value, n);
	if (!is(key, len, "unsure"))
		return wrong(r, "[check] has no key", key, len);
	r->set->unsure_fails = is(value, n, "fail");
	r->set->unsure_passes = is(value, n, "pass");
	return r->set->unsure_fails || r->set->unsure_passes || is(value, n, "warn") ||
	       wrong(r, "unsure is warn, fail or pass, not", value, n);
}

static bool set_key(struct reading *r, const char *key, size_t len, const char *value, size_t n)
{
	struct pv_check_rule *rule = r->rule;
	if (!n)
		return wrong(r, "no value for", key, len);
	if (r->in_check)
		return set_check_key(r, key, len, value, n);
	if (!rule)
		return wrong(r, "before any section stands", key, len);
	if (is(key, len, "kind"))
		return set_text(r, &rule->kind, value, n) &&
		       (pv_check_kind_exists(rule->kind) || wrong(r, "there is no kind", value, n));
	if (is(key, len, "match"))
		return set_text(r, &rule->match, value, n);
	if (is(key, len, "filter"))
		return set_text(r, &rule->filter, value, n) && check_filter(r);
	if (is(key, len, "of"))
		return set_text(r, &rule->of, value, n);
	if (is(key, len, "per"))
		return set_text(r, &rule->per, value, n) &&
		       ((strncmp(rule->per, "call:", 5) == 0 && rule->per[5]) ||
			       (strncmp(rule->per, "counter:", 8) == 0 && rule->per[8]) ||
			       wrong(r, "per is call:METHOD or counter:NAME, not", value, n));
	if (is(key, len, "max") || is(key, len, "max-score"))
		return set_limit(r, &rule->max, value, n);
	if (is(key, len, "min"))
		return set_limit(r, &rule->min, value, n);
	if (is(key, len, "max-increase"))
		return set_limit(r, &rule->increase, value, n);
	if (!is(key, len, "allow-missing"))
		return wrong(r, "a rule has no key", key, len);
	rule->allow_missing = is(value, n, "yes");
	return rule->allow_missing || is(value, n, "no") || wrong(r, "yes or no, not", value, n);
}

/* --- rules --- */

static bool finish_rule(struct reading *r)
{
	const char *why;
	struct pv_check_rule *rule = r->rule;
	unsigned line = r->line;
	bool ok = true;
	if (!rule)
		return true;
	r->line = line ? rule->line : 0;
	if (!rule->kind)
		ok = wrong(r, "no kind in the rule", rule->id, strlen(rule->id));
	else if (!rule->max.given && !rule->min.given && !rule->increase.given)
		ok = wrong(
			r, "no max, min or max-increase in the rule", rule->id, strlen(rule->id));
	else if (!pv_check_kind_of(rule, &why))
		ok = wrong(r, why, rule->id, strlen(rule->id));
	r->line = line;
	r->rule = NULL;
	return ok;
}

static bool begin_rule(struct reading *r, const char *id, size_t len)
{
	struct pv_check_set *s = r->set;
	for (size_t i = 0; i < s->rule.n; i++)
		if (is(id, len, s->rule.v[i].id))
			return wrong(r, "a second rule", id, len);
	const char *kept = pv_arena_copy(&s->arena, id, len);
	if (!kept || !pv_reserve(&s->rule, 1))
		return rules_no_memory(r);
	r->rule = &s->rule.v[s->rule.n++];
	*r->rule = (struct pv_check_rule){ .id = kept, .line = r->line };
	return true;
}

static const char *trim_blanks(const char *text, size_t *len)
{
	while (*len && isspace((unsigned char)*text))
		text++, --*len;
	while (*len && isspace((unsigned char)text[*len - 1]))
		--*len;
	return text;
}

static bool take_section(struct reading *r, const char *text, size_t len)
{
	static const char rule[] = "rule ";
	if (!finish_rule(r))
		return false;
	if (text[len - 1] != ']')
		return wrong(r, "a section ends with ]:", text, len);
	text++;
	len -= 2;
	text = trim_blanks(text, &len);
	r->in_check = is(text, len, "check");
	if (r->in_check)
		return true;
	if (len <= strlen(rule) || strncmp(text, rule, strlen(rule)) != 0)
		return wrong(r, "sections are [check] and [rule ID], not", text, len);
	text += strlen(rule);
	len -= strlen(rule);
	text = trim_blanks(text, &len);
	return begin_rule(r, text, len);
}

static bool take_rule_line(struct reading *r, const char *text, size_t len)
{
	text = trim_blanks(text, &len);
	if (!len || *text == '#' || *text == ';')
		return true;
	if (memchr(text, 0, len))
		return wrong(r, "a byte of value 0 in", text, strlen(text));
	if (*text == '[')
		return take_section(r, text, len);
	const char *equals = memchr(text, '=', len);
	if (!equals)
		return wrong(r, "no key = value:", text, len);
	size_t key = (size_t)(equals - text), value = len - key - 1;
	const char *word = trim_blanks(text, &key), *at = trim_blanks(equals + 1, &value);
	return set_key(r, word, key, at, value);
}

static bool parse(const char *text, size_t len, const char *name, struct pv_check_set *ret,
	struct pv_error *reterr)
{
	struct reading r = { .set = ret, .name = name, .err = reterr };
	for (const char *end = text + len; text < end;) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		r.line++;
		if (!take_rule_line(&r, text, (size_t)(stop - text)))
			return false;
		text = stop + 1;
	}
	return finish_rule(&r);
}

bool pv_check_read(const char *path, struct pv_check_set *ret, struct pv_error *reterr)
{
	size_t n = 0;
	char *text = pv_small_file(path, FILE_MOST, &n, reterr);
	const char *name = strrchr(path, '/');
	bool ok = text && parse(text, n, name ? name + 1 : path, ret, reterr);
	if (!text)
		reterr->code = PV_EUSAGE;
	free(text);
	return ok;
}

/* Words with "=" are keys; values with blanks are quoted. */
bool pv_check_add(const char *text, struct pv_check_set *ret, struct pv_error *reterr)
{
	struct reading r = { .set = ret, .err = reterr };
	size_t len = strcspn(text, " ");
	if (!len)
		return wrong(&r, "wants KIND KEY=VALUE...:", text, strlen(text));
	char id[PV_CHECK_TEXT];
	snprintf(id, sizeof id, "%s", text);
	if (!begin_rule(&r, id, strlen(id)) || !set_key(&r, "kind", 4, text, len))
		return false;
	for (const char *at = text + len; *(at += strspn(at, " "));) {
		const char *equals = strchr(at, '=');
		size_t key = strcspn(at, " ="), n;
		if (!equals || at + key != equals)
			return wrong(&r, "no KEY=VALUE:", at, key);
		bool quoted = equals[1] == '"';
		const char *value = equals + 1 + quoted;
		n = strcspn(value, quoted ? "\"" : " ");
		if (!set_key(&r, at, key, value, n))
			return false;
		at = value + n + (quoted && value[n]);
	}
	return finish_rule(&r);
}

void pv_check_set_clear(struct pv_check_set *s)
{
	pv_array_finish(&s->rule);
	pv_arena_finish(&s->arena);
}
