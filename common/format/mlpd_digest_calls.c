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

#include "common/format/mlpd_call.h"

enum { WORD = 8 }; /* bytes that the loop looks at */

/* The loop's variables, kept out of structures that stores might alias. */
struct loop {
	const uint8_t *p, *from;
	uint64_t now, method, limit;
	uint32_t at;
	bool behind;
	size_t depth;
	uint32_t enters, exceptional;
};

enum took { TOOK, OTHER, NOMEM };

static void load(struct loop *l, const struct mlpd_digester *d)
{
	bool before_limit = d->within && (int64_t)l->now < d->limit_ns;
	l->limit = before_limit ? (uint64_t)d->limit_ns : l->now;
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

static inline uint64_t word_at(const uint8_t *p)
{
	uint64_t w;
	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* Whether the difference of times is two bytes long, as it is nearly always. */
static inline bool is_usual(uint64_t w)
{
	return (w & 0x808000) == 0x8000;
}

/* The same event with a second byte to its difference of times, which had one. */
static inline uint64_t widened(uint64_t w)
{
	return (w & 0x7fff) | 0x8000 | w >> 16 << 24;
}

/* The word at `p` in its usual form; false: its time is too long, or the end too near. */
static bool usual_at(const uint8_t *p, const uint8_t *end, uint64_t *ret)
{
	if (end - p < WORD)
		return false;
	uint64_t w = word_at(p);
	*ret = w & 0x8000 ? w : widened(w);
	return is_usual(*ret);
}

/* Bit 7 of the two bytes is set, and bit 15 is not. */
static inline int64_t time_of(uint64_t w)
{
	uint32_t t = (uint16_t)(w >> 8);
	return (int64_t)t - 0x80 - (t >> 8 << 7);
}

static inline bool is_as(uint64_t w, const struct pv_digest_step *s)
{
	return (uint32_t)(w >> 24) << (s->how & 31) == s->bytes;
}

static inline unsigned length(const struct pv_digest_step *s)
{
	return s->how >> 5 & 7;
}

/* The method difference's bytes up to their last, as they are compared; false: more than four. */
static inline bool take_bytes(uint64_t w, uint32_t *ret_bytes, uint32_t *ret_shift)
{
	uint32_t m = (uint32_t)(w >> 24), last = ~m & 0x80808080;
	if (last == 0)
		return false;
	*ret_shift = 31 - (uint32_t)__builtin_ctz(last);
	*ret_bytes = m << *ret_shift;
	return true;
}

/* What such bytes say. */
static inline uint64_t difference(uint32_t bytes, uint32_t shift)
{
	uint32_t m = bytes >> shift & 0x7f7f7f7f;
	m = (m & 0x007f007f) | (m & 0x7f007f00) >> 1;
	m = (m & 0x3fff) | (m >> 2 & 0xfffc000);
	unsigned above = 36 + shift - (shift >> 3); /* 64 less seven bits a byte */
	return (uint64_t)((int64_t)((uint64_t)m << above) >> above);
}

static inline void end_call(struct pv_digest_node *n, int64_t ns)
{
	n->calls++;
	n->total_ns += (uint64_t)ns;
	if (ns > n->max_ns)
		n->max_ns = ns;
}

/*
 * Goes on for as long as every event is the one that came the last time; false at one that is
 * not. There is an open stretch, l->method is the method of the place, and that is not the
 * stretch's first node. No call in here, and nothing that aliases: all of it stays in registers.
 */
static bool take_expected(struct loop *l, const uint8_t *end, const struct pv_digest *g)
{
	struct pv_digest_node *const node = g->node.v, *n = &node[l->at];
	int64_t *top = g->entered.v + l->depth, *const room = g->entered.v + g->entered.room;
	const int64_t limit = (int64_t)l->limit;
	const uint8_t *p = l->p, *q; /* q: where the event began if its time had two bytes */
	int64_t now = (int64_t)l->now, time;
	uint32_t enters = l->enters;
	bool behind = true, other = false;
	uint64_t w;
	if (end - p < WORD)
		return false;
	end -= WORD;
	if (l->behind)
		goto behind;
within:
	if (p > end)
		goto out_within;
	q = p;
	w = word_at(p);
	if (!is_usual(w)) {
		if (w & 0x8000)
			goto out_within;
		w = widened(w);
		q--;
	}
	time = now + time_of(w);
	if (time >= limit)
		goto out_within;
	if ((uint8_t)w == MLPD_ENTER) {
		if (!is_as(w, &n->first) || top == room)
			goto other_within;
		p = q + length(&n->first);
		n = &node[n->first.how >> 8];
		goto enter;
	}
	if ((uint8_t)w != MLPD_LEAVE || (uint8_t)(w >> 24) != 0)
		goto out_within;
	p = q + 4;
leave:
	now = time;
	end_call(n, now - *--top);
behind:
	if (p > end)
		goto out;
	q = p;
	w = word_at(p);
	if (!is_usual(w)) {
		if (w & 0x8000)
			goto out;
		w = widened(w);
		q--;
	}
	time = now + time_of(w);
	if (time >= limit)
		goto out;
	if ((uint8_t)w == MLPD_LEAVE) {
		if (!is_as(w, &n->leave))
			goto out;
		p = q + length(&n->leave);
		n = &node[n->parent];
		goto leave;
	}
	if ((uint8_t)w != MLPD_ENTER)
		goto out;
	if (!is_as(w, &n->next) || top == room)
		goto other;
	p = q + length(&n->next);
	n = &node[n->next.how >> 8];
enter:
	now = time;
	enters++;
	*top++ = now;
	goto within;

other_within:
	behind = false;
other:
	other = true;
	goto out;
out_within:
	behind = false;
out:
	*l = (struct loop){ .p = p,
		.from = l->from,
		.now = (uint64_t)now,
		.method = n->key,
		.limit = l->limit,
		.at = (uint32_t)(n - node),
		.behind = behind,
		.depth = (size_t)(top - g->entered.v),
		.enters = enters,
		.exceptional = l->exceptional };
	return !other;
}

/*
 * A call was entered that is not the one of the last time. If it was made from here at any time,
 * it is expected from now on.
 */
static bool learn(
	const struct loop *l, const uint8_t *end, const struct pv_digest *g, uint64_t mask)
{
	struct pv_digest_node *const node = g->node.v, *n = &node[l->at];
	uint32_t bytes, shift, child, parent = l->behind ? n->parent : l->at;
	uint64_t w;
	if (!usual_at(l->p, end, &w) || !take_bytes(w, &bytes, &shift))
		return false;
	uint64_t key = (n->key + difference(bytes, shift)) & mask;
	child = mlpd_digest_find(g, parent, key);
	*(l->behind ? &n->next : &n->first) =
		child ? mlpd_step(bytes, shift, child) : mlpd_step(MLPD_NO_BYTES, 24, 0);
	return child != 0 && l->depth < g->entered.room;
}

static void take_known(
	struct loop *l, const uint8_t *end, const struct mlpd_digester *d, uint64_t mask)
{
	const struct pv_digest *g = &d->home->digest;
	while (!take_expected(l, end, g) && learn(l, end, g, mask))
		;
}

/* --- what is not */

/* Whether the difference counts from the place's own method: other events had methods, too. */
static bool is_chained(const struct loop *l, const struct mlpd_digester *d, uint64_t mask)
{
	const struct pv_digest_node *n = &d->home->digest.node.v[l->at];
	return n->parent != l->at && ((l->method ^ n->key) & mask) == 0;
}

static uint32_t open_node(const struct loop *l, const struct mlpd_digester *d)
{
	return l->behind ? d->home->digest.node.v[l->at].parent : l->at;
}

static enum took enter(struct loop *l, const uint8_t *end, struct mlpd_digester *d,
	const struct mlpd_call *e, uint64_t mask)
{
	struct pv_digest *g = &d->home->digest;
	uint64_t w;
	uint32_t bytes, shift;
	uint32_t child = mlpd_digest_child(d, open_node(l, d), (l->method + e->method) & mask);
	if (child == 0)
		return d->on ? NOMEM : OTHER;
	if (l->depth == g->entered.room) {
		g->entered.n = g->entered.room; /* all of it is in use: it must be kept */
		bool ok = pv_reserve(&g->entered, 1);
		g->entered.n = 0;
		if (!ok)
			return NOMEM;
	}
	struct pv_digest_node *n = &g->node.v[l->at];
	if (is_chained(l, d, mask) && usual_at(l->p, end, &w) && take_bytes(w, &bytes, &shift))
		*(l->behind ? &n->next : &n->first) = mlpd_step(bytes, shift, child);
	l->at = child;
	l->behind = false;
	l->enters++;
	g->entered.v[l->depth++] = (int64_t)(l->now + e->time);
	return TOOK;
}

static enum took leave(struct loop *l, const uint8_t *end, struct mlpd_digester *d,
	const struct mlpd_call *e, uint64_t mask)
{
	struct pv_digest *g = &d->home->digest;
	struct pv_digest_node *n = &g->node.v[l->at];
	uint32_t top = open_node(l, d), bytes, shift;
	uint64_t w;
	if (*l->p == MLPD_EXC_LEAVE) {
		g->node.v[top].exc_leaves++;
		l->exceptional++;
	} else if (l->behind && is_chained(l, d, mask) && usual_at(l->p, end, &w) &&
		   take_bytes(w, &bytes, &shift)) {
		n->leave = mlpd_step(bytes, shift, 0);
	}
	uint64_t ns = l->now + e->time - (uint64_t)g->entered.v[--l->depth];
	end_call(&g->node.v[top], (int64_t)ns);
	l->at = top;
	l->behind = true;
	return TOOK;
}

/* Whether a leave is that of the innermost call in the stretch. */
static bool is_own(const struct loop *l, const struct mlpd_digester *d, const struct mlpd_call *e,
	uint64_t mask)
{
	uint64_t key = (l->method + e->method) & mask;
	return l->depth > 0 && d->home->digest.node.v[open_node(l, d)].key == key;
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

bool mlpd_digest_calls(
	struct mlpd_digester *d, struct pv_cursor *c, struct mlpd_bases *bases, uint64_t mask)
{
	struct loop l = { .p = c->at, .now = bases->time, .method = bases->method };
	enum took took = TOOK;
	load(&l, d);
	if (d->within && (int64_t)l.now < d->limit_ns && (int64_t)l.now >= d->last_ns &&
		is_chained(&l, d, mask))
		take_known(&l, c->end, d, mask);
	while (d->on && (took = take_one(&l, c->end, d, mask)) == TOOK)
		take_known(&l, c->end, d, mask);
	save(&l, d);
	c->at = l.p;
	bases->time = l.now;
	bases->method = l.method;
	return took != NOMEM;
}
