/* SPDX-License-Identifier: MIT */
/* Walks the stack of x86-64 by rows, learned prologues and frame pointers, in this order. */
#include "probe/unwind/unwind_walk.h"

#if defined(__x86_64__)

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "probe/unwind/own_memory.h"
#include "probe/unwind/target.h"
#include "probe/unwind/unwind_compiled.h"
#include "probe/unwind/unwind_set.h"

enum {
	PAGE = 4096,
	WORD = 8,
	FARTHEST = 8 << 20,   /* from one frame to the next */
	RED_ZONE = 128,       /* below rsp, a leaf's own: what was popped is still there */
	NEAR = 64 * PAGE,     /* as far every page between is looked at */
	LEAST_CODE = 1 << 16, /* no function lies below */
	MOST_LOCALS = 16 * PAGE,
	MOST_SIGNALS = 8, /* frames of signals in a stack: only they may lead downwards */
	UNKNOWN = 1,
};

/* In a signal's frame: the ucontext at rsp, uc_mcontext.gregs. */
enum { SAVED_RBP = 120, SAVED_RSP = 160, SAVED_RIP = 168 };

/* PVP_WALK_ENDS: not ended */
struct walk {
	const struct pvp_unwind_set *set;
	uintptr_t pc, sp, fp;
	uintptr_t low, high; /* readable pages */
	uintptr_t shift;     /* from a word's address to the copy's */
	bool copied;         /* only low to high was copied */
	unsigned signals;
	uint64_t sure;   /* bits of the set's first 64 files: checked, unchanged */
	bool live;       /* the callers are calls of this thread's, out of a handler */
	uintptr_t fp_at; /* of the last step: as in struct pvp_walked */
	bool exact;      /* pc is an instruction, no return address */
	bool fp_lost;    /* unknown from here on */
	bool no_guess;   /* generated code is walked by what was learned, or not at all */
	struct {
		enum pvp_walk_end end; /* ENDS: the caller is known */
		uintptr_t pc;
	} guess; /* the function below, if this caller is a guess */
	enum pvp_walk_end end;
};

/* Whether words at the address, above the stack pointer, can be read. */
static bool reach(struct walk *w, uintptr_t at)
{
	uintptr_t page = at & ~(uintptr_t)(PAGE - 1);
	if (at >= w->low && at < w->high)
		return true;
	if (w->copied)
		return false;
	if (at < w->high || at - w->high >= NEAR) {
		if (!pvp_readable(page))
			return false;
		w->low = page;
		w->high = page + PAGE;
		return true;
	}
	for (; w->high <= page; w->high += PAGE)
		if (!pvp_readable(w->high))
			return false;
	return true;
}

__attribute__((no_sanitize("address", "thread"))) static uintptr_t word(uintptr_t at)
{
	return *(const uintptr_t *)at;
}

static bool load_word(struct walk *w, uintptr_t at, uintptr_t *ret)
{
	uintptr_t least = w->sp - (w->exact ? RED_ZONE : 0);
	if (at < least || at - least >= FARTHEST || at % WORD) {
		w->end = PVP_WALK_BROKEN;
		return false;
	}
	if (!reach(w, at)) {
		w->end = w->copied ? PVP_WALK_NOT_COPIED : PVP_WALK_UNREADABLE;
		return false;
	}
	*ret = word(at + w->shift);
	return true;
}

static bool stop_walk(struct walk *w, enum pvp_walk_end end)
{
	w->end = end;
	return false;
}

/* ---- a step; false: w->end has the reason */

static bool to_caller(struct walk *w, uintptr_t cfa, uintptr_t fp, bool fp_lost)
{
	uintptr_t pc;
	if (cfa <= w->sp || !load_word(w, cfa - WORD, &pc))
		return w->end != PVP_WALK_ENDS ? false : stop_walk(w, PVP_WALK_BROKEN);
	if (pc < LEAST_CODE)
		return stop_walk(w, pc ? PVP_WALK_BROKEN : PVP_WALK_WHOLE);
	w->pc = pc;
	w->sp = cfa;
	w->fp = fp;
	w->fp_lost = fp_lost;
	w->exact = false;
	w->guess.end = PVP_WALK_ENDS;
	return true;
}

