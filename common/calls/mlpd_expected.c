/* SPDX-License-Identifier: MIT */
/* The fast loop over calls: compares bytes with the expected event at each place of the tree. */
#include "common/calls/mlpd_expected.h"

#include "common/base/leb.h"
#include "common/format/mlpd/mlpd_call.h"

/* Bytes read from an event on: the loop ends where there may be fewer. */
enum { AHEAD = 24 };

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define LIKELY(x)     __builtin_expect(x, 1)
#define UNLIKELY(x)   __builtin_expect(x, 0)

/*
 * The first four bytes of an event: kind, difference of times (nearly always two bytes), and the
 * first byte of the method difference.
 */
enum { SHAPE = 0x8080ff, USUAL_ENTER = 0x8000 | MLPD_ENTER, USUAL_LEAVE = 0x8000 | MLPD_LEAVE };
#define SAME_METHOD 0xff000000U
/* The bits compared of eight bytes: all but the time. */
#define COMPARED (~UINT64_C(0x7f7f00))

/* The same event with its one-byte difference of times widened to two bytes. */
static inline uint64_t widened(uint64_t w)
{
	return (w & 0x7fff) | 0x8000 | w >> 16 << 24;
}

/* With `fast` a single PEXT instruction, on processors where PEXT is quick. */
#if defined __x86_64__ && !defined MLPD_ANY_PROCESSOR /* the latter in a test */
static ALWAYS_INLINE uint64_t extract(uint64_t w, uint64_t mask)
{
	uint64_t v;
	__asm__("pext %2, %1, %0" : "=r"(v) : "r"(w), "r"(mask));
	return v;
}

static ALWAYS_INLINE uint64_t lowest(uint64_t w, uint64_t bits)
{
	uint64_t v;
	__asm__("bzhi %2, %1, %0" : "=r"(v) : "r"(w), "r"(bits) : "cc");
	return v;
}

/* No branch: the longest call so far cannot be predicted. */
static ALWAYS_INLINE uint32_t more_of(uint32_t a, uint32_t b)
{
	__asm__("cmp %1, %0\n\tcmovb %1, %0" : "+r"(b) : "rm"(a) : "cc");
	return b;
}

/* Before Zen 3 PEXT is a loop in the processor. */
static bool is_fast(void)
{
	return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") &&
	       !__builtin_cpu_is("znver2") && !__builtin_cpu_is("bdver4");
}
#else
static ALWAYS_INLINE uint64_t extract(uint64_t w, uint64_t mask)
{
	return w & mask; /* never called */
}

static ALWAYS_INLINE uint64_t lowest(uint64_t w, uint64_t bits)
{
	return w & bits; /* likewise */
}

static ALWAYS_INLINE uint32_t more_of(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static bool is_fast(void)
{
	return false;
}
#endif

/* Bit 7 of the two bytes is set, and bit 15 is clear. */
static ALWAYS_INLINE int64_t short_time_of(uint64_t w, bool fast)
{
	if (fast)
		return (int64_t)extract(w, 0x7f7f00);
	uint32_t t = (uint16_t)(w >> 8);
	return (int64_t)t - 0x80 - (t >> 8 << 7);
}

/* In bits. A load of its own: other uses of the word have a longer latency. */
static ALWAYS_INLINE uint64_t length_in(const uint64_t *bytes)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return ((const uint8_t *)bytes)[MLPD_STEP_BITS / 8];
#else
	return (uint8_t)(*bytes >> MLPD_STEP_BITS);
#endif
}

static ALWAYS_INLINE bool is_as(uint64_t w, const uint64_t *bytes, bool fast)
{
	uint64_t other = w ^ *bytes, bits = length_in(bytes);
	if (fast)
		return (lowest(other, bits) & COMPARED) == 0;
	return (other & COMPARED) << (bits < MLPD_STEP_MOST ? MLPD_STEP_MOST - bits : 0) == 0;
}

