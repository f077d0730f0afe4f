/* SPDX-License-Identifier: MIT */
/* Parses entries of .eh_frame and runs their call frame instructions. */
#include "probe/unwind/unwind_cfa.h"

/* Call frame instructions: DWARF 5, 7.24, and GNU's. */
enum {
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0,
	CFA_SET_LOC,
	CFA_ADVANCE1,
	CFA_ADVANCE2,
	CFA_ADVANCE4,
	CFA_OFFSET_EXTENDED,
	CFA_RESTORE_EXTENDED,
	CFA_UNDEFINED,
	CFA_SAME_VALUE,
	CFA_REGISTER,
	CFA_REMEMBER,
	CFA_RESTORE_STATE,
	CFA_DEF,
	CFA_DEF_REGISTER,
	CFA_DEF_OFFSET,
	CFA_DEF_EXPRESSION,
	CFA_EXPRESSION,
	CFA_OFFSET_EXTENDED_SF,
	CFA_DEF_SF,
	CFA_DEF_OFFSET_SF,
	CFA_VAL_OFFSET,
	CFA_VAL_OFFSET_SF,
	CFA_VAL_EXPRESSION,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET = 0x2f
};

enum { RBP = 6, RSP = 7, RA = 16 };
enum { RA_USUAL, RA_END, RA_OTHER }; /* the return address: 8 below the CFA; undefined; elsewhere */

/* Encodings of pointers: Linux Standard Base, 10.5. */
enum {
	PE_FORMAT = 0x0f,
	PE_ABSOLUTE = 0,
	PE_UDATA2 = 2,
	PE_UDATA4 = 3,
	PE_UDATA8 = 4,
	PE_SDATA2 = 0xa,
	PE_SDATA4 = 0xb,
	PE_SDATA8 = 0xc,
	PE_APPLIED = 0x70,
	PE_PC_RELATIVE = 0x10
};

enum { WORD = 8, DEEPEST = 16 /* remembered states */, MOST_LETTERS = 8 /* of an augmentation */ };

bool pvp_eh_pointer(struct pv_cursor *c, uint8_t encoding, uint64_t address, uint64_t *ret)
{
	uint64_t v;
	switch (encoding & PE_FORMAT) {
	case PE_ABSOLUTE:
	case PE_UDATA8:
	case PE_SDATA8:
		v = pv_get_u64(c);
		break;
	case PE_UDATA2:
		v = pv_get_u16(c);
		break;
	case PE_UDATA4:
		v = pv_get_u32(c);
		break;
	case PE_SDATA2:
		v = (uint64_t)(int64_t)(int16_t)pv_get_u16(c);
		break;
	case PE_SDATA4:
		v = (uint64_t)(int64_t)(int32_t)pv_get_u32(c);
		break;
	default:
		return false;
	}
	if ((encoding & ~PE_FORMAT) == PE_PC_RELATIVE)
		v += address;
	else if (encoding & ~PE_FORMAT)
		return false;
	*ret = v;
	return pv_cursor_ok(c);
}

/* ---- entries */

static struct pv_cursor from(const struct pvp_eh_part *p, uint64_t at)
{
	return (struct pv_cursor){ .at = p->at + (at < p->n ? at : p->n), .end = p->at + p->n };
}

/* The address of the cursor's byte. */
static uint64_t address_of(const struct pvp_eh_part *p, const struct pv_cursor *c)
{
	return p->address + (uint64_t)(c->at - p->at);
}

/* The entry's bytes after length and id; the cursor is malformed without an entry. */
static struct pv_cursor open_entry(
	const struct pvp_eh_part *p, uint64_t at, uint32_t *ret_id, uint64_t *ret_id_at)
{
	static const uint32_t reserved = 0xfffffff0; /* and above: lengths of 64 bits */
	struct pv_cursor c = from(p, at), none = { .at = p->at, .end = p->at, .malformed = true };
	uint32_t length = pv_get_u32(&c);
	if (c.short_read || length < sizeof *ret_id || length >= reserved ||
		length > pv_cursor_left(&c))
		return none;
	c.end = c.at + length;
	*ret_id_at = (uint64_t)(c.at - p->at);
	*ret_id = pv_get_u32(&c);
	return c;
}