static bool by_signal(struct walk *w)
{
	uintptr_t pc, sp, fp;
	if (w->signals++ >= MOST_SIGNALS)
		return stop_walk(w, PVP_WALK_BROKEN);
	if (!load_word(w, w->sp + SAVED_RBP, &fp) || !load_word(w, w->sp + SAVED_RSP, &sp) ||
		!load_word(w, w->sp + SAVED_RIP, &pc))
		return false;
	if (pc < LEAST_CODE)
		return stop_walk(w, PVP_WALK_BROKEN);
	w->pc = pc;
	w->sp = sp;
	w->fp = fp;
	w->fp_lost = false;
	w->exact = true;
	w->guess.end = PVP_WALK_ENDS;
	if (!w->copied)
		w->low = w->high = 0; /* may be another stack */
	return true;
}

static bool cfa_of(struct walk *w, const struct pvp_row *r, uintptr_t *ret)
{
	enum { STUB = 16 };
	uintptr_t off = (uintptr_t)(intptr_t)r->cfa * WORD;
	if ((r->rule == PVP_RULE_FP || r->rule == PVP_RULE_AT_FP) && w->fp_lost)
		return stop_walk(w, PVP_WALK_RULE);
	switch (r->rule) {
	case PVP_RULE_SP:
		*ret = w->sp + off;
		return true;
	case PVP_RULE_FP:
		*ret = w->fp + off;
		return true;
	case PVP_RULE_AT_SP:
		return load_word(w, w->sp + off, ret);
	case PVP_RULE_AT_FP:
		return load_word(w, w->fp + off, ret);
	case PVP_RULE_PLT:
		*ret = w->sp + WORD + ((w->pc % STUB) >= (uintptr_t)r->cfa ? WORD : 0);
		return true;
	default:
		return stop_walk(w, PVP_WALK_RULE);
	}
}

static bool by_row(struct walk *w, const struct pvp_row *r)
{
	uintptr_t cfa, fp = w->fp;
	bool lost = w->fp_lost || r->fp == PVP_FP_LOST;
	if (r->rule == PVP_RULE_END)
		return stop_walk(w, PVP_WALK_WHOLE);
	if (r->rule == PVP_RULE_SIGNAL)
		return by_signal(w);
	if (!cfa_of(w, r, &cfa))
		return false;
	uintptr_t fp_at = 0;
	if (r->fp < 0)
		fp_at = cfa + (uintptr_t)(intptr_t)r->fp * WORD;
	else if (r->fp == PVP_FP_AT_FP && !w->fp_lost)
		fp_at = w->fp;
	/* Below rsp, where nothing is copied: already popped into rbp. */
	if (fp_at && !(w->copied && fp_at < w->sp) && !load_word(w, fp_at, &fp))
		return false;
	lost &= r->fp >= 0;
	if (r->rule != PVP_RULE_AT_SP && r->rule != PVP_RULE_AT_FP)
		w->fp_at = fp_at; /* no other word was read but the return address */
	return to_caller(w, cfa, fp, lost);
}

/*
 * Before a function has made its frame, and after it has given the frame up, rbp is the caller's:
 * seen by the instruction. *ret_pushed: words on the stack above the return address.
 */
