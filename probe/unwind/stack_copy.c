/* SPDX-License-Identifier: MIT */
/* Copies the stack of a waiting thread and walks the copy. */
#include "probe/unwind/stack_copy.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/unwind/own_memory.h"
#include "probe/unwind/target.h"

enum { PAGE = 4096, FIRST = 2 * PAGE, WORD = sizeof(uintptr_t) };

static char *room; /* PVP_STACK_MOST bytes, then an unreadable page */

bool pvp_stack_copy_init(void)
{
	if (room)
		return true;
	char *at = mmap(NULL, PVP_STACK_MOST + PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return false;
	if (mprotect(at + PVP_STACK_MOST, PAGE, PROT_NONE) != 0) {
		munmap(at, PVP_STACK_MOST + PAGE);
		return false;
	}
	room = at;
	return true;
}

/* From sp on, as far as there is memory: so many bytes, whole words. */
static size_t copy_stack(char *to, uintptr_t sp, size_t most)
{
	ssize_t n = pvp_memory_some(to, sp, most);
	if (n < 0) /* at least the page of sp */
		n = pvp_memory_some(to, sp, PAGE - sp % PAGE);
	return n > 0 ? (size_t)n / WORD * WORD : 0;
}

/*
 * Makes words that point into the stack point into the copy, so that saved frame pointers lead on
 * in the copy, and from there to stacks not copied.
 */
static void move_pointers(uintptr_t at, size_t n, uintptr_t sp)
{
	uintptr_t *word = (uintptr_t *)at;
	for (size_t i = 0; i < n / WORD; i++)
		if (word[i] - sp < n)
			word[i] = word[i] - sp + at;
}

/* ---- the frame pointer, which is not in the system's file */

enum { LEAST_CODE = 1 << 16, LONGEST_CALL = 7, DIRECT = 5, FARTHEST = 128 /* words above sp */ };

/* The bytes before an address outside of the stack. The system reads them: it may be anything. */
static bool bytes_before(uintptr_t at, const struct pvp_stack_view *v, uint8_t byte[LONGEST_CALL])
{
	return at >= LEAST_CODE && at - v->low >= v->n &&
	       pvp_memory_read(byte, at - LONGEST_CALL, LONGEST_CALL);
}

static bool is_direct_call(const uint8_t byte[LONGEST_CALL])
{
	return byte[LONGEST_CALL - DIRECT] == 0xe8;
}

/* Through a register or memory. */
static bool is_other_call(const uint8_t byte[LONGEST_CALL])
{
	enum { FAR = 0xff, DIGIT = 2 };
	for (unsigned i = 0; i + 2 <= LONGEST_CALL; i++)
		if (byte[i] == FAR && (byte[i + 1] >> 3 & 7) == DIGIT)
			return true;
	return false;
}

/* Whether a call ends at the address. */
static bool is_return(uintptr_t at, const struct pvp_stack_view *v)
{
	uint8_t byte[LONGEST_CALL];
	return bytes_before(at, v, byte) && (is_direct_call(byte) || is_other_call(byte));
}

/* Whether the call that ends at the address may have led into the function around `pc`. */
static bool may_have_called(uintptr_t at, uintptr_t pc, const struct pvp_stack_view *v)
{
	enum { LONGEST = 1 << 20 }; /* bytes of a function */
	uint8_t byte[LONGEST_CALL];
	int32_t by;
	if (!bytes_before(at, v, byte))
		return false;
	memcpy(&by, byte + LONGEST_CALL - sizeof by, sizeof by);
	const uintptr_t to = at + (uintptr_t)(intptr_t)by;
	return (is_direct_call(byte) && pc - to < LONGEST) || is_other_call(byte);
}

/* Whether words `i` and `i + 1` are a saved frame pointer and a return address. */
static bool is_frame(size_t i, const struct pvp_stack_view *v)
{
	const uintptr_t *word = (const uintptr_t *)(const void *)v->bytes;
	return i + 2 <= v->n / WORD && is_return(word[i + 1], v);
}

/*
 * If code with frame pointers calls code without, rbp is the caller's, and the caller's frame is
 * the first above the stack pointer: searches for two frames linked to each other. 0: none.
 */
static uintptr_t first_frame(const struct pvp_stack_view *v)
{
	const uintptr_t *word = (const uintptr_t *)(const void *)v->bytes;
	for (size_t i = 0; i < FARTHEST && i + 2 <= v->n / WORD; i++) {
		uintptr_t at = v->low + i * WORD, up = word[i] - at;
		bool above = up < v->n && up >= 2 * WORD && up % WORD == 0;
		if (above && is_frame(i, v) && is_frame(i + up / WORD, v))
			return at;
	}
	return 0;
}

/* ---- the walk */

/* The copy ends at the end of the room: nothing of an earlier copy follows. */
static struct pvp_stack_view stack_at(uintptr_t sp, size_t most)
{
	char *to = room + PVP_STACK_MOST - most;
	size_t n = copy_stack(to, sp, most);
	memmove(to + most - n, to, n);
	uintptr_t at = (uintptr_t)to + most - n;
	if (!pvp_target)
		move_pointers(at, n, sp);
	return (struct pvp_stack_view){ pvp_target ? sp : at, n, (const uint8_t *)at };
}

static bool has_no_frame(enum pvp_walk_end end)
{
	return end == PVP_WALK_BROKEN || end == PVP_WALK_RULE || end == PVP_WALK_GENERATED ||
	       end == PVP_WALK_NO_TABLE || end == PVP_WALK_NO_ROW;
}

static unsigned walk_by(const struct pvp_stack_view *v, const struct pvp_registers *r, uint64_t *to,
	unsigned frames, struct pvp_walk_stop *ret_stop)
{
	return pvp_target ? pvp_unwind_walk_copy(r, v, to, frames, ret_stop)
			  : pvp_unwind_walk(r, to, frames, ret_stop);
}

/*
 * The walk has stopped in a function that has a frame pointer, whose caller may have none: the
 * frame is the one from which a walk comes to the stack's end. 0: no such.
 */
static unsigned walk_to_end(const struct pvp_stack_view *v, struct pvp_registers r, uint64_t *to,
	unsigned frames, struct pvp_walk_stop *ret_stop)
{
	enum { TRIES = 4 };
	const uintptr_t *word = (const uintptr_t *)(const void *)v->bytes;
	const uintptr_t pc = ret_stop->pc;
	struct pvp_walk_stop stop;
	unsigned tries = 0;
	for (size_t i = 0; i < FARTHEST && i + 2 <= v->n / WORD && tries < TRIES; i++) {
		if (!may_have_called(word[i + 1], pc, v))
			continue;
		tries++;
		r.fp = v->low + i * WORD;
		unsigned n = walk_by(v, &r, to, frames, &stop);
		if (stop.end == PVP_WALK_WHOLE) {
			*ret_stop = stop;
			return n;
		}
	}
	return 0;
}

static unsigned walk_copy(const struct pvp_stack_view *v, struct pvp_registers r, uint64_t *to,
	unsigned frames, struct pvp_walk_stop *ret_stop)
{
	enum { NO_FRAME = 1 }; /* any read through NO_FRAME is refused */
	r.sp = v->low;
	r.fp = NO_FRAME;
	unsigned n = walk_by(v, &r, to, frames, ret_stop);
	if (!has_no_frame(ret_stop->end))
		return n;
	/* Generated code has learned rules, and no calls by which to tell its frame. */
	unsigned whole =
		ret_stop->end == PVP_WALK_GENERATED ? 0 : walk_to_end(v, r, to, frames, ret_stop);
	if (whole)
		return whole;
	r.fp = first_frame(v);
	r.fp = r.fp ? r.fp : NO_FRAME;
	return walk_by(v, &r, to, frames, ret_stop);
}

unsigned pvp_stack_copy_walk(
	uintptr_t pc, uintptr_t sp, uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	const struct pvp_registers r = { .pc = pc };
	size_t some[] = { FIRST, PVP_STACK_MOST };
	unsigned n = 0;
	*ret_stop = (struct pvp_walk_stop){ PVP_WALK_UNREADABLE, pc };
	if (!room || sp % WORD)
		return 0;
	for (unsigned i = 0; i < 2 && ret_stop->end != PVP_WALK_WHOLE; i++) {
		struct pvp_stack_view v = stack_at(sp, some[i]);
		n = v.n ? walk_copy(&v, r, to, most, ret_stop) : 0;
		if (v.n < some[i] || ret_stop->end == PVP_WALK_DEEP)
			break;
	}
	return n;
}
