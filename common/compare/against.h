/* SPDX-License-Identifier: MIT */
/*
 * Views of a log with the figures of a base at their side: rows are matched, divided and judged as
 * by `profview diff`, paths of the call tree by the same names.
 */
#ifndef PV_COMPARE_AGAINST_H
#define PV_COMPARE_AGAINST_H

#include "common/compare/diff.h"
#include "common/query/flame/flame.h"

struct pv_against;

/*
 * `base` is borrowed, must live as long as all tables and flames made here, and must not change.
 * `o`: the divisor of figures. NULL: PV_ENOMEM, or PV_EUSAGE where the base lacks the divisor.
 */
struct pv_against *pv_against_create(struct pv_model *base, const char *path,
	const struct pv_diff_options *o, struct pv_error *reterr);
void pv_against_destroy(struct pv_against *a); /* NULL is fine */

/* Whether the view's rows can be compared with a base's. Pure. */
bool pv_against_has(enum pv_view view);

/*
 * The view's rows in `now` and in the base; the caller destroys the table. `figure` counts through
 * the figures of both logs, round the end. One thread at a time. Row ids are the view's for rows in
 * `now`. NULL: out of memory.
 */
struct pv_table *pv_against_table(struct pv_against *a, struct pv_model *now, enum pv_view view,
	const struct pv_query *q, unsigned figure);

/* Likewise, a pair of flames; pv_flame_tree_drop() the pair. */
struct pv_flame_tree *pv_against_flame(struct pv_against *a, struct pv_model *now,
	enum pv_flame_measure measure, const struct pv_query *q);

/* How a frame changed. Samples are judged by chance, other figures by a hundredth. Pure. */
enum pv_diff_verdict pv_against_verdict(
	const struct pv_flame *f, enum pv_flame_measure measure, const struct pv_flame_cell *c);
/* A frame's figures, divided as the pair: in the measure's unit or, as shares, in percent. */
struct pv_against_cell {
	double base, now;
	bool percent;
};
struct pv_against_cell pv_against_figures(const struct pv_against *a, const struct pv_flame *f,
	enum pv_flame_measure measure, const struct pv_flame_cell *c);

#endif