/* An event whose method difference is at p + 3. */
static inline struct mlpd_step take_step(uint8_t kind, const uint8_t *p, uint32_t to)
{
	uint64_t bytes = pv_word_at(p + 3), last = ~bytes & UINT64_C(0x8080808080);
	struct mlpd_step s =
		mlpd_step(kind, bytes, last ? ((unsigned)__builtin_ctzll(last) + 1) / 8 : 5, to);
	s.bytes += last ? 0 : MLPD_STEP_LONG;
	return s;
}

/* Takes a method difference of up to eight bytes; returns the place after, NULL: longer. */
static ALWAYS_INLINE const uint8_t *take_difference(const uint8_t *p, uint64_t *ret)
{
	uint64_t v;
	unsigned bytes = pv_leb_in(pv_word_at(p), &v), above = 64 - 7 * bytes;
	*ret = bytes ? (uint64_t)((int64_t)(v << above) >> above) : 0;
	return bytes ? p + bytes : NULL;
}

/*
 * Makes the event from here to a call an expected event. The most frequent event keeps the slot: so
 * the processor, too, can predict the events.
 */
static ALWAYS_INLINE void learn_step(
	struct mlpd_node *n, struct mlpd_place *p, bool ended, struct mlpd_step step)
{
	enum mlpd_way way = !ended ? MLPD_FIRST : n->to[MLPD_NEXT] ? MLPD_OTHER : MLPD_NEXT;
	p->spare_bytes[ended] = n->bytes[way];
	p->spare_to[ended] = n->to[way];
	mlpd_expect(n, way, step);
}

/*
 * An unexpected call was entered; the method difference is at p + 3. A call ever made from here is
 * expected from now on. No function calls here and below: for a single call, however rare, the loop
 * would keep in memory the variables that every event needs.
 */
static ALWAYS_INLINE bool learn_call(
	const struct mlpd_loop *l, const uint8_t *p, struct mlpd_node *n, bool ended)
{
	const struct mlpd_tree *t = l->tree;
	uint32_t at = (uint32_t)(n - l->node);
	struct mlpd_place *place = &t->place[at];
	uint64_t more;
	if (!take_difference(p + 3, &more))
		return false;
	uint32_t child =
		mlpd_tree_find(t, ended ? place->parent : at, (place->key + more) & l->mask);
	if (child != 0)
		learn_step(n, place, ended, take_step(MLPD_ENTER, p, child));
	return child != 0;
}

/* --- the loop */

/* Position in the bytes; all of this is kept in registers. */
struct here {
	const uint8_t *p;
	struct mlpd_node *n;
	int64_t past;          /* time minus the limit, in ns: less than 0, which is free to test */
	struct mlpd_open *top; /* after the innermost open call */
	uint32_t enters;
};

static ALWAYS_INLINE struct mlpd_node *node_at(const struct mlpd_loop *l, uint32_t at)
{
	return (struct mlpd_node *)((char *)l->node + at);
}

/* The code after an expected event with a longer method difference; NULL: another event. */
static ALWAYS_INLINE const uint8_t *pass_long(
	const struct mlpd_loop *l, const uint8_t *p, const struct mlpd_node *n, uint32_t to)
{
	const struct mlpd_place *place = l->tree->place;
	uint64_t more;
	p = take_difference(p + 3, &more);
	return p && to && place[n - l->node].key + more == place[to].key ? p : NULL;
}

/*
 * The code after an expected event of this length in bits, which leads to `at`, or `up` to the
 * caller. False: another event.
 */
static ALWAYS_INLINE bool pass(const struct mlpd_loop *l, const struct here *h, uint64_t length,
	uint32_t at, bool up, const uint8_t **ret)
{
	if (LIKELY(length <= MLPD_STEP_MOST)) {
		*ret = h->p + length / 8;
		return true;
	}
	uint32_t caller = l->tree->place[h->n - l->node].parent;
	*ret = pass_long(l, h->p, h->n, up ? caller : at >> MLPD_STEP_NODE);
	return *ret != NULL;
}

