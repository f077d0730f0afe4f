/* SPDX-License-Identifier: MIT */
/*
 * Stored bytes -> the source's inflater, in steps, with gaps, restarts and ends in between as the
 * first bytes of the input choose: it must end, give out no more than it was given when nothing is
 * compressed, and say that a stream was cut only where one was compressed.
 */
#include <stdlib.h>
#include <string.h>

#include "common/io/source_gzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { CONTROL = 4, MOST_OUT = 4 << 20, MOST_ENDS = 3 };

struct store {
	const uint8_t *bytes;
	size_t n, at, step, since;
	uint8_t interrupts; /* bits: a gap, a restart, an end, nothing, every 64 reads or so */
	unsigned reads, ends;
};

static enum pv_read interrupt(struct store *s, uint64_t *ret_n)
{
	static const enum pv_read what[] = { PV_READ_GAP, PV_READ_RESTART, PV_READ_END,
		PV_READ_NOTHING };
	unsigned bit = s->reads / 16 % 4;
	if (s->reads % 16 != 15 || !(s->interrupts & 1u << bit))
		return PV_READ_BYTES;
	*ret_n = 7;
	return what[bit];
}

static enum pv_read stored(
	void *ctx, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	struct store *s = ctx;
	(void)reterr;
	s->reads++;
	enum pv_read what = interrupt(s, ret_n);
	if (what != PV_READ_BYTES)
		return what;
	size_t n = s->n - s->at;
	n = n < s->step ? n : s->step;
	n = n < size ? n : size;
	if (n == 0) {
		s->ends++;
		return PV_READ_END;
	}
	memcpy(to, s->bytes + s->at, n);
	s->at += n;
	*ret_n = n;
	return PV_READ_BYTES;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n < CONTROL)
		return 0;
	struct store s = { .bytes = bytes + CONTROL,
		.n = n - CONTROL,
		.step = 1 + bytes[0] * 8u,
		.interrupts = bytes[1] };
	size_t size = 1 + bytes[2] * 64u, out = 0;
	uint8_t *to = malloc(size);
	struct pv_gzip *z = pv_gzip_create(stored, &s, 0);
	if (z && bytes[3] & 1)
		pv_gzip_set_many_writers(z, true);
	for (bool compressed = false; z && to && s.ends < MOST_ENDS && out < MOST_OUT;) {
		uint64_t got = 0;
		struct pv_error e = { 0 };
		bool plain = pv_gzip_plain(z);
		enum pv_read what = plain ? stored(&s, to, size, &got, &e)
					  : pv_gzip_read(z, to, size, &got, &e);
		if (plain && what != PV_READ_BYTES)
			what = pv_gzip_no_bytes(z, what);
		if (what == PV_READ_ERROR || (what == PV_READ_BYTES && (got == 0 || got > size)))
			abort();
		if (what == PV_READ_END && s.at == s.n)
			s.ends++; /* reported without asking the store */
		out += what == PV_READ_BYTES ? got : 0;
		struct pv_source_info info = { 0 };
		pv_gzip_info(z, &info);
		compressed |= info.compressed;
		if ((!compressed && out > s.n) || (info.compressed_cut && !compressed))
			abort();
	}
	pv_gzip_destroy(z);
	free(to);
	return 0;
}
