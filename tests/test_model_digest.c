/*
 * Random logs, read event by event and with the calls of each buffer summed up where it is
 * decoded: every figure is the same.
 */
#include "common/format/framer.h"
#include "common/format/mlpd_chain.h"
#include "common/model/buckets.h"
#include "common/model/recall.h"
#include "common/model/stretch.h"
#include "common/model/window.h"
#include "tests/logkit.h"
#include "tests/suite.h"

enum { LOOPS = 20, METHODS = 12, DEEP = 40, EDGE = 1000000, CELL = PV_WINDOW_CELL_MS * 1000000 };

static uint64_t state;

static uint64_t odd(uint64_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (state >> 33) % below;
}

/* --- worlds */

struct teller { /* of a thread's calls */
	uint64_t open[DEEP];
	size_t depth;
};

struct world {
	struct logkit *k;
	struct teller thread[3];
	bool gap[4096]; /* by buffer */
	size_t buffers;
	int64_t now;
	bool wild; /* times step back, leaves go astray */
	bool off;  /* without a window: stretches are as long as they can be */
	bool slow; /* and many calls take seconds */
};

/*
 * Differences are one to ten bytes long, and some differ in the last of them alone. One of 1 looks
 * like the end of a longer time, and one of 2^43, to whoever takes its first byte for the second of
 * a time, like one of 2^36.
 */
static uint64_t method_at(uint64_t i)
{
	static const uint64_t far[] = { 0x7f0000401000, 0x7f0000419380, 0x7f0000401001,
		0x55d0c0de1000, 0xff00000000401000, 0x01007f0000401000, 0x7f1000401000,
		0x870000401000 };
	return far[i % PV_COUNT_OF(far)] + i / PV_COUNT_OF(far) * 0x938;
}

static int64_t to_multiple(int64_t now, int64_t of)
{
	return of - now % of;
}

/* Where a cell of the timeline or of the window ends events come at that very moment, too. */
static void step(struct world *w)
{
	static const int64_t by[] = { 1, 90, 150, 900, 17000, 3000000 };
	int64_t edge = to_multiple(w->now, EDGE), cell = to_multiple(w->now, CELL);
	w->now += edge < 16000 && odd(2) ? edge : by[odd(odd(8) ? 5 : 6)];
	if (odd(1000) == 0 && cell > EDGE)
		w->now += to_multiple(w->now, CELL) - 150 - (int64_t)odd(900);
	if (w->wild && odd(500) == 0)
		w->now += odd(2) ? 400000000 : -(int64_t)odd(100000);
	/* What is open then takes longer than 31 or 32 bits can say. */
	if (odd(w->slow ? 20 : 1000) == 0)
		w->now += odd(2) ? 2200000000 + (int64_t)odd(1000) : 4400000000;
	if (w->slow && odd(200) == 0) /* and cells get as wide */
		w->now += 1000000000000;
}

static void enter(struct world *w, struct teller *t)
{
	if (t->depth == DEEP)
		return;
	t->open[t->depth] = method_at(odd(odd(4) ? 3 : METHODS));
	logkit_enter(w->k, w->now, t->open[t->depth++]);
}

static void leave(struct world *w, struct teller *t)
{
	bool exceptional = odd(20) == 0;
	if (w->wild && odd(60) == 0) { /* a stray one, or one of a method further out */
		logkit_leave(w->k, w->now, method_at(odd(METHODS)));
		return;
	}
	if (t->depth == 0)
		return;
	t->depth -= w->wild && odd(40) == 0 ? odd(t->depth) + 1 : 1;
	if (exceptional)
		logkit_exc_leave(w->k, w->now, t->open[t->depth]);
	else
		logkit_leave(w->k, w->now, t->open[t->depth]);
}

static void sample(struct world *w)
{
	struct pv_event e = { .kind = PV_KIND_SAMPLE_HIT, .hit = { .type = 1, .thread = odd(3) } };
	e.hit.ips = LOGKIT_LIST(w->k, method_at(odd(METHODS)) + 4);
	e.hit.frames = LOGKIT_LIST(w->k, method_at(odd(METHODS)), method_at(odd(METHODS)));
	logkit_event(w->k, w->now, e);
}

