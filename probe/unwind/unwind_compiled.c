/* SPDX-License-Identifier: MIT */
/* Frames of methods compiled by .NET: recognizes prologues, helpers' calls and stubs. */
#include "probe/unwind/unwind_compiled.h"

#include <stdatomic.h>
#include <string.h>

#include "probe/unwind/own_memory.h"
#include "probe/unwind/unwind_set.h"

enum {
	WORD = 8,
	CALL = 5,
	JUMP = 12,
	PROLOGUE = 48, /* bytes read */
	KNOWN_BITS = 15,
	KNOWN = 1 << KNOWN_BITS,
	/* Bits of an entry; the others are the address without the bits given by the place: */
	ADDRESS = 32,
	REPLACED = 1,
	LEARNED = 2,
	SURE = 4,   /* prologue understood */
	FRAMED = 8, /* has a frame pointer: words means `saved` */
	RBP = 4,    /* 13 bits from there, */
	WORDS = 17, /* and from there */
	MOST_WORDS = (1 << (WORDS - RBP)) - 1,
	PAGE_BITS = 12,
	STUBS = 1024, /* pages of known stubs */
};

static atomic_uintptr_t runtime;
/* By a hash of the address. What another address has is asked again. */
static _Atomic uint64_t known[KNOWN];

void pvp_unwind_runtime(uintptr_t address)
{
	atomic_store_explicit(&runtime, address, memory_order_relaxed);
}

static _Atomic uint64_t *known_place(uintptr_t pc)
{
	return &known[(pc ^ pc >> KNOWN_BITS) % KNOWN];
}

static bool is_of(uint64_t entry, uintptr_t pc)
{
	return entry >> ADDRESS == pc >> KNOWN_BITS;
}

static void fill_frame(struct pvp_compiled_frame *f, uint64_t entry)
{
	*(entry & FRAMED ? &f->saved : &f->words) = entry >> WORDS & MOST_WORDS;
	f->rbp = entry >> RBP & MOST_WORDS;
}

static int32_t displacement_at(const uint8_t *at)
{
	int32_t d;
	memcpy(&d, at, sizeof d);
	return d;
}

/* ---- calls */

static bool is_runtime(const struct pvp_unwind_set *set, uintptr_t at, uintptr_t own)
{
	bool changed;
	const struct pvp_unwind_module *m = pvp_unwind_module_at(set, at, &changed);
	return m && m == pvp_unwind_module_at(set, own, &changed);
}

/* A call too far for its instruction goes to "mov rax, far; jmp rax" nearby, unlike any method. */
static uintptr_t through_jump(uintptr_t to)
{
	uint8_t jump[JUMP];
	uintptr_t far;
	if (!pvp_memory_read(jump, to, sizeof jump) || memcmp(jump, "\x48\xb8", 2) != 0 ||
		memcmp(jump + 10, "\xff\xe0", 2) != 0)
		return to;
	memcpy(&far, jump + 2, sizeof far);
	return far;
}

/* Compiled methods call only helpers of the runtime directly. */
static bool calls_runtime(
	const struct pvp_unwind_set *set, uintptr_t pc, const uint8_t *call, uintptr_t own)
{
	if (call[0] != 0xe8)
		return false;
	uintptr_t to = pc + (uintptr_t)(intptr_t)displacement_at(call + 1);
	return is_runtime(set, to, own) || is_runtime(set, through_jump(to), own);
}

struct pvp_compiled_frame pvp_unwind_compiled(const struct pvp_unwind_set *set, uintptr_t pc)
{
	struct pvp_compiled_frame f = { .replaced = false };
	uintptr_t own = atomic_load_explicit(&runtime, memory_order_relaxed);
	bool changed;
	uint8_t call[CALL];
	if (!own || !set || pvp_unwind_module_at(set, pc, &changed))
		return f;
	uint64_t entry = atomic_load_explicit(known_place(pc), memory_order_relaxed);
	if (is_of(entry, pc)) {
		f.replaced = entry & REPLACED;
		if (f.replaced == ((entry & FRAMED) != 0))
			fill_frame(&f, entry);
	} else if (pvp_memory_read(call, pc - CALL, CALL)) {
		f.replaced = calls_runtime(set, pc, call, own);
		entry = (uint64_t)pc >> KNOWN_BITS << ADDRESS | f.replaced;
		atomic_store_explicit(known_place(pc), entry, memory_order_relaxed);
	}
	return f;
}

/* ---- prologues */

