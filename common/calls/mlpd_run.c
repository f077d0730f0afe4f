#include "common/calls/mlpd_run.h"

#include <stdlib.h>

#include "common/format/mlpd/mlpd.h"
#include "common/calls/mlpd_digest.h"

enum {
	NODES_KEPT = 3 << 18,   /* of all decoders' trees ... */
	NODES_OF_ONE = 1 << 19, /* ... and of one decoder's */
	CALLS_TOLD = 1 << 14,   /* of all threads together */
};

struct mlpd_strand {
	bool used;     /* by the present run */
	uint64_t thread;
	uint64_t run;  /* that used it last; 0: none */
	uint64_t chain; /* likewise */
	struct mlpd_digester digester;
	struct mlpd_tree tree;
};

struct mlpd_run {
	uint64_t number, chain;
	bool untold; /* of the chain: a strand of it was given to another thread */
	size_t kept; /* nodes of its trees, from one run to the next */
	struct mlpd_strand strand[PV_STRANDS];
};

struct mlpd_run *mlpd_run_create(unsigned which, unsigned of)
{
	struct mlpd_run *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->number = r->chain = 1;
	size_t kept = NODES_KEPT / of < NODES_OF_ONE ? NODES_KEPT / of : NODES_OF_ONE;
	for (uint32_t i = 0; i < PV_STRANDS; i++)
		r->strand[i].digester.strand = which * PV_STRANDS + i;
	mlpd_run_keep(r, kept / 2 < MLPD_TREE_KEPT ? (uint32_t)kept / 2 : MLPD_TREE_KEPT);
	r->kept = kept;
	return r;
}

void mlpd_run_keep(struct mlpd_run *r, uint32_t paths)
{
	r->kept = 2 * (size_t)paths;
	for (size_t i = 0; i < PV_STRANDS; i++)
		r->strand[i].digester.most = paths;
}

void mlpd_run_destroy(struct mlpd_run *r)
{
	for (size_t i = 0; r && i < PV_STRANDS; i++)
		mlpd_tree_finish(&r->strand[i].tree);
	free(r);
}

/* What it has open is not known, and with `paths` neither what it has learnt. */
static void forget(struct mlpd_strand *s, bool paths)
{
	s->digester.known = false;
	s->digester.since.lost = true;
	if (!paths)
		return;
	s->digester.trees++;
	mlpd_tree_forget(&s->tree);
}

void mlpd_run_forget(struct mlpd_run *r, bool paths)
{
	for (size_t i = 0; i < PV_STRANDS; i++)
		forget(&r->strand[i], paths);
}

/* The thread's, or the one not used for longest. NULL: all are in use. */
static struct mlpd_strand *find_strand(struct mlpd_run *r, uint64_t thread)
{
	struct mlpd_strand *oldest = NULL;
	for (size_t i = 0; i < PV_STRANDS; i++) {
		struct mlpd_strand *s = &r->strand[i];
		if (s->run && s->thread == thread)
			return s;
		if (!s->used && (!oldest || s->run < oldest->run))
			oldest = s;
	}
	if (!oldest)
		return NULL;
	r->untold |= oldest->chain == r->chain;
	oldest->chain = 0;
	forget(oldest, false);
	return oldest;
}

static void take_up(struct mlpd_run *r, struct mlpd_strand *s)
{
	struct mlpd_digester *d = &s->digester;
	if (s->chain == r->chain)
		return;
	s->chain = r->chain;
	d->since = (struct mlpd_since){ .open = d->known ? d->depth : 0, .from_ns = d->last_ns };
}

static struct mlpd_digester *strand_of(struct mlpd_run *r, struct pv_batch *b)
{
	struct mlpd_strand *s = find_strand(r, b->thread);
	if (!s)
		return NULL;
	if (s->used)
		return mlpd_digest_next(&s->digester, &s->tree, b) ? &s->digester : NULL;
	s->used = true;
	s->thread = b->thread;
	s->run = r->number;
	take_up(r, s);
	mlpd_digest_run(&s->digester, &s->tree, b);
	return &s->digester;
}

bool mlpd_run_decode(struct mlpd_run *r, struct pv_batch *b, struct mlpd_bases *bases,
	const struct mlpd_format *f, size_t *ret_used)
{
	struct mlpd_digester *d = strand_of(r, b);
	return d && mlpd_digest_decode(d, bases, f, false, ret_used);
}