static void alloc(struct world *w)
{
	struct pv_event e = { .kind = PV_KIND_ALLOC };
	e.alloc.type = logkit_type(w->k, 0xc000 + odd(4) * 16);
	e.alloc.object = 0x10000 + odd(4000) * 8;
	e.alloc.size = 16 + odd(100);
	if (odd(3) == 0)
		e.alloc.stack = LOGKIT_LIST(w->k, method_at(odd(METHODS)), method_at(odd(3)));
	logkit_event(w->k, w->now, e);
}

static void rare(struct world *w)
{
	char name[8] = { 'm', (char)('a' + odd(METHODS)), (char)('0' + odd(2)) };
	uint64_t thread = odd(3);
	switch (odd(9)) {
	case 0:
		logkit_method(w->k, w->now, method_at(odd(METHODS)), name);
		break;
	case 1:
		logkit_class(w->k, w->now, 0xc000 + odd(4) * 16, name);
		break;
	case 2:
	case 3:
		sample(w);
		break;
	case 4:
		logkit_object(w->k, w->now, PV_KIND_EXCEPTION_THROW, 0x10000 + odd(4000) * 8);
		break;
	case 5:
		logkit_object(w->k, w->now, PV_KIND_MONITOR_CONTENTION, 0x10000 + odd(40) * 8);
		break;
	case 6:
		logkit_object(w->k, w->now, PV_KIND_MONITOR_DONE, 0x10000 + odd(40) * 8);
		break;
	default:
		if (odd(60) == 0)
			logkit_event(w->k, w->now,
				(struct pv_event){
					.kind = odd(2) ? PV_KIND_THREAD_START : PV_KIND_THREAD_END,
					.meta = { .key = thread } });
	}
}

static void flush(struct world *w)
{
	w->k->gap = w->gap[w->buffers++] = w->wild && odd(12) == 0;
	w->k->damage = w->wild && odd(12) == 0 ? 1 + odd(9) : 0;
	logkit_flush(w->k);
}

static void buffer(struct world *w)
{
	size_t thread = odd(3), events = odd(odd(4) ? 300 : 3000), often = 5 + odd(400);
	struct teller *t = &w->thread[thread];
	logkit_on(w->k, thread);
	logkit_plain(w->k, w->now, PV_KIND_SYNC_POINT);
	for (size_t i = 0; i < events; i++) {
		step(w);
		if (odd(often) == 0)
			rare(w);
		else if (odd(often) < 2)
			alloc(w);
		else if (odd(64 + 2 * t->depth) < 64)
			enter(w, t);
		else
			leave(w, t);
		if (odd(2) == 0)
			leave(w, t);
	}
	flush(w);
}

/* --- the same log, summed up */

enum { RUN = 12 };

struct reader {
	struct pv_model *m;
	struct pv_batch run[RUN];
	struct mlpd_bases bases[RUN];
	struct mlpd_format format;
	size_t n, longest;
	uint64_t digested;
	struct mlpd_chain chain;
	struct mlpd_decoder *before; /* had the last run */
	uint64_t place;
	bool begin_anew; /* the next one */
	uint32_t lost_times;
	unsigned anew; /* runs until what is open is forgotten; 0: never */
	bool lost;     /* the paths, too */
};

/* As where runs are decoded ahead: some are, before one is known to have been refused. */
static void forget_in_time(struct reader *r, bool plain, bool heard)
{
	if (r->anew > 0 && --r->anew == 0) {
		r->begin_anew = true;
		r->lost_times += r->lost;
		r->lost = false;
	}
	r->lost |= !heard;
	if ((plain || odd(30) == 0) && r->anew == 0)
		r->anew = 1 + (unsigned)odd(3);
}