enum pvp_eh_kind pvp_eh_entry(
	const struct pvp_eh_part *frames, uint64_t at, uint64_t *ret_cie, uint64_t *ret_next)
{
	uint32_t id;
	uint64_t id_at;
	struct pv_cursor c = open_entry(frames, at, &id, &id_at);
	if (c.malformed)
		return PVP_EH_NONE;
	*ret_next = (uint64_t)(c.end - frames->at);
	if (id == 0)
		return PVP_EH_CIE;
	if (id > id_at)
		return PVP_EH_OTHER;
	*ret_cie = id_at - id;
	return PVP_EH_FDE;
}

/* The augmentation string; NULL: cut off, or longer than any known string. */
static const char *letters_of(struct pv_cursor *c)
{
	size_t len, left = pv_cursor_left(c), most = MOST_LETTERS + 1;
	struct pv_cursor near = { .at = c->at, .end = c->at + (left < most ? left : most) };
	const char *letters = pv_get_cstr(&near, &len);
	c->at = near.at;
	return pv_cursor_ok(&near) ? letters : NULL;
}

/* Pointer encodings by the letters of the augmentation. */
static bool read_augmentation(
	const struct pvp_eh_part *p, struct pv_cursor *c, const char *letters, struct pvp_cie *ret)
{
	uint64_t size = pv_get_uleb(c), ignored;
	if (!pv_cursor_ok(c) || size > pv_cursor_left(c))
		return false;
	const uint8_t *end = c->at + size;
	struct pv_cursor a = { .at = c->at, .end = end };
	bool known = true;
	for (const char *l = letters + 1; *l && known; l++) {
		if (*l == 'R')
			ret->encoding = pv_get_u8(&a);
		else if (*l == 'L')
			pv_get_u8(&a);
		else if (*l == 'S')
			ret->signal = true;
		else if (*l == 'P') { /* indirect pointers are skipped alike */
			uint8_t encoding = pv_get_u8(&a);
			known = pvp_eh_pointer(
				&a, encoding & PE_FORMAT, address_of(p, &a), &ignored);
		} else
			known = false; /* unknown: may change anything */
	}
	c->at = end;
	return known && pv_cursor_ok(&a);
}

/* State of a run: a function's addresses, and the receiver of the rows. */
struct run {
	const struct pvp_cie *cie;
	uint64_t pc, end;
	struct pvp_cfa now;
	struct pvp_cfa_budget *left;
	bool (*row)(void *ctx, uint64_t pc, const struct pvp_cfa *cfa);
	void *ctx;
};

static bool run_program(struct run *r, struct pv_cursor *c);

static bool no_row(void *ctx, uint64_t pc, const struct pvp_cfa *cfa)
{
	(void)ctx, (void)pc, (void)cfa;
	return false;
}

bool pvp_cie_read(const struct pvp_eh_part *frames, uint64_t at, struct pvp_cfa_budget *left,
	struct pvp_cie *ret)
{
	uint32_t id;
	uint64_t id_at;
	struct pv_cursor c = open_entry(frames, at, &id, &id_at);
	*ret = (struct pvp_cie){ .at = at, .encoding = PE_ABSOLUTE };
	if (c.malformed || id != 0)
		return false;
	uint8_t version = pv_get_u8(&c);
	const char *letters = letters_of(&c);
	if (!letters || (version != 1 && version != 3))
		return false;
	ret->code_align = pv_get_uleb(&c);
	ret->data_align = pv_get_sleb(&c);
	uint64_t ra = version == 1 ? pv_get_u8(&c) : pv_get_uleb(&c);
	if (!pv_cursor_ok(&c) || ra != RA || (*letters && *letters != 'z') ||
		ret->data_align < -WORD || ret->data_align > WORD || ret->code_align > WORD)
		return false;
	ret->sized = *letters;
	if (ret->sized && !read_augmentation(frames, &c, letters, ret))
		return false;
	ret->first = (struct pvp_cfa){ .special = PVP_RULE_OTHER };
	struct run r = {
		.cie = ret, .end = UINT64_MAX, .now = ret->first, .left = left, .row = no_row
	};
	bool ok = run_program(&r, &c);
	ret->first = r.now;
	return ok;
}

