/* SPDX-License-Identifier: MIT */
/* Takes names of .NET's perf map apart, into the parts that clr_name.h joins. */
#include "common/format/stacks/stack_clr.h"

#include <string.h>

#include "common/base/status.h"
#include "common/format/clr_name.h"

static bool is_tier_word(const char *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((at[i] | 32) >= 'a' && (at[i] | 32) <= 'z') &&
			!(at[i] >= '0' && at[i] <= '9'))
			return false;
	return n > 0;
}

/* Takes "[Tier0]" off the end. */
static enum pv_tier take_tier(struct pv_text *name)
{
	static const struct {
		const char *word;
		enum pv_tier tier;
	} tiers[] = { { "Tier0", PV_TIER_QUICK }, { "QuickJitted", PV_TIER_QUICK },
		{ "MinOptJitted", PV_TIER_PLAIN }, { "Optimized", PV_TIER_OPTIMIZED },
		{ "OptimizedTier1", PV_TIER_1 }, { "OptimizedTier1OSR", PV_TIER_1_LOOP },
		{ "Tier0Instrumented", PV_TIER_COUNTING },
		{ "Tier1Instrumented", PV_TIER_COUNTING_OPTIMIZED },
		{ "ReadyToRun", PV_TIER_PRECOMPILED }, { "PreJIT", PV_TIER_PRECOMPILED } };
	const char *open = memrchr(name->at, '[', name->len);
	if (!open || open == name->at || name->at[name->len - 1] != ']')
		return PV_TIER_UNKNOWN;
	size_t n = (size_t)(name->at + name->len - 1 - (open + 1));
	if (!is_tier_word(open + 1, n))
		return PV_TIER_UNKNOWN;
	name->len = (size_t)(open - name->at);
	for (size_t i = 0; i < PV_COUNT_OF(tiers); i++)
		if (strlen(tiers[i].word) == n && memcmp(tiers[i].word, open + 1, n) == 0)
			return tiers[i].tier;
	return PV_TIER_UNKNOWN;
}

size_t pv_stack_clr_name(struct pv_text name, char room[PV_STACK_CLR_ROOM], enum pv_tier *ret_tier)
{
	enum pv_tier tier = take_tier(&name);
	const char *end = name.at + name.len;
	const char *type = memmem(name.at, name.len, "] ", 2);
	if (!type || !memchr(name.at, '[', (size_t)(type - name.at)))
		return 0;
	type += 2;
	const char *colons = memmem(type, (size_t)(end - type), "::", 2);
	const char *open = colons ? memchr(colons, '(', (size_t)(end - colons)) : NULL;
	if (!open)
		return 0;
	*ret_tier = tier;
	return pv_clr_method_name((struct pv_text){ type, (size_t)(colons - type) },
		(struct pv_text){ colons + 2, (size_t)(open - colons - 2) },
		(struct pv_text){ open, (size_t)(end - open) }, room, PV_STACK_CLR_ROOM);
}