__attribute__((no_sanitize("address", "thread"))) static bool frameless(
	const struct walk *w, unsigned *ret_pushed)
{
	enum { PUSH_RBP = 0x55, RET = 0xc3, LONGEST = 3 };
	const uint8_t *at = (const uint8_t *)w->pc;
	uint8_t there[1 + LONGEST];
	*ret_pushed = 0;
	/* All on the running page. */
	if (!w->exact || w->pc % PAGE < 1 || w->pc % PAGE > PAGE - LONGEST ||
		!(pvp_target ? pvp_memory_read(there, w->pc - 1, sizeof there)
			     : pvp_readable(w->pc)))
		return false;
	at = pvp_target ? there + 1 : at;
	if (at[0] == PUSH_RBP || at[0] == RET)
		return true;
	*ret_pushed = 1;
	return at[-1] == PUSH_RBP && (memcmp(at, "\x48\x8b\xec", LONGEST) == 0 ||
					     memcmp(at, "\x48\x89\xe5", LONGEST) == 0);
}

/*
 * If the return address is not this frame's but the replaced code's, the frame left has saved the
 * same rbp, followed by its own return address: at a known place, else at the first match, which
 * may stem from an earlier call. Else *ret_cfa stays.
 */
static bool past_replaced(struct walk *w, uintptr_t fp, uintptr_t *ret_cfa)
{
	uintptr_t cfa = *ret_cfa, pc, saved;
	if (!load_word(w, cfa - WORD, &pc))
		return false;
	struct pvp_compiled_frame f = pvp_unwind_compiled(w->set, pc);
	if (!f.replaced)
		return true;
	uintptr_t from = f.saved ? cfa + (f.saved - 1) * WORD : cfa;
	for (uintptr_t at = from; at < fp && at - cfa < MOST_LOCALS; at += WORD) {
		if (!load_word(w, at, &saved))
			return false;
		if (saved != fp)
			continue;
		*ret_cfa = at + 2 * WORD;
		return true;
	}
	return true;
}

/* By the words that the prologue has put on the stack. */
static bool by_prologue(struct walk *w, const struct pvp_compiled_frame *f)
{
	uintptr_t fp = w->fp, cfa = w->sp + (f->words + 1) * WORD;
	if (f->rbp && !load_word(w, cfa - (f->rbp + 1) * WORD, &fp))
		return false;
	return to_caller(w, cfa, fp, w->fp_lost && !f->rbp);
}

/*
 * A stub of the runtime, or a leaf without a frame: at most a word on the stack, then the return
 * address. False: neither.
 */
static bool by_call_below(struct walk *w)
{
	enum { MOST_WORDS = 2 };
	uintptr_t pc;
	for (unsigned i = 0; i < MOST_WORDS; i++)
		if (load_word(w, w->sp + i * WORD, &pc) && pc >= LEAST_CODE &&
			pvp_unwind_follows_call(pc))
			return to_caller(w, w->sp + (i + 1) * WORD, w->fp, w->fp_lost);
	w->end = PVP_WALK_ENDS;
	return false;
}

static bool by_frame_pointer(struct walk *w)
{
	uintptr_t fp = w->fp, cfa = w->fp + 2 * WORD;
	unsigned pushed;
	struct pvp_compiled_frame f = { .words = 0 };
	if (w->exact && pvp_unwind_is_stub(w->pc) && by_call_below(w))
		return true;
	if (!w->exact)
		f = pvp_unwind_compiled(w->set, w->pc);
	if (f.words && !f.replaced)
		return by_prologue(w, &f);
	if (frameless(w, &pushed)) {
		if (pushed && !load_word(w, w->sp, &fp))
			return false;
		return to_caller(w, w->sp + WORD + pushed * WORD, fp, w->fp_lost && !pushed);
	}
	if (w->fp_lost)
		return stop_walk(w, PVP_WALK_BROKEN);
	if (w->fp == 0)
		return stop_walk(w, PVP_WALK_WHOLE); /* as the system starts a thread */
	return load_word(w, w->fp, &fp) && past_replaced(w, fp, &cfa) &&
	       to_caller(w, cfa, fp, false);
}