bool pvp_fde_read(const struct pvp_eh_part *frames, uint64_t at, const struct pvp_cie *cie,
	struct pvp_fde *ret)
{
	uint32_t id;
	uint64_t id_at, size;
	struct pv_cursor c = open_entry(frames, at, &id, &id_at);
	if (c.malformed || id == 0 || id > id_at || id_at - id != cie->at)
		return false;
	if (!pvp_eh_pointer(&c, cie->encoding, address_of(frames, &c), &ret->pc) ||
		!pvp_eh_pointer(&c, cie->encoding & PE_FORMAT, 0, &size))
		return false;
	uint64_t more = cie->sized ? pv_get_uleb(&c) : 0;
	if (!pv_cursor_ok(&c) || more > pv_cursor_left(&c) || size > UINT64_MAX - ret->pc)
		return false;
	ret->cie = cie->at;
	ret->end = ret->pc + size;
	ret->program = c.at + more;
	ret->n = (size_t)(c.end - ret->program);
	return size > 0;
}

/* ---- expressions that compilers and linkers write */

enum {
	OP_DEREF = 0x06,
	OP_AND = 0x1a,
	OP_PLUS = 0x22,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70
};

/* rsp + 8 + ((rip & 15) >= N) * 8, written by linkers for stubs; returns N, or -1. */
static int plt_from(const uint8_t *e, size_t n)
{
	static const uint8_t plt[] = { OP_BREG0 + RSP, 8, OP_BREG0 + RA, 0, OP_LIT0 + 15, OP_AND, 0,
		OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS };
	enum { LIMIT = 6 }; /* the place of N */
	if (n != sizeof plt || memcmp(e, plt, LIMIT) != 0 ||
		memcmp(e + LIMIT + 1, plt + LIMIT + 1, n - LIMIT - 1) != 0)
		return -1;
	return e[LIMIT] >= OP_LIT0 && e[LIMIT] < OP_LIT0 + 16 ? e[LIMIT] - OP_LIT0 : -1;
}

/* The word at a register and an offset. */
static bool reads_word_at(const uint8_t *e, size_t n, uint32_t *ret_reg, int64_t *ret_offset)
{
	struct pv_cursor c = { .at = e, .end = e + n };
	uint8_t op = pv_get_u8(&c);
	*ret_offset = pv_get_sleb(&c);
	*ret_reg = (uint32_t)(op - OP_BREG0);
	return (op == OP_BREG0 + RBP || op == OP_BREG0 + RSP) && pv_get_u8(&c) == OP_DEREF &&
	       pv_cursor_ok(&c) && pv_cursor_left(&c) == 0;
}

static void set_expression(struct pvp_cfa *now, const uint8_t *e, size_t n)
{
	int plt = plt_from(e, n);
	uint32_t reg;
	now->special = PVP_RULE_OTHER;
	if (plt >= 0) {
		now->special = PVP_RULE_PLT;
		now->offset = plt;
	} else if (reads_word_at(e, n, &reg, &now->offset)) {
		now->special = reg == RBP ? PVP_RULE_AT_FP : PVP_RULE_AT_SP;
	}
}

/* ---- registers */

static void saved(struct pvp_cfa *now, uint64_t reg, int64_t offset)
{
	if (reg == RBP)
		now->fp = (int8_t)(offset < 0 && offset >= INT8_MIN * WORD && offset % WORD == 0
					   ? offset / WORD
					   : PVP_FP_LOST);
	else if (reg == RA)
		now->ra = offset == -WORD ? RA_USUAL : RA_OTHER;
}

static void restored(struct pvp_cfa *now, uint64_t reg, const struct pvp_cfa *first)
{
	if (reg == RBP)
		now->fp = first->fp;
	else if (reg == RA)
		now->ra = first->ra;
}

static void lost(struct pvp_cfa *now, uint64_t reg)
{
	if (reg == RBP)
		now->fp = PVP_FP_LOST;
	else if (reg == RA)
		now->ra = RA_OTHER;
}

static void saved_by_expression(struct pvp_cfa *now, uint64_t reg, const uint8_t *e, size_t n)
{
	lost(now, reg);
	if (reg == RBP && n == 2 && e[0] == OP_BREG0 + RBP && e[1] == 0)
		now->fp = PVP_FP_AT_FP;
}