/* Now and then while the run before is still being decoded. */
static struct mlpd_run *next_decoder(struct reader *r)
{
	bool unknown = r->before && r->chain.decoders > 1 && odd(4) == 0;
	if (r->before)
		r->before->busy = unknown;
	struct mlpd_decoder *d = mlpd_chain_choose(&r->chain, ++r->place, unknown);
	ck_assert_ptr_nonnull(d);
	ck_assert(!d->busy && d->place < r->place);
	if (r->before)
		r->before->busy = false;
	mlpd_chain_take_up(d, r->place, r->begin_anew, r->lost_times);
	r->begin_anew = false;
	r->before = d;
	return d->run;
}

/* Together, or one by one where the model does not take all of them or one is damaged. */
static void apply(struct reader *r)
{
	const struct pv_batch *run[RUN];
	struct pv_batch *mine[RUN];
	size_t used;
	bool plain = odd(60) == 0;
	struct mlpd_run *whole = next_decoder(r);
	for (size_t i = 0; i < r->n; i++) {
		run[i] = mine[i] = &r->run[i];
		ck_assert(mlpd_run_decode(whole, &r->run[i], &r->bases[i], &r->format, &used));
		plain |= r->run[i].damaged;
	}
	ck_assert(mlpd_run_end(whole));
	mlpd_chain_tell(&r->chain, r->before);
	bool lost = odd(40) == 0; /* with the paths that they name */
	bool heard = !lost && pv_model_hears(r->m, mine, r->n);
	plain = plain || !heard || !pv_model_takes(r->m, run, r->n);
	for (size_t i = 0; i < r->n; i++) {
		size_t at = 0;
		if (plain)
			ck_assert(mlpd_decode_plain(&r->run[i]));
		r->digested += r->run[i].digest.events;
		ck_assert(pv_model_apply(r->m, &r->run[i], &at, 0));
		ck_assert_uint_eq(at, r->run[i].n);
		pv_batch_finish(&r->run[i]);
	}
	if (lost && odd(2))
		r->begin_anew = true; /* what comes goes on from nothing, in the same tree */
	forget_in_time(r, plain, heard);
	r->n = 0;
}

static void read_buffer(struct reader *r, const struct mlpd_framer *f, bool gap)
{
	uint8_t bytes[256];
	size_t header = mlpd_put_header(bytes, sizeof bytes, &f->header);
	if (gap || r->n == r->longest)
		apply(r);
	if (gap && odd(2))
		r->begin_anew = true;
	struct pv_batch *b = &r->run[r->n];
	ck_assert(pv_reserve(&b->bytes, f->payload_len + 1));
	memcpy(b->bytes.v, f->payload, f->payload_len);
	b->bytes.n = b->bytes_len = f->payload_len;
	b->thread = f->buffer.thread;
	b->time_base = f->buffer.time_base;
	b->offset = f->offset - header; /* as logkit counts */
	b->gap_before = gap;
	pv_model_digests(r->m, &b->digest);
	mlpd_bases_init(&r->bases[r->n++], &f->buffer);
	r->format = f->header.format;
	if (r->m->timeline.width_ns == 0 || odd(8) == 0)
		apply(r); /* the first one shows how others come */
}

static struct logkit *read_again(
	const struct world *w, struct pv_recall *recall, uint64_t *ret_digested)
{
	struct logkit *twin = logkit_new(17); /* for its model, begun in the same way */
	struct pv_model *m = twin->model;
	struct mlpd_framer f = { 0 };
	struct reader r = { .m = m, .longest = 1 + odd(RUN) };
	size_t at = 0, buffer = 0, room;
	ck_assert(mlpd_chain_init(&r.chain, 1 + (unsigned)odd(PV_DECODERS)));
	for (unsigned i = 0; i < r.chain.decoders && odd(2); i++)
		mlpd_run_keep(r.chain.decoder[i].run, 50 + (uint32_t)odd(500));
	m->calls.cap = w->k->model->calls.cap;
	m->recall = recall;
	if (w->off)
		pv_window_off(m);
	ck_assert(mlpd_framer_init(&f));
	while (at < w->k->file.n) {
		uint8_t *to = mlpd_framer_room(&f, &room);
		room = room < w->k->file.n - at ? room : w->k->file.n - at;
		memcpy(to, w->k->file.v + at, room);
		mlpd_framer_filled(&f, room);
		at += room;
		for (enum mlpd_piece p; (p = mlpd_framer_next(&f)) != MLPD_MORE;) {
			ck_assert_int_ne(p, MLPD_FAILED);
			if (p == MLPD_BUFFER)
				read_buffer(&r, &f, w->gap[buffer++]);
		}
	}
	apply(&r);
	mlpd_chain_finish(&r.chain);
	*ret_digested += r.digested;
	ck_assert_uint_eq(buffer, w->buffers);
	mlpd_framer_finish(&f);
	return twin;
}

