/*
 * Where a call-heavy log is read. Nearly every call is one that was made from the same place
 * before: so the loop takes no difference apart, it compares the bytes with those that came here
 * the last time, which also say how long the event is. What fits in nowhere is taken apart in
 * take_one(), which notes the bytes for the next time.
 *
 * A place is a node of the tree and whether its call has begun (`behind` false) or has ended. The
 * method difference counts from the method of the last call event, which is always that node's.
 */
#include "common/format/mlpd_digest.h"

#include "common/base/leb.h"
#include "common/format/mlpd_call.h"

/* Bytes that the loop looks at from an event on: it ends where there may be fewer. */
enum { AHEAD = 24 };

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The loop's variables, kept out of structures that stores might alias. */
struct loop {
	struct mlpd_tree *tree;
	const uint8_t *p, *from;
	const uint8_t *last; /* behind the last byte where an event is looked at */
	const uint8_t *back; /* a byte before the event at hand, if its time is short */
	const int64_t *room; /* the end of that for open calls */
	uint64_t now, method, mask;
	int64_t limit;
	uint32_t at;
	bool behind;
	bool new_call; /* it stopped where a call begins that is none of those expected */
	size_t depth;
	uint32_t enters, exceptional;
};

enum took { TOOK, OTHER, NOMEM };

static void load(struct loop *l, const struct mlpd_digester *d)
{
	bool before_limit = d->within && (int64_t)l->now < d->limit_ns;
	l->limit = before_limit ? d->limit_ns : (int64_t)l->now;
	l->at = d->at;
	l->behind = d->behind;
	l->depth = d->depth;
	l->enters = l->exceptional = 0;
	l->from = l->p;
}

static void save(const struct loop *l, struct mlpd_digester *d)
{
	uint32_t ended = (uint32_t)(d->depth + l->enters - l->depth);
	d->at = l->at;
	d->behind = l->behind;
	d->leaves += ended - l->exceptional;
	d->exc_leaves += l->exceptional;
	d->enters += l->enters;
	d->all_enters += l->enters;
	d->depth = l->depth;
	d->batch->digest.events += ended + l->enters;
	if (l->p != l->from)
		d->last_ns = (int64_t)l->now;
}

/* --- what is expected */

/*
 * The first four bytes of an event: its own, its difference of times, which nearly always is two
 * bytes long, and the first byte of its method difference.
 */
enum { SHAPE = 0x8080ff, USUAL_ENTER = 0x8000 | MLPD_ENTER, USUAL_LEAVE = 0x8000 | MLPD_LEAVE };
#define SAME_METHOD 0xff000000U

/* The same event with a second byte to its difference of times, which had one. */
static inline uint64_t widened(uint64_t w)
{
	return (w & 0x7fff) | 0x8000 | w >> 16 << 24;
}

/* The bytes of its method difference and what follows; `p` is a byte early where it is widened. */
static inline uint64_t difference_at(const uint8_t *p)
{
	return pv_word_at(p + 3);
}

/* What processors with a quick PEXT do in one instruction is done so where `fast`. */
#if defined __x86_64__
static ALWAYS_INLINE uint64_t extract(uint64_t w, uint64_t mask)
{
	uint64_t v;
	__asm__("pext %2, %1, %0" : "=r"(v) : "r"(w), "r"(mask));
	return v;
}

/* Before Zen 3 it is a loop in the processor. */
static bool is_fast(void)
{
	return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") &&
	       !__builtin_cpu_is("znver2") && !__builtin_cpu_is("bdver4");
}
#else
static ALWAYS_INLINE uint64_t extract(uint64_t w, uint64_t mask)
{
	return w & mask; /* nobody asks */
}

static bool is_fast(void)
{
	return false;
}
#endif

/* Bit 7 of the two bytes is set, and bit 15 is not. */
static ALWAYS_INLINE int64_t time_of(uint64_t w, bool fast)
{
	if (fast)
		return (int64_t)extract(w, 0x7f7f00);
	uint32_t t = (uint16_t)(w >> 8);
	return (int64_t)t - 0x80 - (t >> 8 << 7);
}