static void define_cfa(struct pvp_cfa *now, uint64_t reg, int64_t offset)
{
	now->special = PVP_RULE_NONE;
	now->reg = reg < UINT32_MAX ? (uint32_t)reg : UINT32_MAX;
	now->offset = offset;
}

/* ---- programs */

/* data_align * n without an overflow; what is out of range fits in no row. */
static int64_t scaled(const struct pvp_cie *cie, int64_t n)
{
	enum { MOST = 1 << 30 };
	return n > MOST || n < -MOST ? MOST : n * cie->data_align;
}

/* Written without a sign, and yet below zero here and there in assembly. */
static int64_t as_offset(uint64_t n)
{
	int64_t v = (int64_t)n;
	return v > -INT32_MAX && v < INT32_MAX ? v : INT32_MAX;
}

static int64_t unsigned_scaled(const struct pvp_cie *cie, uint64_t n)
{
	return scaled(cie, as_offset(n));
}

struct states {
	struct pvp_cfa v[DEEPEST];
	unsigned n;
};

/* Runs an instruction that changes rules, not the address. */
static bool change(const struct pvp_cie *cie, uint8_t op, struct pv_cursor *c, struct pvp_cfa *now,
	struct states *kept)
{
	uint64_t reg, n;
	const uint8_t *e;
	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_GNU_ARGS_SIZE:
		pv_get_uleb(c);
		return true;
	case CFA_REMEMBER:
		if (kept->n == DEEPEST)
			return false;
		kept->v[kept->n++] = *now;
		return true;
	case CFA_RESTORE_STATE:
		if (kept->n == 0)
			return false;
		*now = kept->v[--kept->n];
		return true;
	case CFA_DEF_OFFSET:
		now->offset = as_offset(pv_get_uleb(c));
		return true;
	case CFA_DEF_OFFSET_SF:
		now->offset = scaled(cie, pv_get_sleb(c));
		return true;
	case CFA_DEF_EXPRESSION:
		n = pv_get_uleb(c);
		if ((e = pv_get_bytes(c, (size_t)n)))
			set_expression(now, e, (size_t)n);
		return e != NULL;
	default:
		break;
	}
	reg = pv_get_uleb(c); /* all others begin with a register */
	switch (op) {
	case CFA_OFFSET_EXTENDED:
		saved(now, reg, unsigned_scaled(cie, pv_get_uleb(c)));
		break;
	case CFA_OFFSET_EXTENDED_SF:
		saved(now, reg, scaled(cie, pv_get_sleb(c)));
		break;
	case CFA_GNU_NEGATIVE_OFFSET:
		saved(now, reg, -unsigned_scaled(cie, pv_get_uleb(c)));
		break;
	case CFA_RESTORE_EXTENDED:
		restored(now, reg, &cie->first);
		break;
	case CFA_UNDEFINED:
		lost(now, reg);
		if (reg == RA)
			now->ra = RA_END;
		break;
	case CFA_SAME_VALUE:
		lost(now, reg);
		if (reg == RBP)
			now->fp = PVP_FP_KEPT;
		break;
	case CFA_REGISTER:
	case CFA_VAL_OFFSET:
		pv_get_uleb(c);
		lost(now, reg);
		break;
	case CFA_VAL_OFFSET_SF:
		pv_get_sleb(c);
		lost(now, reg);
		break;
	case CFA_DEF:
		define_cfa(now, reg, as_offset(pv_get_uleb(c)));
		break;
	case CFA_DEF_SF:
		define_cfa(now, reg, scaled(cie, pv_get_sleb(c)));
		break;
	case CFA_DEF_REGISTER:
		if (now->special != PVP_RULE_NONE)
			return false; /* there is no offset to go with the register */
		define_cfa(now, reg, now->offset);
		break;
	case CFA_EXPRESSION:
	case CFA_VAL_EXPRESSION:
		n = pv_get_uleb(c);
		if (!(e = pv_get_bytes(c, (size_t)n)))
			return false;
		if (op == CFA_EXPRESSION)
			saved_by_expression(now, reg, e, (size_t)n);
		else
			lost(now, reg);
		break;
	default:
		return false;
	}
	return true;
}

