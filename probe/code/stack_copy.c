#include "probe/code/stack_copy.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/code/own_memory.h"

enum { PAGE = 4096, FIRST = 2 * PAGE, WORD = sizeof(uintptr_t) };

static char *room; /* PVP_STACK_MOST, and after it a page that cannot be read */

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

struct copied {
	uintptr_t at;
	size_t n; /* bytes */
};

/* From sp on, as far as there is memory: so many bytes, whole words. */
static size_t copy(char *to, uintptr_t sp, size_t most)
{
	ssize_t n = pvp_memory_some(to, sp, most);
	if (n < 0) /* at least the page that it is in */
		n = pvp_memory_some(to, sp, PAGE - sp % PAGE);
	return n > 0 ? (size_t)n / WORD * WORD : 0;
}

/* Words that point into the stack point into the copy: saved frame pointers lead on in it. */
static void move_pointers(const struct copied *c, uintptr_t sp)
{
	uintptr_t *word = (uintptr_t *)c->at;
	for (size_t i = 0; i < c->n / WORD; i++)
		if (word[i] - sp < c->n)
			word[i] = word[i] - sp + c->at;
}

/* ---- the frame pointer, which the system does not tell */

/* A call ends there. Read by the system: it may be anything. */
static bool is_return(uintptr_t at, const struct copied *c)
{
	enum { LEAST_CODE = 1 << 16, BEFORE = 7, NEAR = 0xe8, FAR = 0xff, DIGIT = 2 };
	uint8_t byte[BEFORE];
	if (at < LEAST_CODE || at - c->at < c->n || !pvp_memory_read(byte, at - BEFORE, BEFORE))
		return false;
	bool call = byte[BEFORE - 5] == NEAR;
	for (unsigned i = 0; i + 2 <= BEFORE; i++) /* through a register or memory */
		call |= byte[i] == FAR && (byte[i + 1] >> 3 & 7) == DIGIT;
	return call;
}

static bool is_frame(const uintptr_t *at, const struct copied *c)
{
	const uintptr_t left = c->at + c->n - (uintptr_t)at;
	return left >= 2 * WORD && is_return(at[1], c);
}

/*
 * If code with frame pointers calls code without, they are the caller's, and its frame is the
 * first above the stack pointer: two of them that hang together are looked for. 0: there are none.
 */
static uintptr_t first_frame(const struct copied *c)
{
	enum { FARTHEST = 128 };
	const uintptr_t *word = (const uintptr_t *)c->at;
	for (size_t i = 0; i < FARTHEST && i + 2 <= c->n / WORD; i++) {
		uintptr_t up = word[i] - (uintptr_t)(word + i);
		bool above = up < c->n && up >= 2 * WORD && up % WORD == 0;
		if (above && is_frame(word + i, c) && is_frame(word + i + up / WORD, c))
			return (uintptr_t)(word + i);
	}
	return 0;
}

/* ---- the walk */

/* It ends where the room does: nothing of an earlier copy follows it. */
static struct copied stack_at(uintptr_t sp, size_t most)
{
	char *to = room + PVP_STACK_MOST - most;
	size_t n = copy(to, sp, most);
	memmove(to + most - n, to, n);
	struct copied c = { (uintptr_t)to + most - n, n };
	move_pointers(&c, sp);
	return c;
}

static bool has_no_frame(enum pvp_walk_end end)
{
	return end == PVP_WALK_BROKEN || end == PVP_WALK_RULE || end == PVP_WALK_GENERATED ||
	       end == PVP_WALK_NO_TABLE;
}

static unsigned walk(const struct copied *c, struct pvp_registers r, uint64_t *to, unsigned frames,
	struct pvp_walk_stop *ret_stop)
{
	enum { NO_FRAME = 1 }; /* whatever is read by it is refused */
	r.sp = c->at;
	r.fp = NO_FRAME;
	unsigned n = pvp_unwind_walk(&r, to, frames, ret_stop);
	if (has_no_frame(ret_stop->end) && (r.fp = first_frame(c)))
		n = pvp_unwind_walk(&r, to, frames, ret_stop);
	return n;
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
		struct copied c = stack_at(sp, some[i]);
		n = c.n ? walk(&c, r, to, most, ret_stop) : 0;
		if (c.n < some[i] || ret_stop->end == PVP_WALK_DEEP)
			break;
	}
	return n;
}
