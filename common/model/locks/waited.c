/* SPDX-License-Identifier: MIT */
/* Keeps the longest waits in a heap. */
#include "common/model/locks/waited.h"
#include "common/model/locks/witnesses.h"

#include "common/base/saturate.h"
#include "common/model/objects/gc_parts.h"

static int64_t length(const struct pv_waited *w)
{
	return pv_sat_span(w->start_ns, w->end_ns);
}

static void swap(struct pv_waited *a, struct pv_waited *b)
{
	struct pv_waited x = *a;
	*a = *b;
	*b = x;
}

static void rise(struct pv_waited *v, size_t i)
{
	while (i > 0 && length(&v[i]) < length(&v[(i - 1) / 2])) {
		swap(&v[i], &v[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
}

static void sink(struct pv_waited *v, size_t n)
{
	for (size_t i = 0, least = 0;; i = least) {
		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
			if (length(&v[k]) < length(&v[least]))
				least = k;
		if (least == i)
			return;
		swap(&v[i], &v[least]);
	}
}

bool pv_waits_keep(struct pv_waits *w, const struct pv_waited *one)
{
	if (w->one.n < PV_WAITS_KEPT) {
		if (!pv_reserve(&w->one, 1))
			return false;
		w->one.v[w->one.n++] = *one;
		rise(w->one.v, w->one.n - 1);
		return true;
	}
	w->left_out++;
	if (length(one) <= length(&w->one.v[0]))
		return true;
	w->one.v[0] = *one;
	sink(w->one.v, w->one.n);
	return true;
}

void pv_waits_finish(struct pv_waits *w)
{
	pv_array_finish(&w->one);
}

void pv_waits_renumber_locks(struct pv_waits *w, const uint32_t *to)
{
	for (size_t i = 0; i < w->one.n; i++)
		w->one.v[i].lock = to[w->one.v[i].lock];
}

static void renumber_stacks(struct pv_waits *w, const uint32_t *into)
{
	for (size_t i = 0; i < w->one.n; i++)
		w->one.v[i].stack = into[w->one.v[i].stack];
}

static void renumbered(struct pv_model *m, const uint32_t *into)
{
	renumber_stacks(&m->locks.waits, into);
	renumber_stacks(&m->private->witnesses, into);
}

const struct pv_stack_listener pv_waits_stacks = { renumbered, NULL };