/* Whether the instruction advances the address, and by how many bytes. */
static bool advances(const struct pvp_cie *cie, uint8_t op, struct pv_cursor *c, uint64_t *ret)
{
	uint64_t n;
	switch (op) {
	case CFA_ADVANCE1:
		n = pv_get_u8(c);
		break;
	case CFA_ADVANCE2:
		n = pv_get_u16(c);
		break;
	case CFA_ADVANCE4:
		n = pv_get_u32(c);
		break;
	default:
		if ((op & 0xc0) != CFA_ADVANCE)
			return false;
		n = op & 0x3f;
	}
	*ret = n * cie->code_align;
	return true;
}

/* Runs an instruction; *ret_done: the address leaves the function. */
static bool run_instruction(struct run *r, struct pv_cursor *c, struct states *kept, bool *ret_done)
{
	uint64_t by;
	uint8_t op = pv_get_u8(c);
	if ((op & 0xc0) == CFA_OFFSET) {
		saved(&r->now, op & 0x3f, unsigned_scaled(r->cie, pv_get_uleb(c)));
	} else if ((op & 0xc0) == CFA_RESTORE) {
		restored(&r->now, op & 0x3f, &r->cie->first);
	} else if (advances(r->cie, op, c, &by)) {
		*ret_done = by >= r->end - r->pc;
		if (*ret_done || by == 0)
			return true;
		if (!pv_cursor_ok(c) || !r->row(r->ctx, r->pc, &r->now))
			return false;
		r->pc += by;
	} else {
		return change(r->cie, op, c, &r->now, kept);
	}
	return true;
}

static bool run_program(struct run *r, struct pv_cursor *c)
{
	struct states kept = { .n = 0 };
	bool done = false;
	while (pv_cursor_left(c) > 0 && !done) {
		if (r->left->left == 0)
			return false;
		r->left->left--;
		if (!run_instruction(r, c, &kept, &done) || !pv_cursor_ok(c))
			return false;
	}
	return true;
}

bool pvp_cfa_run(const struct pvp_cie *cie, const struct pvp_fde *fde, struct pvp_cfa_budget *left,
	bool (*row)(void *ctx, uint64_t pc, const struct pvp_cfa *cfa), void *ctx)
{
	struct pv_cursor c = { .at = fde->program, .end = fde->program + fde->n };
	struct run r = { cie, fde->pc, fde->end, cie->first, left, row, ctx };
	return run_program(&r, &c) && row(ctx, r.pc, &r.now);
}

/* ---- as a row */

static bool fits_word(int64_t offset)
{
	return offset % WORD == 0 && offset / WORD >= INT16_MIN && offset / WORD <= INT16_MAX;
}

static uint8_t rule_of(const struct pvp_cfa *c, bool signal)
{
	enum { SAVED_RSP = 160 }; /* in a ucontext: uc_mcontext.gregs[REG_RSP] */
	uint8_t plain = c->reg == RSP ? PVP_RULE_SP : c->reg == RBP ? PVP_RULE_FP : PVP_RULE_OTHER;
	if (signal)
		return c->special == PVP_RULE_AT_SP && c->offset == SAVED_RSP ? PVP_RULE_SIGNAL
									      : PVP_RULE_OTHER;
	if (c->ra != RA_USUAL)
		return c->ra == RA_END ? PVP_RULE_END : PVP_RULE_OTHER;
	if (c->special == PVP_RULE_PLT)
		return PVP_RULE_PLT;
	if (!fits_word(c->offset))
		return PVP_RULE_OTHER;
	return c->special == PVP_RULE_NONE ? plain : c->special;
}

struct pvp_row pvp_cfa_row(const struct pvp_cfa *c, bool signal)
{
	struct pvp_row r = { .rule = rule_of(c, signal), .fp = c->fp };
	if (r.rule == PVP_RULE_SIGNAL || r.rule == PVP_RULE_END || r.rule == PVP_RULE_OTHER)
		r.fp = PVP_FP_KEPT; /* not looked at; equal rows merge */
	else
		r.cfa = (int16_t)(r.rule == PVP_RULE_PLT ? c->offset : c->offset / WORD);
	return r;
}
