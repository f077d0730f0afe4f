#include "probe/clr_args.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"

static const struct {
	const char *text;
	unsigned more;
} words[] = {
	{ "everycall", PVP_CLR_EVERY_CALL },
	{ "emptycalls", PVP_CLR_EMPTY },
	{ "gcroot", PVP_CLR_ROOTS },
	{ "nosdk", PVP_CLR_NO_SDK },
};

static unsigned more_of(const char *at, size_t len)
{
	for (size_t i = 0; i < PV_COUNT_OF(words); i++)
		if (strlen(words[i].text) == len && memcmp(words[i].text, at, len) == 0)
			return words[i].more;
	return 0;
}

/* Ours are taken out; the others' text goes to `rest`, which has room for all of it. */
static unsigned split(const char *text, const char *period, char *rest)
{
	unsigned more = 0;
	size_t n = 0;
	while (*text) {
		size_t len = strcspn(text, ",");
		unsigned on = more_of(text, len);
		bool not = len > 2 && memcmp(text, "no", 2) == 0 && more_of(text + 2, len - 2);
		if (not )
			more &= ~more_of(text + 2, len - 2);
		if (!on && !not ) {
			if (n)
				rest[n++] = ',';
			bool sampled = period && len > 6 && memcmp(text, "alloc=", 6) == 0;
			size_t put = sampled ? strlen(period) : len;
			memcpy(rest + n, sampled ? period : text, put);
			n += put;
		}
		more |= on;
		text += len + (text[len] == ',');
	}
	rest[n] = 0;
	return more;
}

/*
 * What this host has not: heap shots come without roots, unless those are asked for by themselves;
 * moves are told as ranges; counters are not read. The header must not say they are recorded.
 */
static void leave_out(struct pvp_clr_options *o, const char *word)
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

static void describe(struct pvp_clr_options *o)
{
	size_t n = (size_t)snprintf(o->words, sizeof o->words, "%s", o->m.words);
	for (size_t i = 0; i < PV_COUNT_OF(words); i++)
		if (o->more & words[i].more && n < sizeof o->words)
			n += (size_t)snprintf(o->words + n, sizeof o->words - n, "%s%s",
				n ? "," : "", words[i].text);
}

bool pvp_clr_parse(const char *text, bool own_period, struct pvp_clr_options *ret)
{
	char rest[4 * PVP_MONO_TEXT], period[32];
	struct pvp_clr_options o = { 0 };
	if (strlen(text) >= sizeof rest / 4)
		return false;
	snprintf(period, sizeof period, "alloc=%d", PVP_CLR_ALLOC_PERIOD);
	o.more = split(text, own_period ? period : NULL, rest);
	if (!pvp_mono_parse(rest, &o.m) || o.m.groups & PVP_MONO_TREE || o.m.callspec[0] ||
		o.m.call_depth != UINT_MAX || o.m.want_help)
		return false; /* these are there on Mono alone */
	if (o.m.groups & PVP_MONO_CALLS)
		o.m.frames = 0;
	leave_out(&o, "gcroot");
	leave_out(&o, "gcmove");
	leave_out(&o, "counter");
	o.m.groups &= ~(unsigned)(PVP_MONO_ROOTS | PVP_MONO_MOVES);
	describe(&o);
	*ret = o;
	return true;
}