/* Of the event, where its difference of times is two bytes long. */
static ALWAYS_INLINE const uint8_t *behind_step(const uint8_t *p, struct mlpd_step s, bool fast)
{
	p -= fast ? extract(s.v, 7 << 3) : s.v >> 3 & 7;
	return p + 11;
}

static inline bool is_as(const uint8_t *p, struct mlpd_step s)
{
	return ((difference_at(p) << (s.v & 63)) ^ s.v) >> MLPD_STEP_BYTES == 0;
}

/* The method difference's bytes up to their last, as they are compared. */
static inline struct mlpd_step take_step(const uint8_t *p)
{
	uint64_t bytes = difference_at(p), last = ~bytes & UINT64_C(0x8080808080);
	return mlpd_step(bytes, last ? ((unsigned)__builtin_ctzll(last) + 1) / 8 : 5);
}

/* The same of any event; false: its time is too long, or the end too near. */
static bool find_step(const uint8_t *p, const uint8_t *end, struct mlpd_step *ret)
{
	if (end - p < AHEAD)
		return false;
	uint64_t w = pv_word_at(p);
	if (!(w & 0x8000)) {
		w = widened(w);
		p--;
	}
	*ret = take_step(p);
	return (w & 0x808000) == 0x8000;
}

/* What stands at `p`, six to eight bytes; NULL: more. */
static ALWAYS_INLINE const uint8_t *long_difference(const uint8_t *p, uint64_t *ret)
{
	uint64_t v;
	unsigned bytes = pv_leb_in(pv_word_at(p), &v), above = 64 - 7 * bytes;
	*ret = bytes ? (uint64_t)((int64_t)(v << above) >> above) : 0;
	return bytes ? p + bytes : NULL;
}

/* What such bytes say. */
static inline uint64_t difference(struct mlpd_step s)
{
	unsigned shift = s.v & 63, above = shift - (shift >> 3) + 8; /* 64 less seven bits a byte */
	uint64_t m = s.v >> MLPD_STEP_BYTES << MLPD_STEP_BYTES >> shift & UINT64_C(0x7f7f7f7f7f);
	m = (m & UINT64_C(0x7f007f007f)) | (m & 0x7f007f00) >> 1;
	m = (m & 0x3fff) | (m >> 2 & 0xfffc000) | (m >> 4 & UINT64_C(0x7f0000000));
	return (uint64_t)((int64_t)(m << above) >> above);
}

/* Moves behind an event that begins as expected; false if it goes on otherwise. */
static ALWAYS_INLINE bool pass(const uint8_t **p, struct mlpd_step s, const struct mlpd_node *from,
	const struct mlpd_node *to, bool fast)
{
	uint64_t more;
	if (__builtin_expect(!mlpd_step_is_long(s), 1)) {
		*p = behind_step(*p, s, fast);
		return true;
	}
	const uint8_t *behind = long_difference(*p + 3, &more);
	if (!behind || from->key + more != to->key)
		return false;
	*p = behind;
	return true;
}

static ALWAYS_INLINE void end_call(struct mlpd_tree *t, struct mlpd_node *n, int64_t ns)
{
	if (__builtin_expect(++n->more_calls == 0, 0))
		t->touched.v[t->touched.n++] = (uint32_t)(n - t->node);
	n->total_ns += (uint64_t)ns;
	if (ns > n->max_ns)
		n->max_ns = ns;
}

/* The event that leads from here to the call is known from now on. */
static void learn_step(struct mlpd_node *n, bool behind, struct mlpd_step step)
{
	if (behind) {
		n->other = n->next;
		n->next = step;
	} else {
		n->first = step;
	}
}

/*
 * A call was entered that is none of those expected. If it was made from here at any time, it is
 * expected from now on.
 */
static bool learn(const struct loop *l)
{
	const struct mlpd_tree *t = l->tree;
	struct mlpd_node *n = &t->node[l->at];
	/* Where its difference of times is one byte, the other one begins a byte early. */
	const uint8_t *p = l->p - !(l->p[1] & 0x80);
	struct mlpd_step step = take_step(p);
	uint64_t more = difference(step);
	if (mlpd_step_is_long(step) && !long_difference(p + 3, &more))
		return false;
	uint32_t child =
		mlpd_tree_find(t, l->behind ? n->parent : l->at, (l->method + more) & l->mask);
	if (child != 0)
		learn_step(n, l->behind, mlpd_step_to(step, child));
	return child != 0;
}