/* The register pushed by an instruction, in the processor's numbering; -1: not a push. */
static int pushed(const uint8_t *at, unsigned *ret_bytes)
{
	enum { WIDE = 0x41, PUSH = 0x50, REGISTERS = 8 };
	unsigned prefix = at[0] == WIDE;
	unsigned reg = at[prefix] - (unsigned)PUSH;
	*ret_bytes = prefix + 1;
	return reg < REGISTERS ? (int)(reg + prefix * REGISTERS) : -1;
}

/* The distance of rbp above rsp, in bytes, set by the instruction; -1: not set. */
static int64_t sets_rbp(const uint8_t *at)
{
	if (memcmp(at, "\x48\x8d\x6c\x24", 4) == 0) /* lea rbp, [rsp + ...] */
		return at[4];
	if (memcmp(at, "\x48\x8d\xac\x24", 4) == 0)
		return displacement_at(at + 4);
	return memcmp(at, "\x48\x8b\xec", 3) == 0 || memcmp(at, "\x48\x89\xe5", 3) == 0 ? 0 : -1;
}

/* The word above rsp, from 1, into which rbp is stored, after rbx or not; 0: no store. */
static unsigned stores_rbp(const uint8_t *at)
{
	enum { HERE = 4, NEAR = 5, FAR = 8 };
	if (memcmp(at, "\x48\x89\x1c\x24", 4) == 0) /* mov [rsp], rbx */
		at += HERE;
	else if (memcmp(at, "\x48\x89\x5c\x24", 4) == 0)
		at += NEAR;
	else if (memcmp(at, "\x48\x89\x9c\x24", 4) == 0)
		at += FAR;
	if (memcmp(at, "\x48\x89\x2c\x24", 4) == 0)
		return 1;
	if (memcmp(at, "\x48\x89\x6c\x24", 4) == 0)
		return at[4] / WORD + 1;
	if (memcmp(at, "\x48\x89\xac\x24", 4) == 0)
		return (uint32_t)displacement_at(at + 4) / WORD + 1;
	return 0;
}

/*
 * Pages are touched before use, by an amount not read here: lea r11, [rsp - ...], followed by a
 * call of a helper, or test [rsp - ...], some register.
 */
static bool probes_stack(const uint8_t *at)
{
	enum { WIDE = 0x48, TEST = 0x85, FORM = 0x47, MEMORY = 4, RSP = 0x24 };
	const uint8_t *test = at + (at[0] == WIDE);
	return memcmp(at, "\x4c\x8d\x9c\x24", 4) == 0 ||
	       (test[0] == TEST && (test[1] & FORM) == MEMORY && test[2] == RSP);
}

bool pvp_unwind_prologue(const uint8_t *code, unsigned n, struct pvp_compiled_frame *ret)
{
	enum { RBP_NUMBER = 5, LONGEST = 10, STORES = 16 };
	/* vzeroupper; mov r11, rsp */
	bool other = memcmp(code, "\xc5\xf8\x77", 3) == 0 || memcmp(code, "\x4c\x8b\xdc", 3) == 0 ||
		     memcmp(code, "\x49\x89\xe3", 3) == 0;
	unsigned at = other ? 3 : 0, bytes;
	struct pvp_compiled_frame f = { .words = 0 };
	*ret = f;
	for (int reg; at + LONGEST < n && (reg = pushed(code + at, &bytes)) >= 0; at += bytes) {
		f.words++;
		if (reg == RBP_NUMBER && f.rbp)
			return false;
		f.rbp = reg == RBP_NUMBER ? f.words : f.rbp;
	}
	if (at + 2 * LONGEST >= n)
		return false;
	if (memcmp(code + at, "\x48\x83\xec", 3) == 0) { /* sub rsp, ... */
		f.words += code[at + 3] / WORD;
		at += 4;
	} else if (memcmp(code + at, "\x48\x81\xec", 3) == 0) {
		f.words += (uint32_t)displacement_at(code + at + 3) / WORD;
		at += 7;
	}
	if (probes_stack(code + at))
		return false;
	at += memcmp(code + at, "\xc5\xf8\x77", 3) == 0 ? 3 : 0;
	if (f.words == 0 || f.words > MOST_WORDS)
		return false;
	int64_t above = sets_rbp(code + at);
	if (above >= 0 && above / WORD >= MOST_WORDS)
		return false;
	unsigned stored = above < 0 && !f.rbp && at + STORES <= n ? stores_rbp(code + at) : 0;
	if (stored > f.words)
		return false;
	f.rbp = stored ? f.words + 1 - stored : f.rbp;
	*ret = above < 0 ? f : (struct pvp_compiled_frame){ .saved = (unsigned)(above / WORD) + 1 };
	return true;
}

bool pvp_unwind_asks(uintptr_t pc)
{
	uint64_t entry = atomic_load_explicit(known_place(pc), memory_order_relaxed);
	return is_of(entry, pc) && !(entry & LEARNED);
}

