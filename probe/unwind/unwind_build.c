/* SPDX-License-Identifier: MIT */
/*
 * Builds the rows of a table from .eh_frame. Functions are found by the search table of
 * .eh_frame_hdr, or without a usual table by reading all entries in order. All input is untrusted.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "probe/unwind/unwind_cfa.h"

enum {
	HDR_VERSION = 1,
	HDR_COUNT = 0x03, /* udata4 */
	HDR_TABLE = 0x3b, /* sdata4, relative to .eh_frame_hdr: what every linker writes */
	BUDGET = 16,      /* instructions for each byte of .eh_frame */
	MOST_ROWS = 4 << 20,
	FINEST = 8 /* of the index, as a power of two: bytes */
};

struct place {
	uint32_t pc;
	uint32_t at; /* offset of the FDE */
};

struct build {
	const struct pvp_eh *eh;
	struct pvp_cfa_budget left;
	struct pvp_cie cie;
	bool has_cie;
	uint64_t end; /* of the last function, from the file's base */
	bool failed;
	PV_ARRAY(struct place) places;
	PV_ARRAY(struct pvp_row) rows;
	PV_ARRAY(uint32_t) starts;
};

static void build_finish(struct build *b)
{
	pv_array_finish(&b->places);
	pv_array_finish(&b->rows);
	pv_array_finish(&b->starts);
}

/* ---- places of the functions' entries */

static struct pv_cursor header_of(const struct pvp_eh_part *header, uint8_t ret_encoding[3])
{
	struct pv_cursor c = { .at = header->at, .end = header->at + header->n };
	uint8_t version = header->n ? pv_get_u8(&c) : 0;
	for (int i = 0; i < 3; i++)
		ret_encoding[i] = pv_get_u8(&c);
	c.malformed |= version != HDR_VERSION;
	return c;
}

bool pvp_eh_frames(const struct pvp_eh_part *header, uint64_t *ret_address)
{
	uint8_t encoding[3];
	struct pv_cursor c = header_of(header, encoding);
	return pv_cursor_ok(&c) &&
	       pvp_eh_pointer(&c, encoding[0], header->address + (uint64_t)(c.at - header->at),
		       ret_address);
}

static bool add_place(struct build *b, uint64_t pc, uint64_t at)
{
	if (pc >= b->eh->span || pc > UINT32_MAX || at > UINT32_MAX)
		return true; /* of no use, but no damage either */
	if (!pv_reserve(&b->places, 1))
		return false;
	b->places.v[b->places.n++] = (struct place){ (uint32_t)pc, (uint32_t)at };
	return true;
}

bool pvp_eh_search_table(const struct pvp_eh_part *header, struct pvp_eh_table *ret)
{
	uint8_t encoding[3];
	uint64_t ignored;
	struct pv_cursor c = header_of(header, encoding);
	if (!pv_cursor_ok(&c) || encoding[1] != HDR_COUNT || encoding[2] != HDR_TABLE ||
		!pvp_eh_pointer(&c, encoding[0], 0, &ignored))
		return false;
	ret->n = pv_get_u32(&c);
	ret->at = (size_t)(c.at - header->at);
	return pv_cursor_ok(&c) && ret->n != 0;
}

/* False: no usable search table. */
static bool places_by_header(struct build *b)
{
	const struct pvp_eh_part *h = &b->eh->header;
	struct pvp_eh_table t;
	if (!pvp_eh_search_table(h, &t) || t.n > (h->n - t.at) / 8 || !pv_reserve(&b->places, t.n))
		return false;
	struct pv_cursor c = { .at = h->at + t.at, .end = h->at + h->n };
	for (uint32_t i = 0; i < t.n; i++) {
		uint64_t pc = h->address + (uint64_t)(int64_t)(int32_t)pv_get_u32(&c);
		uint64_t at = h->address + (uint64_t)(int64_t)(int32_t)pv_get_u32(&c);
		add_place(b, pc - b->eh->base, at - b->eh->frames.address);
	}
	return true;
}

/* The CIE of many entries is the same. */
static const struct pvp_cie *cie_at(struct build *b, uint64_t at)
{
	if (!b->has_cie || b->cie.at != at)
		b->has_cie = pvp_cie_read(&b->eh->frames, at, &b->left, &b->cie);
	return b->has_cie ? &b->cie : NULL;
}

static bool places_one_by_one(struct build *b)
{
	const struct pvp_eh_part *f = &b->eh->frames;
	uint64_t cie, next;
	struct pvp_fde fde;
	for (uint64_t at = 0;; at = next) {
		enum pvp_eh_kind kind = pvp_eh_entry(f, at, &cie, &next);
		if (kind == PVP_EH_NONE)
			return true;
		const struct pvp_cie *c = kind == PVP_EH_FDE ? cie_at(b, cie) : NULL;
		if (c && pvp_fde_read(f, at, c, &fde) && !add_place(b, fde.pc - b->eh->base, at))
			return false;
	}
}