/* --- comparing */

/*
 * Numbers of nodes, stacks and methods are given as they are met, which is in another order where
 * calls come summed up. What they are in the other model:
 */
struct twins {
	const struct pv_model *a, *b;
	uint32_t node[1 << 16], stack[1 << 16];
};

static bool same_method(const struct twins *t, uint32_t a, uint32_t b)
{
	const struct pv_method *x = &t->a->names.method.v[a], *y = &t->b->names.method.v[b];
	return x->key == y->key && x->from_ns == y->from_ns && x->native == y->native;
}

static void find_twins(struct twins *t)
{
	const struct pv_calls *x = &t->a->calls, *y = &t->b->calls;
	ck_assert_uint_lt(x->node.n, PV_COUNT_OF(t->node));
	for (uint32_t i = 1; i < x->node.n; i++) {
		uint32_t k = y->node.v[t->node[x->node.v[i].parent]].first_child;
		while (k && !same_method(t, x->node.v[i].method, y->node.v[k].method))
			k = y->node.v[k].next_sibling;
		ck_assert_uint_ne(k, 0);
		t->node[i] = k;
	}
	const struct pv_stacks *s = &t->a->stacks, *o = &t->b->stacks;
	ck_assert_uint_lt(s->node.n, PV_COUNT_OF(t->stack));
	for (uint32_t i = 1; i < s->node.n; i++) {
		uint32_t parent = t->stack[s->node.v[i].parent], k = 1;
		while (k < o->node.n &&
			(o->node.v[k].parent != parent ||
				!same_method(t, s->node.v[i].method, o->node.v[k].method)))
			k++;
		ck_assert_uint_lt(k, o->node.n);
		t->stack[i] = k;
	}
}

static void same_calls(const struct twins *t)
{
	const struct pv_calls *x = &t->a->calls, *y = &t->b->calls;
	ck_assert_uint_eq(x->node.n, y->node.n);
	for (size_t i = 0; i < x->node.n; i++) {
		const struct pv_tree_node *n = &x->node.v[i], *o = &y->node.v[t->node[i]];
		ck_assert_uint_eq(n->calls, o->calls);
		ck_assert_int_eq(n->self_ns, o->self_ns);
		ck_assert_int_eq(n->total_ns, o->total_ns);
		ck_assert_int_eq(n->max_ns, o->max_ns);
		ck_assert_uint_eq(n->exc_leaves, o->exc_leaves);
		ck_assert_uint_eq(n->samples, o->samples);
		ck_assert_uint_eq(n->children, o->children);
	}
}

static void same_sums(const struct pv_calls *x, const struct pv_calls *y)
{
	ck_assert_uint_eq(x->calls, y->calls);
	ck_assert_uint_eq(x->samples, y->samples);
	ck_assert_uint_eq(x->stray_leaves, y->stray_leaves);
	ck_assert_uint_eq(x->missing_leaves, y->missing_leaves);
	ck_assert_uint_eq(x->unwound, y->unwound);
	ck_assert_uint_eq(x->gap_closed, y->gap_closed);
}