/* A caller in generated code, whose prologue was understood. */
static bool by_learned(struct walk *w)
{
	struct pvp_compiled_frame f;
	uintptr_t at = w->fp, fp = w->fp, pc;
	if (w->exact || !pvp_unwind_learned(w->pc, &f))
		return stop_walk(w, PVP_WALK_GENERATED);
	if (f.words) {
		uintptr_t cfa = w->sp + (f.words + 1) * WORD;
		at = f.rbp ? cfa - (f.rbp + 1) * WORD : 0;
		if ((at && !load_word(w, at, &fp)) || !to_caller(w, cfa, fp, w->fp_lost && !at))
			return false;
	} else {
		if (w->fp_lost || !load_word(w, at, &fp) || !load_word(w, at + WORD, &pc) ||
			pvp_unwind_compiled(w->set, pc).replaced ||
			!to_caller(w, at + 2 * WORD, fp, false))
			return w->end != PVP_WALK_ENDS ? false : stop_walk(w, PVP_WALK_BROKEN);
	}
	w->fp_at = at;
	w->live = false; /* callers are as sure as what was read in the prologue */
	return true;
}

static void guessed(struct walk *w, enum pvp_walk_end why, uintptr_t pc)
{
	w->guess.end = why;
	w->guess.pc = pc;
}

/* By an unchecked rbp: `why` is the reason if this leads nowhere, now or in the next step. */
static bool without_table(struct walk *w, enum pvp_walk_end why)
{
	uintptr_t pc = w->pc - !w->exact;
	if (!by_frame_pointer(w) && !(w->exact && by_call_below(w))) {
		/* A chain may end in 0; a single 0 is what this code keeps in rbp. */
		if (w->guess.end == PVP_WALK_ENDS)
			w->end = why;
		return false;
	}
	guessed(w, why, pc);
	return true;
}

/* A stub, which some linkers do not describe: accepted if the caller is in a file. */
static bool by_stub(struct walk *w)
{
	bool ignored;
	const struct walk before = *w;
	if (to_caller(w, w->sp + WORD, w->fp, w->fp_lost) &&
		pvp_unwind_module_at(w->set, w->pc, &ignored)) {
		guessed(w, PVP_WALK_NO_ROW, before.pc);
		return true;
	}
	*w = before;
	return false;
}

/* Runtimes have code in files with a frame pointer and no row, some programs have nothing else. */
static bool without_row(struct walk *w)
{
	const bool framed = !w->exact || w->fp >= w->sp;
	if (w->exact && !w->no_guess && !(w->copied && framed) && by_stub(w))
		return true;
	return framed && (w->copied || !w->no_guess) ? without_table(w, PVP_WALK_NO_ROW)
						     : stop_walk(w, PVP_WALK_NO_ROW);
}

/* NULL: no file, or *ret_changed: not in the set. */
static const struct pvp_unwind_module *file_at(struct walk *w, uintptr_t pc, bool *ret_changed)
{
	const struct pvp_unwind_module *m = pvp_unwind_module_at(w->set, pc, ret_changed);
	size_t i = m ? (size_t)(m - w->set->v) : 0;
	uint64_t bit = i < 64 ? UINT64_C(1) << i : 0;
	if (!m || *ret_changed || w->sure & bit)
		return m;
	*ret_changed = !pvp_unwind_is_there(m, w->live);
	w->sure |= *ret_changed ? 0 : bit;
	return m;
}

static bool walk_step(struct walk *w)
{
	bool changed = false;
	struct pvp_row now;
	w->fp_at = UNKNOWN;
	uintptr_t pc = w->pc - !w->exact;
	const struct pvp_unwind_module *m = w->set ? file_at(w, pc, &changed) : NULL;
	bool untabled = m && !m->table && m->header; /* too large, or gone during building */
	if ((changed || untabled) && pvp_unwind_row_now(pc, &now))
		return by_row(w, &now);
	if (changed)
		return stop_walk(w, PVP_WALK_CHANGED);
	if (w->no_guess && (!m || !m->table)) /* also code compiled into a file */
		return by_learned(w);
	if (!m || !m->table)
		return without_table(w, m ? PVP_WALK_NO_TABLE : PVP_WALK_GENERATED);
	const struct pvp_row *r = pvp_unwind_find(m->table, pc - m->from);
	return r && r->rule != PVP_RULE_NONE ? by_row(w, r) : without_row(w);
}

