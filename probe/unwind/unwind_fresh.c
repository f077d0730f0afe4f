/* SPDX-License-Identifier: MIT */
/* Finds a single rule in a file's .eh_frame in memory, by the search table. */
#include "probe/unwind/unwind_fresh.h"

#include <string.h>

#include "probe/unwind/own_memory.h"
#include "probe/unwind/unwind_cfa.h"

enum {
	HEADER = 4 + 8 + 4, /* and where .eh_frame is, and how many entries */
	ENTRY = 8,          /* function and FDE, relative to the header */
	BLOCK = 32,         /* entries read at once */
	CIE_MOST = 96,
	BUDGET = 4096 /* instructions */
};

/* Of a file in memory. */
struct fresh {
	uint64_t header, from, to;
	uint64_t table; /* of entries */
	uint32_t n;
};

static bool copy_fresh(const struct fresh *f, uint64_t address, void *to, size_t n)
{
	return address >= f->from && address < f->to && n <= f->to - address &&
	       pvp_memory_read(to, (uintptr_t)address, n);
}

/* The search table. False: there is none of the usual kind. */
static bool find_table(struct fresh *f)
{
	uint8_t bytes[HEADER];
	uint64_t ignored;
	struct pvp_eh_table t;
	if (!copy_fresh(f, f->header, bytes, sizeof bytes))
		return false;
	const struct pvp_eh_part part = { bytes, sizeof bytes, f->header };
	if (!pvp_eh_search_table(&part, &t) || !pvp_eh_frames(&part, &ignored))
		return false;
	f->table = f->header + t.at;
	f->n = t.n;
	return f->table < f->to && t.n <= (f->to - f->table) / ENTRY;
}

static uint64_t relative(const struct fresh *f, const uint8_t *at)
{
	int32_t n;
	memcpy(&n, at, sizeof n);
	return f->header + (uint64_t)(int64_t)n;
}

/* The FDE of the last function beginning at or before pc; 0: none. */
static uint64_t find_entry(const struct fresh *f, uint64_t pc)
{
	uint8_t block[BLOCK * ENTRY];
	uint32_t low = 0, high = f->n;
	while (high - low > BLOCK) {
		uint32_t middle = low + (high - low) / 2;
		if (!copy_fresh(f, f->table + (uint64_t)middle * ENTRY, block, ENTRY))
			return 0;
		if (relative(f, block) <= pc)
			low = middle;
		else
			high = middle;
	}
	uint64_t found = 0;
	if (!copy_fresh(f, f->table + (uint64_t)low * ENTRY, block, (size_t)(high - low) * ENTRY))
		return 0;
	for (uint32_t i = 0; i < high - low && relative(f, block + i * ENTRY) <= pc; i++)
		found = relative(f, block + i * ENTRY + ENTRY / 2);
	return found;
}

/* Reads an entry, length included. Returns the bytes; 0: unreadable, or too long. */
static size_t read_entry(const struct fresh *f, uint64_t address, uint8_t *to, size_t most)
{
	uint32_t length;
	if (!copy_fresh(f, address, &length, sizeof length) || length > most - sizeof length ||
		!copy_fresh(f, address, to, sizeof length + length))
		return 0;
	return sizeof length + length;
}

/* The rule at an address, selected from the rows of a program, which come by address. */
struct wanted {
	uint64_t pc;
	bool signal, found;
	struct pvp_row row;
};

static bool take_cfa_row(void *ctx, uint64_t pc, const struct pvp_cfa *cfa)
{
	struct wanted *w = ctx;
	if (pc > w->pc)
		return true;
	w->row = pvp_cfa_row(cfa, w->signal);
	w->found = true;
	return true;
}

/* Both entries side by side, as the programs of a section have them. */
static bool run_entries(struct pvp_eh_part *part, uint64_t fde_at, uint64_t pc, struct pvp_row *ret)
{
	struct pvp_cfa_budget left = { BUDGET };
	struct pvp_cie cie;
	struct pvp_fde fde;
	if (!pvp_cie_read(part, 0, &left, &cie) || !pvp_fde_read(part, fde_at, &cie, &fde) ||
		pc < fde.pc || pc >= fde.end)
		return false;
	struct wanted w = { .pc = pc, .signal = cie.signal };
	bool ok = pvp_cfa_run(&cie, &fde, &left, take_cfa_row, &w);
	*ret = w.row;
	return ok && w.found;
}

bool pvp_unwind_fresh(uint64_t header, uint64_t from, uint64_t to, uint64_t pc, struct pvp_row *ret)
{
	uint8_t bytes[CIE_MOST + PVP_FRESH_MOST];
	struct fresh f = { .header = header, .from = from, .to = to };
	uint64_t fde = find_table(&f) ? find_entry(&f, pc) : 0;
	uint32_t back, id_at = sizeof back;
	if (!fde || !copy_fresh(&f, fde + id_at, &back, sizeof back))
		return false;
	size_t n = read_entry(&f, fde + id_at - back, bytes, CIE_MOST);
	size_t more = n ? read_entry(&f, fde, bytes + n, sizeof bytes - n) : 0;
	if (more < id_at + sizeof back)
		return false;
	back = (uint32_t)n + id_at; /* to the copy of the CIE */
	memcpy(bytes + n + id_at, &back, sizeof back);
	struct pvp_eh_part part = { bytes, n + more, fde - n };
	return run_entries(&part, n, pc, ret);
}
