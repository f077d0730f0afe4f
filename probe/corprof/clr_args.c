/* SPDX-License-Identifier: MIT */
/*
 * Options of the .NET module: splits them from common options, and describes them for the header.
 */
#include "probe/corprof/clr_args.h"

#include <stdio.h>
#include <string.h>

#include "common/base/coreclr.h"
#include "common/base/status.h"
#include "probe/ground/sample_rate.h"

enum { N = 1, M = 2, D = 4, ALL = N | M | D }; /* hosts of the rows */

static const struct {
	const char *text;
	unsigned more;
	bool of_mono; /* and of no other host */
} words[] = {
#define WORD(symbol, word, hosts, kind, least, most, usual, groups, more)                          \
	{ word, more, (hosts) == M },
#include "common/base/words.def"
	{ PV_CORECLR_ASK, PVP_CLR_ASK, false },
	{ "heapshot=nogc", PVP_CLR_GARBAGE, false },
	{ "heapshot=live", PVP_CLR_LIVE, false },
	{ "spans=files", PVP_CLR_SPANS | PVP_CLR_FILES, false },
};

static unsigned more_of(const char *at, size_t len)
{
	for (size_t i = 0; i < PV_COUNT_OF(words); i++)
		if (strlen(words[i].text) == len && memcmp(words[i].text, at, len) == 0)
			return words[i].more;
	return 0;
}

/* strings=N: N, else -1. */
static int strings_of(const char *at, size_t len)
{
	int n = 0;
	if (len <= 8 || memcmp(at, "strings=", 8) != 0)
		return -1;
	for (size_t i = 8; i < len; i++) {
		if (at[i] < '0' || at[i] > '9')
			return -1;
		n = n * 10 + (at[i] - '0');
		if (n > PVP_CLR_STRING)
			n = PVP_CLR_STRING;
	}
	return n;
}

/* Whether a word is in the list, also if followed by "=" or "-". */
static bool has_option_word(const char *text, size_t n, const char *word)
{
	size_t len = strlen(word);
	for (size_t i = 0; i + len <= n; i++)
		if ((i == 0 || text[i - 1] == ',') && memcmp(text + i, word, len) == 0)
			return true;
	return false;
}

/* Takes the .NET module's words out of `text`; the others go to `rest`, with room for all. */
static void split_words(const char *text, const char *period, char *rest, struct pvp_clr_options *o)
{
	static const char shots[] = ",heapshot";
	unsigned more = 0;
	size_t n = 0;
	while (*text) {
		size_t len = strcspn(text, ",");
		unsigned on = more_of(text, len);
		int strings = strings_of(text, len);
		if (strings >= 0) {
			o->strings = (unsigned)strings;
			text += len + (text[len] == ',');
			continue;
		}
		bool not = len > 2 && memcmp(text, "no", 2) == 0 && more_of(text + 2, len - 2);
		if (not)
			more &= ~more_of(text + 2, len - 2);
		if (!on && !not) {
			if (n)
				rest[n++] = ',';
			bool sampled = period && len > 6 && memcmp(text, "alloc=", 6) == 0 &&
				       !(len == 9 && memcmp(text, "alloc=off", 9) == 0);
			size_t put = sampled ? strlen(period) : len;
			memcpy(rest + n, sampled ? period : text, put);
			n += put;
		}
		more |= on;
		text += len + (text[len] == ',');
	}
	/* The contents of a shot do not decide when shots are taken. */
	if (more & (PVP_CLR_GARBAGE | PVP_CLR_LIVE) && !has_option_word(rest, n, shots + 1)) {
		size_t comma = n > 0;
		memcpy(rest + n, shots + 1 - comma, sizeof shots - 2 + comma);
		n += sizeof shots - 2 + comma;
	}
	rest[n] = 0;
	o->more = more;
}

/*
 * Removes an event that this host lacks, or records only on request (roots of heap shots, moves),
 * from the header's list.
 */
static void leave_out_word(struct pvp_clr_options *o, const char *word)
{
	size_t len = strlen(word);
	char *at = strstr(o->m.words, word);
	if (!at)
		return;
	if (at > o->m.words) {
		at--;
		len++;
	} else {
		len += at[len] == ',';
	}
	memmove(at, at + len, strlen(at + len) + 1);
}