/* Notes the node's first call in the segment. */
static ALWAYS_INLINE void note_touched(const struct mlpd_loop *l, const struct mlpd_node *n)
{
	__asm__("" ::: "memory"); /* no load before it is known to be needed */
	struct mlpd_tree *t = l->tree;
	t->touched.v[t->touched.n++] = (uint32_t)(n - t->node);
}

static ALWAYS_INLINE void count_call(const struct mlpd_loop *l, struct mlpd_node *n, int64_t ns)
{
	if (UNLIKELY(++n->more_calls == 0))
		note_touched(l, n);
	n->total_ns += (uint64_t)ns;
}

/* Not for calls of seconds. */
static ALWAYS_INLINE void end_call(const struct mlpd_loop *l, struct mlpd_node *n, int64_t ns)
{
	count_call(l, n, ns);
	n->longest_ns = more_of(n->longest_ns, (uint32_t)ns);
}

enum began { BEGAN, BEGAN_AND_ENDED, DID_NOT };

/* Begins an expected call. Most calls make no calls, so its end is tried at once. */
static ALWAYS_INLINE enum began begin_call(const struct mlpd_loop *l, struct here *h,
	uint64_t length, uint32_t at, uint64_t *w, bool fast)
{
	struct mlpd_node *to = node_at(l, at);
	__asm__("" : "+r"(to)); /* from this its place in the tree can be had when needed */
	const uint8_t *then;
	if (UNLIKELY(!pass(l, h, length, at, false, &then)))
		return DID_NOT;
	int64_t past = h->past + short_time_of(*w, fast);
	*w = pv_word_at(then);
	if (LIKELY((*w & (SHAPE | SAME_METHOD)) == USUAL_LEAVE)) {
		int64_t ns = short_time_of(*w, fast);
		if (LIKELY(past + ns < 0)) {
			h->past = past + ns;
			end_call(l, to, ns);
			h->p = then + 4;
			h->n = to;
			h->enters++;
			return BEGAN_AND_ENDED;
		}
	}
	if (UNLIKELY(past >= 0 || h->top == l->room))
		return DID_NOT;
	h->p = then;
	h->n = to;
	h->past = past;
	h->enters++;
	*h->top++ = (struct mlpd_open){ past + l->limit, (uint32_t)((char *)to - (char *)l->node) };
	return BEGAN;
}

/* Duration of the innermost open call, if ended at `past`. */
static ALWAYS_INLINE int64_t took(const struct mlpd_loop *l, const struct here *h, int64_t past)
{
	return past + l->limit - h->top[-1].enter_ns;
}

static ALWAYS_INLINE enum began begin_way(
	const struct mlpd_loop *l, struct here *h, enum mlpd_way way, uint64_t *w, bool fast)
{
	return begin_call(l, h, length_in(&h->n->bytes[way]), h->n->to[way], w, fast);
}

/* --- less frequent events */

/* True if `a` is more frequent than `b` in this segment. */
static ALWAYS_INLINE bool comes_more(const struct mlpd_loop *l, uint32_t a, uint32_t b)
{
	__asm__("" ::: "memory"); /* values needed only here get no register */
	return (int32_t)(node_at(l, a)->more_calls - node_at(l, b)->more_calls) > 0;
}

static ALWAYS_INLINE void swap_steps(uint64_t *a, uint32_t *to_a, uint64_t *b, uint32_t *to_b)
{
	uint64_t bytes = *a;
	uint32_t to = *to_a;
	*a = *b;
	*to_a = *to_b;
	*b = bytes;
	*to_b = to;
}

