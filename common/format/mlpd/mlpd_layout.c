/* SPDX-License-Identifier: MIT */
/*
 * Finds the layout of a development build by trying to decode a buffer in each that may be meant.
 */
#include "common/format/mlpd/mlpd_layout.h"

#include <string.h>

/* Layouts of development builds by data version; likelier ones first. */
static const struct alternative {
	uint8_t says, rules, layout;
} alternatives[] = {
	{ 5, 5, MLPD_OPEN_PSS },
	{ 13, 12, MLPD_SYNC_12 },
	{ 14, 14, MLPD_NARROW_ROOTS },
	{ 14, 14, MLPD_NARROW_ROOTS | MLPD_TYPED_HITS },
	{ 14, 14, MLPD_NARROW_ROOTS | MLPD_TYPED_HITS | MLPD_HELPERS_13 },
	{ 14, 14, MLPD_NEW_ROOTS },
	{ 15, 14, MLPD_WIDE_COUNTERS },
	{ 16, 16, MLPD_EARLY_16 },
};

bool mlpd_has_layouts(uint8_t says)
{
	for (size_t i = 0; i < PV_COUNT_OF(alternatives); i++)
		if (alternatives[i].says == says)
			return true;
	return false;
}

static bool decode_again(
	struct pv_batch *b, const struct mlpd_layout_probe *t, const struct mlpd_format *f)
{
	struct mlpd_bases bases = t->start;
	bool continues = b->continues, gap = b->bytes_lost_before;
	size_t used;
	pv_batch_again(b);
	b->continues = continues;
	b->bytes_lost_before = gap;
	return mlpd_decode_batch(b, &bases, f, t->partial, &used);
}

/* Left-over bytes do not count: a cut buffer ends in the middle of an event. */
bool mlpd_try_layouts(struct pv_batch *b, const struct mlpd_layout_probe *t, struct mlpd_format *f,
	bool *ret_changed)
{
	struct mlpd_format before = *f, try = *f;
	*ret_changed = false;
	if (!mlpd_has_layouts(t->says))
		return true;
	for (size_t i = 0; i <= PV_COUNT_OF(alternatives); i++) {
		bool release = i == PV_COUNT_OF(alternatives);
		if (!release && alternatives[i].says != t->says)
			continue;
		try.data_version = release ? t->says : alternatives[i].rules;
		try.layout = release ? 0 : alternatives[i].layout;
		if (try.data_version == before.data_version && try.layout == before.layout)
			continue;
		if (!decode_again(b, t, &try))
			return false;
		if (!b->damaged) {
			*f = try;
			*ret_changed = true;
			return true;
		}
	}
	return decode_again(b, t, &before);
}

bool mlpd_choose_layout(const uint8_t *payload, size_t n, const struct mlpd_layout_probe *t,
	struct mlpd_format *f, unsigned *trials)
{
	struct pv_batch b = { 0 };
	bool changed = false;
	if (!mlpd_has_layouts(t->says) || *trials == 0)
		return true;
	bool ok = pv_reserve(&b.bytes, n + 1);
	if (ok && n)
		memcpy(b.bytes.v, payload, n);
	b.bytes.n = n;
	ok = ok && decode_again(&b, t, f);
	if (ok && b.damaged) {
		--*trials;
		ok = mlpd_try_layouts(&b, t, f, &changed);
	}
	pv_batch_finish(&b);
	return ok;
}