/*
 * Goes on for as long as every event is one that came here before. There is an open stretch,
 * l->method is the method of the place, and that is not the root. What an event needs of the one
 * before it stays in registers, and for that all else is left in *l: each event waits for the one
 * before. Most calls make none, so behind a call's begin its end is looked for at once.
 */
static ALWAYS_INLINE void take_expected(struct loop *l, const bool fast)
{
	struct mlpd_node *const node = l->tree->node, *n = &node[l->at], *to;
	int64_t *top = l->tree->entered.v + l->depth;
	const uint8_t *p = l->p, *then;
	int64_t now = (int64_t)l->now, time, ns;
	uint32_t enters = l->enters;
	bool behind = true;
	struct mlpd_step step;
	uint64_t w, v;
	l->back = NULL;
	l->new_call = false;
	if (l->behind)
		goto behind;
	w = pv_word_at(p);
within:
	if (p >= l->last)
		goto out_within;
within_again:
	if ((w & SHAPE) == USUAL_ENTER) {
		step = n->first;
		behind = false;
		if (!is_as(p, step))
			goto out_new;
		goto begin;
	}
	if ((w & (SHAPE | SAME_METHOD)) == USUAL_LEAVE) {
		time = now + time_of(w, fast);
		if (time >= l->limit)
			goto out_within;
		p += 4;
		goto leave;
	}
	if (w & 0x8000)
		goto out_within;
	w = widened(w);
	l->back = --p;
	goto within_again;

begin:
	then = p;
	to = &node[mlpd_step_node(step)];
	if (!pass(&then, step, n, to, fast))
		goto out;
	time = now + time_of(w, fast);
	v = pv_word_at(then);
	if ((v & (SHAPE | SAME_METHOD)) == USUAL_LEAVE) {
		ns = time_of(v, fast);
		if (time + ns < l->limit) {
			now = time + ns;
			end_call(l->tree, to, ns);
			p = then + 4;
			n = to;
			enters++;
			goto behind;
		}
	}
	if (time >= l->limit || top == l->room)
		goto out;
	p = then;
	n = to;
	w = v;
	now = time;
	enters++;
	*top++ = now;
	goto within;

leave:
	now = time;
	end_call(l->tree, n, now - *--top);
behind:
	if (p >= l->last)
		goto out_behind;
	w = pv_word_at(p);
behind_again:
	if ((w & SHAPE) == USUAL_ENTER) {
		step = n->next;
		if (!is_as(p, step)) {
			step = n->other;
			if (!is_as(p, step))
				goto out_new_behind;
			n->other = n->next;
			n->next = step;
		}
		behind = true;
		goto begin;
	}
	if ((w & SHAPE) == USUAL_LEAVE) {
		step = n->leave;
		to = &node[mlpd_step_node(step)];
		time = now + time_of(w, fast);
		if (time >= l->limit || !is_as(p, step) || !pass(&p, step, n, to, fast))
			goto out_behind;
		n = to;
		goto leave;
	}
	if (w & 0x8000)
		goto out_behind;
	w = widened(w);
	l->back = --p;
	goto behind_again;

out_new_behind:
	behind = true;
out_new:
	l->new_call = true;
	goto out;
out_behind:
	behind = true;
	goto out;
out_within:
	behind = false;
out:
	l->p = p + (p == l->back);
	l->now = (uint64_t)now;
	l->method = n->key;
	l->at = (uint32_t)(n - node);
	l->behind = behind;
	l->depth = (size_t)(top - l->tree->entered.v);
	l->enters = enters;
}

static __attribute__((noinline)) void take_expected_anywhere(struct loop *l)
{
	take_expected(l, false);
}

#if defined __x86_64__
__attribute__((target("bmi,bmi2")))
#endif
static __attribute__((noinline)) void
take_expected_fast(struct loop *l)
{
	take_expected(l, true);
}

static void take_known(struct loop *l, const uint8_t *end, uint64_t mask)
{
	const struct mlpd_tree *t = l->tree;
	if (end - l->p < AHEAD)
		return;
	l->last = end - AHEAD + 1;
	l->room = t->entered.v + t->entered.room;
	l->mask = mask;
	do {
		if (is_fast())
			take_expected_fast(l);
		else
			take_expected_anywhere(l);
	} while (l->new_call && learn(l));
}