static int by_pc(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return x->pc != y->pc ? (x->pc < y->pc ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

/* Search tables should be sorted, but need not be. */
static void sort_places(struct build *b)
{
	size_t i = 1;
	while (i < b->places.n && by_pc(&b->places.v[i - 1], &b->places.v[i]) <= 0)
		i++;
	if (i < b->places.n)
		qsort(b->places.v, b->places.n, sizeof *b->places.v, by_pc);
}

/* ---- rows */

static bool same_rule(const struct pvp_row *a, const struct pvp_row *b)
{
	return a->rule == b->rule && a->cfa == b->cfa && a->fp == b->fp;
}

static bool push(struct build *b, uint64_t pc, struct pvp_row row)
{
	row.pc = (uint32_t)pc;
	size_t n = b->rows.n;
	if (n && b->rows.v[n - 1].pc == row.pc) /* the last row covers no address */
		n = --b->rows.n;
	if (n && same_rule(&b->rows.v[n - 1], &row))
		return true;
	if (n >= MOST_ROWS || !pv_reserve(&b->rows, 1)) {
		b->failed = true;
		return false;
	}
	b->rows.v[b->rows.n++] = row;
	return true;
}

static bool add_cfa_row(void *ctx, uint64_t pc, const struct pvp_cfa *cfa)
{
	struct build *b = ctx;
	return push(b, pc - b->eh->base, pvp_cfa_row(cfa, b->cie.signal));
}

/* Removes rows from `pc` on: of two functions at the same addresses the later counts. */
static void cut_rows(struct build *b, uint64_t pc)
{
	while (b->rows.n && b->rows.v[b->rows.n - 1].pc > pc)
		b->rows.n--;
}

static bool gap(struct build *b, uint64_t pc)
{
	return push(b, pc, (struct pvp_row){ .rule = PVP_RULE_NONE });
}

/* Adds a function. An impossible entry is left out: a gap. */
static void add_function(struct build *b, struct place p)
{
	const struct pvp_eh_part *f = &b->eh->frames;
	uint64_t cie_offset, next;
	struct pvp_fde fde;
	if (pvp_eh_entry(f, p.at, &cie_offset, &next) != PVP_EH_FDE)
		return;
	const struct pvp_cie *cie = cie_at(b, cie_offset);
	if (!cie || !pvp_fde_read(f, p.at, cie, &fde) || fde.pc - b->eh->base != p.pc)
		return;
	uint64_t end = fde.end - b->eh->base;
	if (end > UINT32_MAX || (b->starts.n && b->starts.v[b->starts.n - 1] == p.pc))
		return;
	if ((p.pc > b->end && b->rows.n && !gap(b, b->end)) || !pv_reserve(&b->starts, 1)) {
		b->failed = true;
		return;
	}
	cut_rows(b, p.pc);
	b->starts.v[b->starts.n++] = p.pc;
	if (!pvp_cfa_run(cie, &fde, &b->left, add_cfa_row, b) && !b->failed) {
		cut_rows(b, p.pc);
		push(b, p.pc, (struct pvp_row){ .rule = PVP_RULE_OTHER });
	}
	b->end = end;
}

/* ---- the table */

/* The finest index with no more entries than rows. */
static unsigned shift_for(uint64_t span, size_t rows)
{
	unsigned shift = FINEST;
	while (span >> shift > rows)
		shift++;
	return shift;
}

static void fill_index(struct pvp_unwind_table *t)
{
	uint32_t row = 0;
	for (uint32_t i = 0; i < t->n_index; i++) {
		uint64_t pc = t->rows[0].pc + ((uint64_t)i << t->shift);
		while (row + 1 < t->n && t->rows[row + 1].pc <= pc)
			row++;
		t->index[i] = row;
	}
}

static struct pvp_unwind_table *table_of(const struct build *b)
{
	uint64_t span = b->rows.v[b->rows.n - 1].pc - b->rows.v[0].pc;
	unsigned shift = shift_for(span, b->rows.n);
	size_t n_index = (size_t)(span >> shift) + 1, rows = b->rows.n * sizeof *b->rows.v;
	size_t bytes =
		sizeof(struct pvp_unwind_table) + rows + (n_index + b->starts.n) * sizeof(uint32_t);
	struct pvp_unwind_table *t = malloc(bytes);
	if (!t)
		return NULL;
	t->rows = (struct pvp_row *)(t + 1);
	t->index = (uint32_t *)(t->rows + b->rows.n);
	t->starts = t->index + n_index;
	t->n = (uint32_t)b->rows.n;
	t->n_index = (uint32_t)n_index;
	t->n_starts = (uint32_t)b->starts.n;
	t->shift = shift;
	t->bytes = bytes;
	memcpy(t->rows, b->rows.v, rows);
	memcpy(t->starts, b->starts.v, b->starts.n * sizeof *t->starts);
	fill_index(t);
	return t;
}

struct pvp_unwind_table *pvp_unwind_build(const struct pvp_eh *eh)
{
	struct build b = { .eh = eh, .left = { (uint64_t)eh->frames.n * BUDGET } };
	struct pvp_unwind_table *t = NULL;
	bool found = places_by_header(&b) || places_one_by_one(&b);
	if (found)
		sort_places(&b);
	for (size_t i = 0; found && i < b.places.n && !b.failed && b.left.left; i++)
		add_function(&b, b.places.v[i]);
	if (found && b.rows.n && b.left.left && !b.failed && gap(&b, b.end))
		t = table_of(&b);
	build_finish(&b);
	return t;
}
