#include "probe/code/unwind_walk.h"

#if defined(__x86_64__)

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "probe/code/unwind_compiled.h"
#include "probe/code/unwind_set.h"

enum {
	PAGE = 4096,
	WORD = 8,
	FARTHEST = 8 << 20,   /* from one frame to the next */
	RED_ZONE = 128,       /* below rsp, a leaf's own: what was popped is still there */
	NEAR = 64 * PAGE,     /* as far every page between is looked at */
	LEAST_CODE = 1 << 16, /* no function lies below */
	MOST_LOCALS = 16 * PAGE,
	MOST_SIGNALS = 8, /* frames of signals in one stack: only they may lead downwards */
	UNKNOWN = 1,
};

/* In a signal's frame: the ucontext at rsp, uc_mcontext.gregs. */
enum { SAVED_RBP = 120, SAVED_RSP = 160, SAVED_RIP = 168 };

/* PVP_WALK_ENDS: not ended */
struct walk {
	const struct pvp_unwind_set *set;
	uintptr_t pc, sp, fp;
	uintptr_t low, high; /* pages that can be read */
	unsigned signals;
	uint64_t sure;   /* of the set's first 64 files those that are as it knows them */
	bool live;       /* the callers are calls of this thread's, out of a handler */
	uintptr_t fp_at; /* of the last step: as in struct pvp_walked */
	bool exact;      /* pc is an instruction, no return address */
	bool fp_lost;    /* unknown from here on */
	struct {
		enum pvp_walk_end end; /* ENDS: its caller is known */
		uintptr_t pc;
	} guess; /* the function below, if this one is its caller by a guess */
	enum pvp_walk_end end;
};