/* --- what is not */

/* Whether the difference counts from the place's own method: other events had methods, too. */
static bool is_chained(const struct loop *l, const struct mlpd_digester *d, uint64_t mask)
{
	return l->at != MLPD_ROOT && ((l->method ^ d->tree->node[l->at].key) & mask) == 0;
}

static uint32_t open_node(const struct loop *l, const struct mlpd_digester *d)
{
	return l->behind ? d->tree->node[l->at].parent : l->at;
}

/* The call with this method that was made from here before, where it is one of those expected. */
static uint32_t known_child(const struct mlpd_node *v, const struct mlpd_node *n, bool behind,
	uint32_t parent, uint64_t key)
{
	uint32_t at = mlpd_step_node(behind ? n->next : n->first);
	if (v[at].key == key && v[at].parent == parent)
		return at;
	at = mlpd_step_node(n->other);
	return behind && v[at].key == key && v[at].parent == parent ? at : 0;
}

/* Its bytes are known from now on. */
static void learn_enter(
	const struct loop *l, const uint8_t *end, struct mlpd_node *n, uint32_t child)
{
	struct mlpd_step step;
	bool known = mlpd_step_node(l->behind ? n->next : n->first) == child;
	/* A call that was expected may come with a longer time. */
	if (!known && find_step(l->p, end, &step))
		learn_step(n, l->behind, mlpd_step_to(step, child));
}

static enum took enter(struct loop *l, const uint8_t *end, struct mlpd_digester *d,
	const struct mlpd_call *e, uint64_t mask)
{
	struct mlpd_tree *t = d->tree;
	bool chained = is_chained(l, d, mask);
	uint32_t child = 0, parent = open_node(l, d);
	uint64_t key = (l->method + e->method) & mask;
	if (chained)
		child = known_child(t->node, &t->node[l->at], l->behind, parent, key);
	if (child == 0)
		child = mlpd_tree_child(t, parent, key);
	if (child == 0 && t->n >= MLPD_TREE_MOST) {
		d->on = false; /* a buffer of megabytes, in which every call is a new path */
		return OTHER;
	}
	if (child == 0)
		return NOMEM;
	if (l->depth == t->entered.room) {
		t->entered.n = t->entered.room; /* all of it is in use: it must be kept */
		bool ok = pv_reserve(&t->entered, 1);
		t->entered.n = 0;
		if (!ok)
			return NOMEM;
	}
	if (chained)
		learn_enter(l, end, &t->node[l->at], child);
	l->at = child;
	l->behind = false;
	l->enters++;
	t->entered.v[l->depth++] = (int64_t)(l->now + e->time);
	return TOOK;
}

static enum took leave(struct loop *l, const uint8_t *end, struct mlpd_digester *d,
	const struct mlpd_call *e, uint64_t mask)
{
	struct mlpd_tree *t = d->tree;
	struct mlpd_node *n = &t->node[l->at];
	uint32_t top = open_node(l, d);
	struct mlpd_step step;
	if (*l->p == MLPD_EXC_LEAVE) {
		if (!pv_reserve(&t->exc, 1))
			return NOMEM;
		t->exc.v[t->exc.n++] = (struct mlpd_exc){ top };
		l->exceptional++;
	} else if (l->behind && is_chained(l, d, mask) && find_step(l->p, end, &step)) {
		n->leave = mlpd_step_to(step, top);
	}
	uint64_t ns = l->now + e->time - (uint64_t)t->entered.v[--l->depth];
	end_call(t, &t->node[top], (int64_t)ns);
	l->at = top;
	l->behind = true;
	return TOOK;
}

/* Whether a leave is that of the innermost call in the stretch. */
static bool is_own(const struct loop *l, const struct mlpd_digester *d, const struct mlpd_call *e,
	uint64_t mask)
{
	uint64_t key = (l->method + e->method) & mask;
	return l->depth > 0 && d->tree->node[open_node(l, d)].key == key;
}

