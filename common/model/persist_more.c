/* Handles, finalizers, roots and notes to bytes and back; see persist.c for the way it is done. */
#include "common/base/archive.h"
#include <string.h>

#include "common/model/gc_parts.h"

#define SAME_SIZE(type, size)                                                                      \
	_Static_assert(sizeof(void *) != 8 || sizeof(type) == (size),                              \
		#type ": new arrays must be described in this file")

#define TAKE_OUT(array) ((array).v = NULL, (array).n = (array).room = 0)
#define TAKE_OUT_MAP(map) ((map) = (struct pv_map){ 0 })

SAME_SIZE(struct pv_handles, 360);
SAME_SIZE(struct pv_finalizers, 4216);
SAME_SIZE(struct pv_roots, 2072);
SAME_SIZE(struct pv_notes, 168);

static void archive_handles(struct pv_archive *a, struct pv_handles *h)
{
	struct pv_handles plain = *h;
	TAKE_OUT(plain.site);
	plain.waiting = (struct pv_lates){ 0 };
	TAKE_OUT(plain.handle);
	TAKE_OUT_MAP(plain.handle_of);
	TAKE_OUT_MAP(plain.site_of);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed)
		*h = plain;
	pv_archive_array(a, &h->site);
	pv_lates_archive(a, &h->waiting);
	pv_archive_array(a, &h->handle);
	pv_archive_map(a, &h->handle_of);
	pv_archive_map(a, &h->site_of);
}

static void archive_finalizers(struct pv_archive *a, struct pv_model *m)
{
	struct pv_finalizers *f = &m->finalizers;
	if (!a->loading)
		pv_finalizers_order(m);
	struct pv_finalizers plain = *f;
	TAKE_OUT(plain.of_class);
	TAKE_OUT(plain.open);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed)
		*f = plain;
	pv_archive_array(a, &f->of_class);
	pv_archive_array(a, &f->open);
	for (size_t i = 0; i < f->open.n; i++)
		a->failed |= f->open.v[i].at == 0 || f->open.v[i].at >= m->threads.thread.n;
	if (!a->failed)
		pv_finalizers_link(m);
}

static void archive_roots(struct pv_archive *a, struct pv_roots *r)
{
	if (!a->loading)
		pv_roots_pack(r);
	struct pv_roots plain = *r;
	TAKE_OUT(plain.area);
	TAKE_OUT(plain.waiting);
	memset(&plain.live, 0, sizeof plain.live);
	memset(&plain.ended, 0, sizeof plain.ended);
	memset(&plain.slots, 0, sizeof plain.slots);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed)
		*r = plain;
	pv_archive_array(a, &r->area);
	pv_archive_array(a, &r->waiting);
	if (!a->failed)
		a->failed = !pv_roots_link(r);
}

static void archive_notes(struct pv_archive *a, struct pv_notes *n)
{
	struct pv_notes plain = *n;
	TAKE_OUT(plain.mark);
	TAKE_OUT(plain.native);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed)
		*n = plain;
	pv_archive_array(a, &n->mark);
	pv_archive_array(a, &n->native);
}

SAME_SIZE(struct pv_runtime, 808);

static void archive_runtime(struct pv_archive *a, struct pv_runtime *r)
{
	struct pv_runtime plain = *r;
	TAKE_OUT(plain.body);
	TAKE_OUT(plain.transitions);
	TAKE_OUT_MAP(plain.transitions_of);
	TAKE_OUT(plain.survived);
	TAKE_OUT(plain.work);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed)
		*r = plain;
	pv_archive_array(a, &r->body);
	pv_archive_array(a, &r->transitions);
	pv_archive_map(a, &r->transitions_of);
	pv_archive_array(a, &r->survived);
	pv_archive_array(a, &r->work);
}

void pv_gc_archive_places(struct pv_archive *a, struct pv_model *m)
{
	archive_handles(a, &m->handles);
	archive_finalizers(a, m);
	archive_roots(a, &m->roots);
	archive_notes(a, &m->notes);
	archive_runtime(a, &m->runtime);
}