/* Whether a guessed caller led nowhere. */
static bool misled(const struct walk *w)
{
	return w->guess.end != PVP_WALK_ENDS && w->end != PVP_WALK_ENDS &&
	       w->end != PVP_WALK_WHOLE && w->end != PVP_WALK_CHANGED && w->end != PVP_WALK_RULE;
}

static struct walk begin_walk(const struct pvp_registers *at)
{
	return (struct walk){ .set = pvp_unwind_enter(),
		.pc = at->pc,
		.sp = at->sp,
		.fp = at->fp,
		.exact = !at->called,
		.live = at->called,
		.guess.end = PVP_WALK_ENDS,
		.end = PVP_WALK_ENDS };
}

/* How many frames of n are true. */
static unsigned end_walk(const struct walk *w, unsigned n, struct pvp_walk_stop *ret_stop)
{
	pvp_unwind_leave();
	*ret_stop = (struct pvp_walk_stop){ w->end == PVP_WALK_ENDS ? PVP_WALK_DEEP : w->end,
		w->pc - !w->exact };
	if (!misled(w))
		return n;
	*ret_stop = (struct pvp_walk_stop){ w->guess.end, w->guess.pc };
	return n - (n > 0);
}

static unsigned walk_on(struct walk *w, uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	int before = errno;
	unsigned n = 0;
	while (n < most && walk_step(w))
		to[n++] = w->pc + w->exact;
	n = end_walk(w, n, ret_stop);
	errno = before;
	return n;
}

unsigned pvp_unwind_walk(
	const struct pvp_registers *at, uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	struct walk w = begin_walk(at);
	return walk_on(&w, to, most, ret_stop);
}

unsigned pvp_unwind_walk_copy(const struct pvp_registers *at, const struct pvp_stack_view *v,
	uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	struct walk w = begin_walk(at);
	w.copied = true;
	w.low = v->low;
	w.high = v->low + v->n;
	w.shift = (uintptr_t)v->bytes - v->low;
	return walk_on(&w, to, most, ret_stop);
}

static bool in_file(const struct walk *w)
{
	bool changed = false; /* a file unknown to the set counts, too */
	return w->set && (pvp_unwind_module_at(w->set, w->pc - !w->exact, &changed) || changed);
}

unsigned pvp_unwind_walk_files(const struct pvp_registers *at, uint64_t *to, unsigned most)
{
	int before = errno;
	unsigned n = 0;
	struct pvp_walk_stop ignored;
	struct walk w = begin_walk(at);
	/* A file without a table has code compiled by a runtime, with anything in rbp. */
	while (n < most && in_file(&w) && walk_step(&w) && w.guess.end != PVP_WALK_NO_TABLE &&
		in_file(&w))
		to[n++] = w.pc + w.exact;
	n = end_walk(&w, n, &ignored);
	errno = before;
	return n;
}

/* ---- with the walk before in mind */

extern void *__libc_stack_end __attribute__((weak));

/*
 * The pages from sp to the end of the stack that the system gave the thread: glibc keeps the
 * thread's record at the upper end of stacks made by glibc. No other mapping lies near the first
 * thread's stack. Readable pages stay so as long as the thread lives.
 */
static void know_own_stack(struct walk *w, struct pvp_walk_memory *m)
{
	uintptr_t page = w->sp & ~(uintptr_t)(PAGE - 1), top = (uintptr_t)pthread_self();
	uintptr_t first = &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;
	if (w->sp < first && first - w->sp < FARTHEST)
		top = first;
	top &= ~(uintptr_t)(PAGE - 1);
	if (page > top || top - page >= FARTHEST)
		return; /* a stack made by the program */
	if (m->high != top + PAGE) {
		m->low = top;
		m->high = top + PAGE;
	}
	for (uintptr_t at = m->low; at > page; at -= PAGE)
		if (m->low - page > NEAR || !pvp_readable(at - PAGE))
			return;
	m->low = page < m->low ? page : m->low;
	w->low = m->low;
	w->high = m->high;
}