/* Takes the call that is kept outside the tree, if just this call was entered. */
static ALWAYS_INLINE bool takes_spare(const struct mlpd_loop *l, uint64_t w, struct mlpd_node *n,
	bool ended, uint64_t *ret_length, uint32_t *ret_at, bool fast)
{
	__asm__("" ::: "memory"); /* likewise */
	struct mlpd_place *p = &l->tree->place[n - l->node];
	enum mlpd_way way = ended ? MLPD_OTHER : MLPD_FIRST;
	uint64_t *bytes = &p->spare_bytes[ended];
	uint32_t *to = &p->spare_to[ended];
	if (!is_as(w, bytes, fast))
		return false;
	*ret_length = length_in(bytes);
	*ret_at = *to;
	if (comes_more(l, *to, n->to[way]))
		swap_steps(bytes, to, &n->bytes[way], &n->to[way]);
	return true;
}

/* --- the whole loop */

/*
 * Only variables that the next event needs stay in registers, all others are in *l: each event
 * waits for the event before. A mispredicted branch costs as much as 90 instructions: so the
 * longest call so far is found without a branch.
 */
static ALWAYS_INLINE void take_expected(struct mlpd_loop *l, const bool fast)
{
	struct here h = { l->p, &l->node[l->at], (int64_t)l->now - l->limit,
		l->tree->open.v + l->depth, l->enters };
	bool ended = true;
	enum began began;
	const uint8_t *then;
	int64_t past, ns;
	uint64_t w, length;
	uint32_t at;
	l->back = NULL;
	if (l->ended)
		goto after_call;
	w = pv_word_at(h.p);
within:
	if (UNLIKELY(h.p >= l->last))
		goto out_within;
within_again:
	if (LIKELY(is_as(w, &h.n->bytes[MLPD_FIRST], fast))) {
		began = begin_way(l, &h, MLPD_FIRST, &w, fast);
		if (began == BEGAN)
			goto within;
		if (began == BEGAN_AND_ENDED)
			goto after_call;
		goto out_within;
	}
	if ((w & (SHAPE | SAME_METHOD)) == USUAL_LEAVE) {
		past = h.past + short_time_of(w, fast);
		ns = took(l, &h, past);
		if (UNLIKELY(past >= 0 || ns > MLPD_LONG))
			goto out_within;
		h.p += 4;
		goto leave;
	}
	if ((w & SHAPE) == USUAL_ENTER) {
		ended = false;
		goto unknown;
	}
	if (w & 0x8000)
		goto out_within;
	w = widened(w);
	l->back = --h.p;
	goto within_again;

leave:
	h.past = past;
	h.top--;
	h.n = node_at(l, h.top->at);
	end_call(l, h.n, ns);
after_call:
	if (UNLIKELY(h.p >= l->last))
		goto out;
	w = pv_word_at(h.p);
after_call_again:
	if ((uint8_t)w == MLPD_LEAVE) {
		if (UNLIKELY(!is_as(w, &h.n->bytes[MLPD_UP], fast)))
			goto out_up;
		past = h.past + short_time_of(w, fast);
		ns = took(l, &h, past);
		if (UNLIKELY(past >= 0 || ns > MLPD_LONG ||
			     !pass(l, &h, length_in(&h.n->bytes[MLPD_UP]), 0, true, &then)))
			goto out;
		h.p = then;
		goto leave;
	}
	if (LIKELY(is_as(w, &h.n->bytes[MLPD_NEXT], fast))) {
		began = begin_way(l, &h, MLPD_NEXT, &w, fast);
		if (began == BEGAN)
			goto within;
		if (began == BEGAN_AND_ENDED)
			goto after_call;
		goto out;
	}
	if (is_as(w, &h.n->bytes[MLPD_OTHER], fast)) {
		length = length_in(&h.n->bytes[MLPD_OTHER]);
		at = h.n->to[MLPD_OTHER];
		if (comes_more(l, at, h.n->to[MLPD_NEXT]))
			swap_steps(&h.n->bytes[MLPD_OTHER], &h.n->to[MLPD_OTHER],
				&h.n->bytes[MLPD_NEXT], &h.n->to[MLPD_NEXT]);
		goto less_usual;
	}
	if ((w & SHAPE) == USUAL_ENTER)
		goto unknown;
out_up:
	if (w & 0x8000)
		goto out;
	w = widened(w);
	l->back = --h.p;
	goto after_call_again;

unknown:
	if (takes_spare(l, w, h.n, ended, &length, &at, fast)) {
less_usual:
		began = begin_call(l, &h, length, at, &w, fast);
		if (began == DID_NOT)
			goto out;
		ended = true;
		if (began == BEGAN)
			goto within;
		goto after_call;
	}
	if (LIKELY(learn_call(l, h.p, h.n, ended))) {
		if (ended)
			goto after_call_again;
		ended = true;
		goto within_again;
	}
	goto out;
out_within:
	ended = false;
out:
	l->p = h.p + (h.p == l->back);
	l->now = (uint64_t)(h.past + l->limit);
	l->at = (uint32_t)(h.n - l->node);
	l->ended = ended;
	l->depth = (size_t)(h.top - l->tree->open.v);
	l->enters = h.enters;
}