/* Words of the stack, upwards of its pointer. */
static bool reach(struct walk *w, uintptr_t at)
{
	uintptr_t page = at & ~(uintptr_t)(PAGE - 1);
	if (at >= w->low && at < w->high)
		return true;
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

static bool load(struct walk *w, uintptr_t at, uintptr_t *ret)
{
	uintptr_t least = w->sp - (w->exact ? RED_ZONE : 0);
	if (at < least || at - least >= FARTHEST || at % WORD) {
		w->end = PVP_WALK_BROKEN;
		return false;
	}
	if (!reach(w, at)) {
		w->end = PVP_WALK_UNREADABLE;
		return false;
	}
	*ret = word(at);
	return true;
}

static bool stop(struct walk *w, enum pvp_walk_end end)
{
	w->end = end;
	return false;
}

/* ---- one step; false: w->end says why there is none */

static bool to_caller(struct walk *w, uintptr_t cfa, uintptr_t fp, bool fp_lost)
{
	uintptr_t pc;
	if (cfa <= w->sp || !load(w, cfa - WORD, &pc))
		return w->end != PVP_WALK_ENDS ? false : stop(w, PVP_WALK_BROKEN);
	if (pc < LEAST_CODE)
		return stop(w, pc ? PVP_WALK_BROKEN : PVP_WALK_WHOLE);
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
		return stop(w, PVP_WALK_BROKEN);
	if (!load(w, w->sp + SAVED_RBP, &fp) || !load(w, w->sp + SAVED_RSP, &sp) ||
		!load(w, w->sp + SAVED_RIP, &pc))
		return false;
	if (pc < LEAST_CODE)
		return stop(w, PVP_WALK_BROKEN);
	w->pc = pc;
	w->sp = sp;
	w->fp = fp;
	w->fp_lost = false;
	w->exact = true;
	w->guess.end = PVP_WALK_ENDS;
	w->low = w->high = 0; /* it may be another stack */
	return true;
}

static bool cfa_of(struct walk *w, const struct pvp_row *r, uintptr_t *ret)
{
	enum { STUB = 16 };
	uintptr_t off = (uintptr_t)(intptr_t)r->cfa * WORD;
	if ((r->rule == PVP_RULE_FP || r->rule == PVP_RULE_AT_FP) && w->fp_lost)
		return stop(w, PVP_WALK_RULE);
	switch (r->rule) {
	case PVP_RULE_SP:
		*ret = w->sp + off;
		return true;
	case PVP_RULE_FP:
		*ret = w->fp + off;
		return true;
	case PVP_RULE_AT_SP:
		return load(w, w->sp + off, ret);
	case PVP_RULE_AT_FP:
		return load(w, w->fp + off, ret);
	case PVP_RULE_PLT:
		*ret = w->sp + WORD + ((w->pc % STUB) >= (uintptr_t)r->cfa ? WORD : 0);
		return true;
	default:
		return stop(w, PVP_WALK_RULE);
	}
}

static bool by_row(struct walk *w, const struct pvp_row *r)
{
	uintptr_t cfa, fp = w->fp;
	bool lost = w->fp_lost || r->fp == PVP_FP_LOST;
	if (r->rule == PVP_RULE_END)
		return stop(w, PVP_WALK_WHOLE);
	if (r->rule == PVP_RULE_SIGNAL)
		return by_signal(w);
	if (!cfa_of(w, r, &cfa))
		return false;
	uintptr_t fp_at = 0;
	if (r->fp < 0)
		fp_at = cfa + (uintptr_t)(intptr_t)r->fp * WORD;
	else if (r->fp == PVP_FP_AT_FP && !w->fp_lost)
		fp_at = w->fp;
	if (fp_at && !load(w, fp_at, &fp))
		return false;
	lost &= r->fp >= 0;
	if (r->rule != PVP_RULE_AT_SP && r->rule != PVP_RULE_AT_FP)
		w->fp_at = fp_at; /* no other word was read but the return address */
	return to_caller(w, cfa, fp, lost);
}

/*
 * Before a function has made its frame and after it has given it up, rbp is its caller's: seen by
 * its instruction. *ret_pushed: words on the stack above the return address.
 */
__attribute__((no_sanitize("address", "thread"))) static bool frameless(
	const struct walk *w, unsigned *ret_pushed)
{
	enum { PUSH_RBP = 0x55, RET = 0xc3, LONGEST = 3 };
	const uint8_t *at = (const uint8_t *)w->pc;
	*ret_pushed = 0;
	/* All within the page that runs. */
	if (!w->exact || w->pc % PAGE < 1 || w->pc % PAGE > PAGE - LONGEST || !pvp_readable(w->pc))
		return false;
	if (at[0] == PUSH_RBP || at[0] == RET)
		return true;
	*ret_pushed = 1;
	return at[-1] == PUSH_RBP && (memcmp(at, "\x48\x8b\xec", LONGEST) == 0 ||
					     memcmp(at, "\x48\x89\xe5", LONGEST) == 0);
}

/*
 * If the return address is none of this frame's, the frame that was left has saved the same rbp,
 * with its own return address after it: at a known place, else at the first that is looked at,
 * which may be left from an earlier call. Else *ret_cfa stays.
 */
static bool past_replaced(struct walk *w, uintptr_t fp, uintptr_t *ret_cfa)
{
	uintptr_t cfa = *ret_cfa, pc, saved;
	if (!load(w, cfa - WORD, &pc))
		return false;
	struct pvp_compiled_frame f = pvp_unwind_compiled(w->set, pc);
	if (!f.replaced)
		return true;
	uintptr_t from = f.saved ? cfa + (f.saved - 1) * WORD : cfa;
	for (uintptr_t at = from; at < fp && at - cfa < MOST_LOCALS; at += WORD) {
		if (!load(w, at, &saved))
			return false;
		if (saved != fp)
			continue;
		*ret_cfa = at + 2 * WORD;
		return true;
	}
	return true;
}

/* By the words that its prologue has put on the stack. */
static bool by_prologue(struct walk *w, const struct pvp_compiled_frame *f)
{
	uintptr_t fp = w->fp, cfa = w->sp + (f->words + 1) * WORD;
	if (f->rbp && !load(w, cfa - (f->rbp + 1) * WORD, &fp))
		return false;
	return to_caller(w, cfa, fp, w->fp_lost && !f->rbp);
}

/*
 * A stub of the runtime's, or a leaf without a frame: one word on the stack at most, then the return
 * address. False: it is another.
 */
static bool by_call_below(struct walk *w)
{
	enum { MOST_WORDS = 2 };
	uintptr_t pc;
	for (unsigned i = 0; i < MOST_WORDS; i++)
		if (load(w, w->sp + i * WORD, &pc) && pc >= LEAST_CODE &&
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
		if (pushed && !load(w, w->sp, &fp))
			return false;
		return to_caller(w, w->sp + WORD + pushed * WORD, fp, w->fp_lost && !pushed);
	}
	if (w->fp_lost)
		return stop(w, PVP_WALK_BROKEN);
	if (w->fp == 0)
		return stop(w, PVP_WALK_WHOLE); /* as the system starts a thread */
	return load(w, w->fp, &fp) && past_replaced(w, fp, &cfa) && to_caller(w, cfa, fp, false);
}

static void guessed(struct walk *w, enum pvp_walk_end why, uintptr_t pc)
{
	w->guess.end = why;
	w->guess.pc = pc;
}

/* By rbp, of which nothing is known: `why` is the reason if it leads nowhere, now or in the next step. */
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

/* A stub that some linkers do not describe; if it is one, a file called it. */
static bool by_stub(struct walk *w)
{
	bool ignored;
	uintptr_t pc = w->pc;
	if (!w->exact)
		return stop(w, PVP_WALK_NO_ROW);
	if (!to_caller(w, w->sp + WORD, w->fp, w->fp_lost) ||
		!pvp_unwind_module_at(w->set, w->pc, &ignored)) {
		w->pc = pc;
		w->exact = true;
		return stop(w, PVP_WALK_NO_ROW);
	}
	guessed(w, PVP_WALK_NO_ROW, pc);
	return true;
}

/* NULL: no file, or *ret_changed: it is not in the set. */
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

static bool step(struct walk *w)
{
	bool changed = false;
	struct pvp_row now;
	w->fp_at = UNKNOWN;
	uintptr_t pc = w->pc - !w->exact;
	const struct pvp_unwind_module *m = w->set ? file_at(w, pc, &changed) : NULL;
	bool untabled = m && !m->table && m->header; /* too large, or gone while it was made */
	if ((changed || untabled) && pvp_unwind_row_now(pc, &now))
		return by_row(w, &now);
	if (changed)
		return stop(w, PVP_WALK_CHANGED);
	if (!m || !m->table)
		return without_table(w, m ? PVP_WALK_NO_TABLE : PVP_WALK_GENERATED);
	const struct pvp_row *r = pvp_unwind_find(m->table, pc - m->from);
	if (r && r->rule != PVP_RULE_NONE)
		return by_row(w, r);
	return by_stub(w);
}

/* A guessed caller that leads nowhere was none. */
static bool misled(const struct walk *w)
{
	return w->guess.end != PVP_WALK_ENDS && w->end != PVP_WALK_ENDS &&
	       w->end != PVP_WALK_WHOLE && w->end != PVP_WALK_CHANGED && w->end != PVP_WALK_RULE;
}

static struct walk begin(const struct pvp_registers *at)
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
static unsigned end(const struct walk *w, unsigned n, struct pvp_walk_stop *ret_stop)
{
	pvp_unwind_leave();
	*ret_stop = (struct pvp_walk_stop){ w->end == PVP_WALK_ENDS ? PVP_WALK_DEEP : w->end,
		w->pc - !w->exact };
	if (!misled(w))
		return n;
	*ret_stop = (struct pvp_walk_stop){ w->guess.end, w->guess.pc };
	return n - (n > 0);
}

unsigned pvp_unwind_walk(
	const struct pvp_registers *at, uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	int before = errno;
	unsigned n = 0;
	struct walk w = begin(at);
	while (n < most && step(&w))
		to[n++] = w.pc + w.exact;
	n = end(&w, n, ret_stop);
	errno = before;
	return n;
}

static bool in_file(const struct walk *w)
{
	bool changed = false; /* and one that the set does not know is one */
	return w->set && (pvp_unwind_module_at(w->set, w->pc - !w->exact, &changed) || changed);
}

unsigned pvp_unwind_walk_files(const struct pvp_registers *at, uint64_t *to, unsigned most)
{
	int before = errno;
	unsigned n = 0;
	struct pvp_walk_stop ignored;
	struct walk w = begin(at);
	/* Without a table it is code that a runtime compiled into a file, whose rbp may hold anything. */
	while (n < most && in_file(&w) && step(&w) && w.guess.end != PVP_WALK_NO_TABLE &&
		in_file(&w))
		to[n++] = w.pc + w.exact;
	n = end(&w, n, &ignored);
	errno = before;
	return n;
}

/* ---- with the walk before in mind */

extern void *__libc_stack_end __attribute__((weak));

/*
 * Pages from that of sp to the end of the stack that the system gave the thread: glibc keeps the
 * thread's own record at the upper end of the stacks that it makes. No other mapping lies near the
 * first thread's. What is readable once stays so as long as the thread lives.
 */
static void know_own_stack(struct walk *w, struct pvp_walk_memory *m)
{
	uintptr_t page = w->sp & ~(uintptr_t)(PAGE - 1), top = (uintptr_t)pthread_self();
	uintptr_t first = &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;
	if (w->sp < first && first - w->sp < FARTHEST)
		top = first;
	top &= ~(uintptr_t)(PAGE - 1);
	if (page > top || top - page >= FARTHEST)
		return; /* a stack that the program made */
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

/* Whether the words that led from a frame to the next are as they were. */
static inline bool leads_on(struct walk *w, const struct pvp_walked *f)
{
	return f[1].pc && word_is(w, f[1].sp - WORD, f[1].pc) &&
	       (!f->fp_at || word_is(w, f->fp_at, f[1].fp));
}

/* A walk and what it meets, for the next one. */
struct again {
	struct walk w;
	const struct pvp_walked *before;
	unsigned before_n;
	unsigned at; /* in the memory: frames below it are over */
	unsigned n;  /* met */
	struct pvp_walked *met;
};

static void note(struct again *a, const struct pvp_walked *f, unsigned n)
{
	unsigned room = PVP_WALK_KEPT - a->n;
	n = n < room ? n : room;
	memcpy(a->met + a->n, f, n * sizeof *f);
	a->n += n;
}

/* Whether the frame at hand is one that was there before. */
static bool known(struct again *a)
{
	const struct walk *w = &a->w;
	while (a->at < a->before_n && a->before[a->at].sp < w->sp)
		a->at++;
	const struct pvp_walked *f = &a->before[a->at];
	return a->at < a->before_n && f->pc == w->pc && f->sp == w->sp && f->fp == w->fp &&
	       plain(w);
}

/* From a known frame on as far as it leads; how many callers that gives. */
static unsigned follow(struct again *a, uint64_t *to, unsigned most)
{
	const struct pvp_walked *first = &a->before[a->at], *f = first;
	const struct pvp_walked *last = &a->before[a->before_n - 1];
	unsigned n = 0;
	for (; n < most && f < last && leads_on(&a->w, f); f++)
		to[n++] = f[1].pc;
	note(a, first, n);
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
		if (known(a))
			n += follow(a, to + n, most - n);
		struct pvp_walked f = { plain(w) ? w->pc : 0, w->sp, w->fp, UNKNOWN };
		more = n < most && step(w);
		if (more) {
			f.fp_at = w->fp_at;
			to[n++] = w->pc + w->exact;
		}
		note(a, &f, 1);
	}
	return n;
}

unsigned pvp_unwind_walk_again(const struct pvp_registers *at, struct pvp_walk_memory *m,
	uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	int before = errno;
	struct again a = {
		.w = begin(at), .before = m->frame[m->newer], .met = m->frame[!m->newer]
	};
	const struct pvp_unwind_set *set = a.w.set;
	if (!set || set->number != m->set)
		m->n = 0;
	m->set = set ? set->number : 0;
	know_own_stack(&a.w, m);
	a.before_n = m->n;
	unsigned n = walk_again(&a, to, most);
	m->newer = !m->newer;
	m->n = a.n;
	n = end(&a.w, n, ret_stop);
	errno = before;
	return n;
}

#else

unsigned pvp_unwind_walk_again(const struct pvp_registers *at, struct pvp_walk_memory *m,
	uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	(void)m;
	return pvp_unwind_walk(at, to, most, ret_stop);
}

unsigned pvp_unwind_walk_files(const struct pvp_registers *at, uint64_t *to, unsigned most)
{
	(void)at, (void)to, (void)most;
	return 0;
}

unsigned pvp_unwind_walk(
	const struct pvp_registers *at, uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	unsigned n = pvp_native_walk(at->fp, at->sp, to, most, &ret_stop->end);
	ret_stop->pc = n ? to[n - 1] - 1 : at->pc;
	return n;
}

#endif