static void same_thread(const struct twins *t, const struct pv_thread *a, const struct pv_thread *b)
{
	ck_assert_uint_eq(a->id, b->id);
	ck_assert_int_eq(a->first_ns, b->first_ns);
	ck_assert_int_eq(a->last_ns, b->last_ns);
	ck_assert_uint_eq(a->events, b->events);
	ck_assert_uint_eq(a->calls, b->calls);
	ck_assert_uint_eq(a->allocated_bytes, b->allocated_bytes);
	ck_assert_int_eq(a->stack.last_ns, b->stack.last_ns);
	ck_assert_uint_eq(a->stack.stack.n, b->stack.stack.n);
	for (size_t i = 0; i < a->stack.stack.n; i++) {
		uint32_t node = a->stack.stack.v[i].node;
		if (t)
			ck_assert_uint_eq(t->node[node], b->stack.stack.v[i].node);
		ck_assert_int_eq(a->stack.stack.v[i].enter_ns, b->stack.stack.v[i].enter_ns);
	}
}

static void same_sites(const struct twins *t, const struct pv_sites *a, const struct pv_sites *b)
{
	ck_assert_uint_eq(a->site.n, b->site.n);
	for (size_t i = 1; i < a->site.n; i++) {
		ck_assert_uint_eq(a->site.v[i].class_use, b->site.v[i].class_use);
		ck_assert_uint_eq(t->stack[a->site.v[i].stack], b->site.v[i].stack);
		ck_assert_uint_eq(a->site.v[i].count, b->site.v[i].count);
		ck_assert_uint_eq(a->site.v[i].amount, b->site.v[i].amount);
	}
}

static bool is_empty(const struct pv_window_node *n)
{
	return !n->calls && !n->self_ns && !n->samples;
}

static void same_window(const struct twins *t)
{
	static const uint64_t width[] = { 100000000, 1000000000, 10000000000 };
	for (size_t i = 0; i < PV_COUNT_OF(width); i++) {
		struct pv_window_sums x, y;
		struct pv_map in_b = { 0 };
		size_t left = 0;
		ck_assert(pv_window_sum(t->a, width[i], &x) && pv_window_sum(t->b, width[i], &y));
		ck_assert_uint_eq(x.sites.n, y.sites.n);
		for (size_t k = 0; k < y.nodes.n; k++) {
			ck_assert(pv_map_set(&in_b, y.nodes.v[k].node, (uint32_t)k));
			left += !is_empty(&y.nodes.v[k]);
		}
		for (size_t k = 0; k < x.nodes.n; k++) {
			const struct pv_window_node *n = &x.nodes.v[k];
			if (is_empty(n)) /* may be there or not */
				continue;
			uint32_t at = pv_map_get(&in_b, t->node[n->node]);
			ck_assert_uint_ne(at, PV_MAP_NONE);
			ck_assert_uint_eq(n->calls, y.nodes.v[at].calls);
			ck_assert_int_eq(n->self_ns, y.nodes.v[at].self_ns);
			ck_assert_uint_eq(n->samples, y.nodes.v[at].samples);
			left--;
		}
		ck_assert_uint_eq(left, 0);
		pv_map_finish(&in_b);
		pv_window_sums_finish(&x);
		pv_window_sums_finish(&y);
	}
}

/* By thread: others name methods by their numbers. */
static bool of_thread(const struct pv_bucket_entry *e)
{
	return (e->count || e->amount) &&
	       (e->what == PV_BUCKET_THREAD || e->what == PV_BUCKET_THREAD_BYTES ||
		       e->what == PV_BUCKET_THREAD_SAMPLES);
}

static size_t next_bucket(const struct pv_bucket_sums *s, size_t i)
{
	while (i < s->entry.n && !of_thread(&s->entry.v[i]))
		i++;
	return i;
}

static void same_buckets(const struct pv_model *a, const struct pv_model *b, int64_t from)
{
	struct pv_bucket_sums x, y;
	ck_assert(pv_buckets_sum(a, from, from + 300000000, &x));
	ck_assert(pv_buckets_sum(b, from, from + 300000000, &y));
	size_t i = next_bucket(&x, 0), k = next_bucket(&y, 0);
	while (i < x.entry.n && k < y.entry.n) {
		ck_assert_mem_eq(&x.entry.v[i], &y.entry.v[k], sizeof *x.entry.v);
		i = next_bucket(&x, i + 1);
		k = next_bucket(&y, k + 1);
	}
	ck_assert(i == x.entry.n && k == y.entry.n);
	pv_bucket_sums_finish(&x);
	pv_bucket_sums_finish(&y);
}