static __attribute__((noinline)) void take_expected_anywhere(struct mlpd_loop *l)
{
	take_expected(l, false);
}

#if defined __x86_64__ && !defined MLPD_ANY_PROCESSOR
__attribute__((target("bmi,bmi2")))
#endif
static __attribute__((noinline)) void
take_expected_fast(struct mlpd_loop *l)
{
	take_expected(l, true);
}

void mlpd_take_expected(struct mlpd_loop *l, const uint8_t *end, uint64_t mask)
{
	const struct mlpd_tree *t = l->tree;
	if (end - l->p < AHEAD)
		return;
	l->last = end - AHEAD + 1;
	l->node = t->node;
	l->room = t->open.v + t->open.room;
	l->mask = mask;
	if (is_fast())
		take_expected_fast(l);
	else
		take_expected_anywhere(l);
}

/* --- for others */

/* True if an event's time is short enough, and the end far enough. */
static bool is_usual(const uint8_t *p, const uint8_t *end)
{
	return end - p >= AHEAD && (!(p[1] & 0x80) || !(p[2] & 0x80));
}

/* With a time difference of one byte the wider form begins a byte earlier. */
static struct mlpd_step step_at(const uint8_t *p, uint8_t kind, uint32_t to)
{
	return take_step(kind, p - !(p[1] & 0x80), to);
}

void mlpd_expect_enter(const struct mlpd_loop *l, const uint8_t *end, uint32_t child)
{
	struct mlpd_node *n = &l->tree->node[l->at];
	bool known = mlpd_expected(n, l->ended ? MLPD_NEXT : MLPD_FIRST) == child;
	/* A call that was expected may come with a longer time. */
	if (!known && is_usual(l->p, end))
		learn_step(n, &l->tree->place[l->at], l->ended, step_at(l->p, MLPD_ENTER, child));
}

void mlpd_expect_leave(const struct mlpd_loop *l, const uint8_t *end, uint32_t caller)
{
	if (is_usual(l->p, end))
		mlpd_expect(&l->tree->node[l->at], MLPD_UP, step_at(l->p, MLPD_LEAVE, caller));
}

/* For calls of seconds: the node's longest_ns is an index in the list of such times. */
static bool note_long(struct mlpd_tree *t, struct mlpd_node *n, int64_t ns)
{
	if (n->longest_ns <= MLPD_LONG) {
		if (!pv_reserve(&t->long_ns, 1))
			return false;
		n->longest_ns = MLPD_LONG + UINT32_C(1) + (uint32_t)t->long_ns.n;
		t->long_ns.v[t->long_ns.n++] = ns;
	}
	int64_t *longest = &t->long_ns.v[n->longest_ns - MLPD_LONG - 1];
	*longest = ns > *longest ? ns : *longest;
	return true;
}

bool mlpd_end_call(const struct mlpd_loop *l, uint32_t node, int64_t ns)
{
	struct mlpd_node *n = &l->tree->node[node];
	if (ns <= MLPD_LONG) {
		end_call(l, n, ns);
		return true;
	}
	count_call(l, n, ns);
	return note_long(l->tree, n, ns);
}
