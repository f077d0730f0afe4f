#include "common/calls/summariser.h"

#include <stdlib.h>

#include "common/format/mlpd/mlpd.h"
#include "common/calls/mlpd_digest.h"

enum {
	NODES_KEPT = 1 << 19, /* of all trees, from one run to the next */
};

struct mlpd_strand {
	bool used; /* by the present run */
	uint64_t thread;
	uint64_t run; /* that used it last; 0: none */
	struct mlpd_digester digester;
	struct mlpd_tree tree;
};

struct pv_summariser {
	uint64_t number;
	size_t kept; /* nodes of its trees, from one run to the next */
	struct mlpd_strand strand[PV_STRANDS];
};

struct pv_summariser *pv_summariser_create(void)
{
	struct pv_summariser *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->number = 1;
	r->kept = NODES_KEPT;
	for (uint32_t i = 0; i < PV_STRANDS; i++) {
		r->strand[i].digester.strand = i;
		r->strand[i].digester.most = MLPD_TREE_KEPT;
	}
	return r;
}

void pv_summariser_keep(struct pv_summariser *r, uint32_t paths)
{
	r->kept = 2 * (size_t)paths;
	for (size_t i = 0; i < PV_STRANDS; i++)
		r->strand[i].digester.most = paths;
}

void pv_summariser_destroy(struct pv_summariser *r)
{
	for (size_t i = 0; r && i < PV_STRANDS; i++)
		mlpd_tree_finish(&r->strand[i].tree);
	free(r);
}

/* What it has open is not known, and with `paths` neither what it has learnt. */
static void forget(struct mlpd_strand *s, bool paths)
{
	s->digester.known = false;
	if (!paths)
		return;
	s->digester.trees++;
	mlpd_tree_forget(&s->tree);
}

void pv_summariser_forget(struct pv_summariser *r, bool paths)
{
	for (size_t i = 0; i < PV_STRANDS; i++)
		forget(&r->strand[i], paths);
}

/* The thread's, or the one not used for longest. NULL: all are in use. */
static struct mlpd_strand *find_strand(struct pv_summariser *r, uint64_t thread)
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
	forget(oldest, false);
	return oldest;
}

static struct mlpd_digester *strand_of(struct pv_summariser *r, struct pv_batch *b)
{
	struct mlpd_strand *s = find_strand(r, b->thread);
	if (!s)
		return NULL;
	if (s->used)
		return mlpd_digest_next(&s->digester, &s->tree, b) ? &s->digester : NULL;
	s->used = true;
	s->thread = b->thread;
	s->run = r->number;
	mlpd_digest_run(&s->digester, &s->tree, b);
	return &s->digester;
}

bool pv_summariser_add(struct pv_summariser *r, struct pv_batch *b, struct mlpd_bases *bases,
	const struct mlpd_format *f, size_t *ret_used)
{
	struct mlpd_digester *d = strand_of(r, b);
	return d && mlpd_digest_decode(d, bases, f, false, ret_used);
}

/* Trees that were not used for longest go where all together are too large. */
static void trim(struct pv_summariser *r)
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

bool pv_summariser_end_run(struct pv_summariser *r)
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