/* Trees that were not used for longest go where all together are too large. */
static void trim(struct mlpd_run *r)
{
	for (;;) {
		size_t kept = 0;
		struct mlpd_strand *oldest = NULL;
		for (size_t i = 0; i < PV_STRANDS; i++) {
			struct mlpd_strand *s = &r->strand[i];
			kept += s->tree.room;
			if (s->tree.room && (!oldest || s->run < oldest->run))
				oldest = s;
		}
		if (kept <= r->kept || !oldest)
			return;
		forget(oldest, true);
		mlpd_tree_finish(&oldest->tree);
	}
}

bool mlpd_run_end(struct mlpd_run *r)
{
	bool ok = true;
	for (size_t i = 0; i < PV_STRANDS; i++) {
		struct mlpd_strand *s = &r->strand[i];
		ok = (!s->used || mlpd_digest_close(&s->digester)) && ok;
		s->used = false;
	}
	trim(r);
	r->number++;
	return ok;
}

/* --- between decoders */

void mlpd_effect_finish(struct mlpd_effect *e)
{
	pv_array_finish(&e->thread);
	pv_array_finish(&e->call);
}

void mlpd_run_chain(struct mlpd_run *r)
{
	r->chain++;
	r->untold = false;
}

static bool tell(const struct mlpd_digester *d, uint64_t thread, struct mlpd_effect *e)
{
	size_t depth = d->known && !d->since.lost ? d->depth : 0;
	size_t before = depth ? mlpd_digest_kept(d, d->since.from_ns) : 0;
	size_t kept = before < d->since.open ? before : d->since.open, more = depth - kept;
	bool lost = d->since.lost || e->call.n + more > CALLS_TOLD;
	if (!pv_reserve(&e->thread, 1) || (!lost && !pv_reserve(&e->call, more)))
		return false;
	e->thread.v[e->thread.n++] = (struct mlpd_effect_thread){ .thread = thread,
		.lost = lost,
		.ended = d->since.ended + d->since.open - kept,
		.open = e->call.n,
		.opens = lost ? 0 : more,
		.last_ns = d->last_ns };
	if (lost || more == 0)
		return true;
	uint32_t path = mlpd_digest_top(d);
	for (size_t i = more; i-- > 0; path = d->tree->place[path].parent)
		e->call.v[e->call.n + i] = (struct mlpd_effect_call){ d->tree->place[path].key,
			d->tree->open.v[kept + i].enter_ns };
	e->call.n += more;
	return true;
}

void mlpd_run_tell(struct mlpd_run *r, struct mlpd_effect *ret)
{
	ret->thread.n = ret->call.n = 0;
	ret->lost = r->untold;
	for (size_t i = 0; i < PV_STRANDS && !ret->lost; i++) {
		const struct mlpd_strand *s = &r->strand[i];
		if (s->chain == r->chain)
			ret->lost = !tell(&s->digester, s->thread, ret);
	}
}

/* False where the strand's base ended, too, and where time steps back. */
static bool join(struct mlpd_digester *d, struct mlpd_tree *t, const struct mlpd_effect_thread *e,
	const struct mlpd_effect_call *call)
{
	if (e->lost || d->depth < e->ended || !mlpd_tree_begin(t))
		return false;
	uint32_t at = mlpd_digest_top(d);
	for (size_t i = 0; i < e->ended; i++)
		at = t->place[at].parent;
	d->depth -= e->ended;
	t->open.n = d->depth;
	bool ok = pv_reserve(&t->open, e->opens);
	t->open.n = 0;
	for (size_t i = 0; i < e->opens && ok; i++) {
		ok = d->depth == 0 || call[i].enter_ns >= t->open.v[d->depth - 1].enter_ns;
		at = ok ? mlpd_tree_child(t, at, call[i].key) : 0;
		ok = at != 0;
		if (ok)
			t->open.v[d->depth++] =
				(struct mlpd_open){ call[i].enter_ns, at << MLPD_STEP_NODE };
	}
	d->at = at;
	d->behind = d->depth == 0;
	d->rejoins = true;
	if (e->opens && e->last_ns > d->last_ns)
		d->last_ns = e->last_ns;
	return ok;
}

void mlpd_run_join(struct mlpd_run *r, const struct mlpd_effect *e)
{
	if (e->lost) {
		mlpd_run_forget(r, false);
		return;
	}
	for (size_t i = 0; i < e->thread.n; i++) {
		const struct mlpd_effect_thread *t = &e->thread.v[i];
		for (size_t k = 0; k < PV_STRANDS; k++) {
			struct mlpd_strand *s = &r->strand[k];
			if (s->run && s->thread == t->thread && s->digester.known &&
				!join(&s->digester, &s->tree, t, e->call.v + t->open))
				forget(s, false);
		}
	}
}