static void describe_clr(struct pvp_clr_options *o)
{
	size_t n = (size_t)snprintf(o->words, sizeof o->words, "%s", o->m.words);
	unsigned longer = o->more & PVP_CLR_FILES ? PVP_CLR_SPANS : 0; /* the longer of two words */
	for (size_t i = 0; i < PV_COUNT_OF(words); i++) {
		unsigned more = words[i].more;
		if (more && (o->more & more) == more && more != longer && n < sizeof o->words)
			n += (size_t)snprintf(o->words + n, sizeof o->words - n, "%s%s",
				n ? "," : "", words[i].text);
	}
	if (o->strings && n < sizeof o->words)
		n += (size_t)snprintf(o->words + n, sizeof o->words - n, "%sstrings=%u",
			n ? "," : "", o->strings);
	if (o->m.groups & PVP_MANAGED_SAMPLES && n < sizeof o->words)
		n += (size_t)snprintf(o->words + n, sizeof o->words - n, "%ssample-timer=%s:%u",
			n ? "," : "", pvp_sample_timer(o->m.sample_hz),
			pvp_sample_possible(o->m.sample_hz));
	/* Elsewhere heap shots come with their roots. */
	if (o->m.groups & PVP_MANAGED_HEAPSHOTS && !(o->more & PVP_CLR_ROOTS) &&
		n < sizeof o->words)
		snprintf(o->words + n, sizeof o->words - n, ",nogcroot");
}

/* The first word understood by Mono only; NULL: none. */
static const char *of_mono(const char *text, const struct pvp_managed_options *m)
{
	for (; *text; text += strcspn(text, ","), text += *text == ',') {
		size_t len = strcspn(text, "=,");
		for (size_t i = 0; i < PV_COUNT_OF(words); i++)
			if (words[i].of_mono && strlen(words[i].text) == len &&
				memcmp(words[i].text, text, len) == 0)
				return words[i].text;
	}
	return m->want_report ? "report" : m->want_help ? "help" : NULL;
}

bool pvp_clr_parse(
	const char *text, bool own_period, struct pvp_clr_options *ret, char ret_why[PVP_CLR_WHY])
{
	char rest[4 * PVP_MANAGED_TEXT], period[32];
	struct pvp_clr_options o = { 0 };
	snprintf(ret_why, PVP_CLR_WHY, "an option in %s is not understood", PV_CORECLR_OPTIONS);
	if (strlen(text) >= sizeof rest / 4)
		return false;
	snprintf(period, sizeof period, "alloc=%d", PVP_CLR_ALLOC_PERIOD);
	split_words(text, own_period ? period : NULL, rest, &o);
	if (!pvp_managed_parse(rest, &o.m))
		return false;
	const char *lacking = of_mono(rest, &o.m);
	if (lacking) {
		snprintf(ret_why, PVP_CLR_WHY, "\"%s\" can be recorded on Mono only", lacking);
		return false;
	}
	if (o.m.groups & (PVP_MANAGED_CALLS | PVP_MANAGED_TREE) || o.more & PVP_CLR_FILES)
		o.m.frames = 0;
	leave_out_word(&o, "gcroot");
	o.m.groups &= ~(unsigned)PVP_MANAGED_ROOTS;
	leave_out_word(&o, "gcmove");
	o.m.groups &= ~(unsigned)PVP_MANAGED_MOVES;
	if (o.more & PVP_CLR_MOVES)
		o.m.groups |= PVP_MANAGED_MOVES;
	/* Roots come with a collection. */
	bool live = o.m.groups & PVP_MANAGED_HEAPSHOTS &&
		    (!(o.more & PVP_CLR_GARBAGE) || o.more & PVP_CLR_ROOTS);
	o.more &= ~(unsigned)(PVP_CLR_LIVE | PVP_CLR_GARBAGE);
	if (o.m.groups & PVP_MANAGED_HEAPSHOTS)
		o.more |= live ? PVP_CLR_LIVE : PVP_CLR_GARBAGE;
	describe_clr(&o);
	*ret = o;
	return true;
}