static bool plain(const struct walk *w)
{
	return !w->exact && !w->fp_lost && w->guess.end == PVP_WALK_ENDS;
}

static inline bool word_is(struct walk *w, uintptr_t at, uintptr_t value)
{
	bool near = at >= w->low && at < w->high;
	return at != UNKNOWN && (near || reach(w, at)) && word(at) == value;
}

/* Whether the words that lead to the next frame are unchanged. */
static inline bool leads_on(struct walk *w, const struct pvp_walked *f)
{
	return f[1].pc && word_is(w, f[1].sp - WORD, f[1].pc) &&
	       (!f->fp_at || word_is(w, f->fp_at, f[1].fp));
}

/* A walk, and the frames met, for the next walk. */
struct again {
	struct walk w;
	const struct pvp_walked *before;
	unsigned before_n;
	unsigned at; /* in the memory: lower frames are over */
	unsigned n;  /* met */
	struct pvp_walked *met;
};

static void note_frames(struct again *a, const struct pvp_walked *f, unsigned n)
{
	unsigned room = PVP_WALK_KEPT - a->n;
	n = n < room ? n : room;
	memcpy(a->met + a->n, f, n * sizeof *f);
	a->n += n;
}

/* Whether the present frame was met before. */
static bool known_frame(struct again *a)
{
	const struct walk *w = &a->w;
	while (a->at < a->before_n && a->before[a->at].sp < w->sp)
		a->at++;
	const struct pvp_walked *f = &a->before[a->at];
	return a->at < a->before_n && f->pc == w->pc && f->sp == w->sp && f->fp == w->fp &&
	       plain(w);
}

/* Follows known frames while they are unchanged; returns the number of callers. */
static unsigned follow_known(struct again *a, uint64_t *to, unsigned most)
{
	const struct pvp_walked *first = &a->before[a->at], *f = first;
	const struct pvp_walked *last = &a->before[a->before_n - 1];
	unsigned n = 0;
	for (; n < most && f < last && leads_on(&a->w, f); f++)
		to[n++] = f[1].pc;
	note_frames(a, first, n);
	a->w.live &= !n || !a->w.no_guess; /* may include generated code */
	a->at += n;
	a->w.pc = f->pc;
	a->w.sp = f->sp;
	a->w.fp = f->fp;
	return n;
}

static unsigned walk_again(struct again *a, uint64_t *to, unsigned most)
{
	struct walk *w = &a->w;
	unsigned n = 0;
	for (bool more = true; more;) {
		if (known_frame(a))
			n += follow_known(a, to + n, most - n);
		struct pvp_walked f = { plain(w) ? w->pc : 0, w->sp, w->fp, UNKNOWN };
		more = n < most && walk_step(w);
		if (more) {
			f.fp_at = w->fp_at;
			to[n++] = w->pc + w->exact;
		}
		note_frames(a, &f, 1);
	}
	return n;
}

unsigned pvp_unwind_walk_again(const struct pvp_registers *at, struct pvp_walk_memory *m,
	uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	int before = errno;
	struct again a = {
		.w = begin_walk(at), .before = m->frame[m->newer], .met = m->frame[!m->newer]
	};
	const struct pvp_unwind_set *set = a.w.set;
	if (!set || set->number != m->set)
		m->n = 0;
	m->set = set ? set->number : 0;
	a.w.no_guess = m->no_guess;
	know_own_stack(&a.w, m);
	a.before_n = m->n;
	unsigned n = walk_again(&a, to, most);
	m->newer = !m->newer;
	m->n = a.n;
	n = end_walk(&a.w, n, ret_stop);
	errno = before;
	return n;
}

#endif