/* Replaces the entry by what the prologue says; false: not understood, or code or entry is gone. */
static bool learn_prologue(uintptr_t pc, uintptr_t start, uint64_t entry)
{
	struct pvp_compiled_frame f;
	uint8_t code[PROLOGUE];
	uint64_t flags = is_of(entry, pc) ? entry & REPLACED : 0;
	if (!pvp_memory_read(code, start, sizeof code))
		return false;
	flags |= LEARNED | (pvp_unwind_prologue(code, sizeof code, &f) ? SURE : 0u) |
		 (f.saved ? FRAMED : 0u);
	uint64_t learned = (uint64_t)pc >> KNOWN_BITS << ADDRESS |
			   (uint64_t)(f.saved ? f.saved : f.words) << WORDS |
			   (uint64_t)f.rbp << RBP | flags;
	/* Fails if unlearned meanwhile. */
	return atomic_compare_exchange_strong(known_place(pc), &entry, learned) && flags & SURE;
}

void pvp_unwind_learn(uintptr_t pc, uintptr_t start)
{
	uint64_t entry = atomic_load_explicit(known_place(pc), memory_order_relaxed);
	if (is_of(entry, pc))
		learn_prologue(pc, start, entry);
}

bool pvp_unwind_learn_caller(uintptr_t pc, uintptr_t start)
{
	pvp_unwind_compiled(pvp_unwind_enter(), pc);
	pvp_unwind_leave();
	uint64_t entry = atomic_load_explicit(known_place(pc), memory_order_relaxed);
	return learn_prologue(pc, start, entry);
}

bool pvp_unwind_learned(uintptr_t pc, struct pvp_compiled_frame *ret)
{
	uint64_t entry = atomic_load_explicit(known_place(pc), memory_order_relaxed);
	*ret = (struct pvp_compiled_frame){ .replaced = entry & REPLACED };
	fill_frame(ret, entry);
	return is_of(entry, pc) && entry & SURE;
}

/* ---- stubs */

static _Atomic uintptr_t stubs[STUBS]; /* by page; another page's place is overwritten */

void pvp_unwind_stub(uintptr_t pc)
{
	uintptr_t page = pc >> PAGE_BITS;
	atomic_store_explicit(&stubs[page % STUBS], page, memory_order_relaxed);
}

bool pvp_unwind_is_stub(uintptr_t pc)
{
	uintptr_t page = pc >> PAGE_BITS;
	return page && atomic_load_explicit(&stubs[page % STUBS], memory_order_relaxed) == page;
}

const char *pvp_unwind_stub_name(uintptr_t pc)
{
	enum { PAGE = 1 << PAGE_BITS, LOOK = 256 };
	/* mov [rdi], rsi; ret: the end of the barrier for places outside of the heap. */
	static const uint8_t barrier[] = { 0x48, 0x89, 0x37, 0xc3 };
	uint8_t code[LOOK]; /* stubs begin a page */
	if (pc % PAGE >= LOOK || !pvp_memory_read(code, pc - pc % PAGE, sizeof code) ||
		!memmem(code, sizeof code, barrier, sizeof barrier))
		return "[.NET stub]";
	return "[.NET write barrier]";
}

/* call through a register or memory: ff, and 2 as the middle of the next byte. */
static bool is_indirect(const uint8_t *at, unsigned bytes)
{
	enum { CALLS = 0x38, SECOND = 0x10, SIB = 4, DISP32 = 5, DIRECT = 3 };
	if (at[0] != 0xff || (at[1] & CALLS) != SECOND)
		return false;
	unsigned mod = at[1] >> 6, rm = at[1] & 7;
	unsigned length = 2u + (mod != DIRECT && rm == SIB) +
			  (mod == 1          ? 1u
				  : mod == 2 ? 4u
					     : 0u) +
			  (mod == 0 && rm == DISP32 ? 4u : 0u);
	return length == bytes;
}

bool pvp_unwind_follows_call(uintptr_t pc)
{
	enum { LONGEST = 7 };
	uint8_t code[LONGEST];
	if (!pvp_memory_read(code, pc - LONGEST, sizeof code))
		return false;
	if (code[LONGEST - CALL] == 0xe8)
		return true;
	for (unsigned bytes = 2; bytes <= LONGEST; bytes++)
		if (is_indirect(code + LONGEST - bytes, bytes))
			return true;
	return false;
}

void pvp_unwind_unlearn(void)
{
	for (size_t i = 0; i < STUBS; i++)
		atomic_store_explicit(&stubs[i], 0, memory_order_relaxed);
	for (size_t i = 0; i < KNOWN; i++)
		atomic_store_explicit(&known[i], 0, memory_order_relaxed);
}