static void same_places(const struct pv_recall *a, const struct pv_recall *b)
{
	ck_assert_uint_eq(a->classes.n, b->classes.n);
	ck_assert_uint_eq(a->moves.n, b->moves.n);
	for (size_t i = 0; i < a->classes.n; i++) {
		ck_assert_uint_eq(a->classes.v[i].place, b->classes.v[i].place);
		ck_assert_uint_eq(a->classes.v[i].class_use, b->classes.v[i].class_use);
	}
	for (size_t i = 0; i < a->moves.n; i++)
		ck_assert_uint_eq(a->moves.v[i].place, b->moves.v[i].place);
}

/* What folds at the cap depends on the order. */
static void same(const struct pv_model *a, const struct pv_model *b)
{
	static struct twins twins;
	struct twins *t = a->calls.folds || b->calls.folds ? NULL : &twins;
	twins = (struct twins){ .a = a, .b = b };
	same_sums(&a->calls, &b->calls);
	if (t) {
		find_twins(t);
		same_calls(t);
		same_sites(t, &a->allocs.sites, &b->allocs.sites);
		same_sites(t, &a->throws.sites, &b->throws.sites);
		if (a->buckets)
			same_window(t);
	}
	ck_assert_uint_eq(a->threads.thread.n, b->threads.thread.n);
	for (size_t i = 1; i < a->threads.thread.n; i++)
		same_thread(t, a->threads.thread.v[i], b->threads.thread.v[i]);
	ck_assert_mem_eq(a->kinds, b->kinds, sizeof a->kinds);
	ck_assert_mem_eq(&a->timeline, &b->timeline, sizeof a->timeline);
	ck_assert_uint_eq(a->events, b->events);
	ck_assert_int_eq(a->first_ns, b->first_ns);
	ck_assert_int_eq(a->last_ns, b->last_ns);
	ck_assert_uint_eq(a->damaged, b->damaged);
	ck_assert_uint_eq(a->stacks.node.n, b->stacks.node.n);
	ck_assert_uint_eq(a->names.method.n, b->names.method.n);
	ck_assert_uint_eq(a->allocs.with_path, b->allocs.with_path);
	same_places(a->recall, b->recall);
	for (int64_t from = 0; from < 2000000000 && a->buckets; from += 500000000)
		same_buckets(a, b, LOGKIT_ZERO + from);
}

static void compare(uint64_t seed, uint64_t *digested, uint64_t *events)
{
	static const size_t caps[] = { 400, 4000, PV_TREE_CAP };
	struct world *w = calloc(1, sizeof *w);
	struct pv_recall recall[2] = { 0 };
	state = seed;
	w->k = logkit_new(17);
	w->k->model->recall = &recall[0];
	w->wild = odd(2);
	w->off = odd(3) == 0;
	w->slow = w->off && odd(2);
	if (w->off)
		pv_window_off(w->k->model);
	w->k->model->calls.cap = caps[odd(3)];
	for (size_t n = 3 + odd(30); n > 0; n--)
		buffer(w);
	struct logkit *other = read_again(w, &recall[1], digested);
	same(logkit_model(w->k), other->model);
	*events += other->model->calls.cap == PV_TREE_CAP ? other->model->events : 0;
	logkit_free(other);
	pv_recall_finish(&recall[0]);
	pv_recall_finish(&recall[1]);
	logkit_free(w->k);
	free(w);
}

START_TEST(random_logs)
{
	uint64_t digested = 0, events = 0;
	const char *more = getenv("DIGEST_WORLDS"); /* for a long run: worlds per loop */
	uint64_t n = more ? strtoul(more, NULL, 10) : 4;
	for (uint64_t i = 0; i < n; i++)
		compare((uint64_t)_i * 1000 + i + 1, &digested, &events);
	ck_assert_uint_gt(digested, events / 20); /* or this compares nothing */
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model digest");
	TCase *t = tcase_create("digest");
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, random_logs, 0, LOOPS);
	suite_add_tcase(s, t);
	return run_suite(s);
}