/* The event at hand, if it is a call event that fits into a stretch. */
static enum took take_one(
	struct loop *l, const uint8_t *end, struct mlpd_digester *d, uint64_t mask)
{
	if (l->p == end || (*l->p != MLPD_ENTER && *l->p != MLPD_LEAVE && *l->p != MLPD_EXC_LEAVE))
		return OTHER;
	struct mlpd_call e = mlpd_get_call(l->p, end);
	bool enters = *l->p == MLPD_ENTER;
	if (!e.behind || (!enters && !is_own(l, d, &e, mask)))
		return OTHER;
	int64_t time = (int64_t)(l->now + e.time);
	/* A buffer's time can begin behind its first event. */
	int64_t least = d->within && l->p == l->from ? d->last_ns : (int64_t)l->now;
	if (time < least)
		return OTHER;
	if (!d->within || time >= d->limit_ns) {
		bool go_on;
		save(l, d);
		if (!mlpd_digest_pass_edge(d, time, enters, &go_on))
			return NOMEM;
		load(l, d); /* before anything else: what was saved counts once */
		if (!go_on)
			return OTHER;
	}
	enum took took = enters ? enter(l, end, d, &e, mask) : leave(l, end, d, &e, mask);
	if (took == TOOK) {
		l->p = e.behind;
		l->now += e.time;
		l->method += e.method;
	}
	return took;
}

/* --- allocations */

/* Events of the batch before the one at hand, what the loop has not counted yet included. */
static uint32_t number_of(const struct loop *l, const struct mlpd_digester *d)
{
	const struct pv_digest *g = &d->batch->digest;
	uint64_t calls = d->depth + 2 * (uint64_t)l->enters - l->depth;
	return (uint32_t)(d->batch->n - g->stretch.n + g->events + calls);
}

static bool make_room(struct pv_batch *b)
{
	struct pv_digest *g = &b->digest;
	return pv_batch_reserve(b, 1) && pv_reserve(&b->allocs, 1) &&
	       pv_reserve(&g->alloc_path, 1) && pv_reserve(&g->number, 1);
}

/*
 * An allocation amid a stretch, as mlpd_digest_alloc() and whoever calls that would put it: but
 * what was expected behind the last call still is behind this.
 */
static enum took take_alloc(struct loop *l, struct pv_cursor *c, struct mlpd_digester *d,
	struct mlpd_bases *bases, uint64_t mask)
{
	struct pv_batch *b = d->batch;
	struct pv_digest *g = &b->digest;
	struct pv_alloc a;
	bases->time = l->now;
	c->at = l->p;
	if (!mlpd_take_alloc(c, bases, mask, &a))
		return OTHER;
	int64_t time = (int64_t)bases->time;
	if (time < (int64_t)l->now || time >= d->end_ns)
		return OTHER;
	if (!make_room(b))
		return NOMEM;
	g->alloc_path.v[g->alloc_path.n++] = open_node(l, d);
	g->number.v[g->number.n++] = number_of(l, d);
	b->time[b->n] = (uint64_t)time;
	b->kind[b->n] = PV_KIND_ALLOC;
	b->key[b->n++] = b->allocs.n;
	b->allocs.v[b->allocs.n++] = a;
	if (l->p != l->from)
		d->last_ns = (int64_t)l->now;
	l->p = l->from = c->at;
	l->now = (uint64_t)time;
	if (time >= d->limit_ns)
		l->limit = time;
	return TOOK;
}

bool mlpd_digest_calls(
	struct mlpd_digester *d, struct pv_cursor *c, struct mlpd_bases *bases, uint64_t mask)
{
	struct loop l = {
		.tree = d->tree, .p = c->at, .now = bases->time, .method = bases->method
	};
	enum took took = TOOK;
	load(&l, d);
	bool known = d->within && (int64_t)l.now < d->limit_ns && (int64_t)l.now >= d->last_ns &&
		     is_chained(&l, d, mask);
	while (took == TOOK) {
		if (known)
			take_known(&l, c->end, mask);
		if (known && l.p != c->end && *l.p == MLPD_ALLOC &&
			(took = take_alloc(&l, c, d, bases, mask)) != OTHER)
			continue;
		known = true;
		took = d->on ? take_one(&l, c->end, d, mask) : OTHER;
	}
	save(&l, d);
	c->at = l.p;
	bases->time = l.now;
	bases->method = l.method;
	return took != NOMEM;
}
