/*
 * Views of a log with the figures of a base next to their own: rows are matched, divided and judged
 * as `profview diff` does it, paths of the call tree by the same names.
 */
#ifndef PV_COMPARE_AGAINST_H
#define PV_COMPARE_AGAINST_H

#include "common/compare/diff.h"
#include "common/query/flame/flame.h"

struct pv_against;

/*
 * `base` is borrowed and must live as long as all tables and flames that are made here, and
 * must not change. `o`: what figures are divided by. NULL: PV_ENOMEM, or PV_EUSAGE where the base has
 * nothing to divide by.
 */
struct pv_against *pv_against_create(struct pv_model *base, const char *path,
	const struct pv_diff_options *o, struct pv_error *reterr);
void pv_against_destroy(struct pv_against *a); /* NULL is fine */

/* Whether rows of such a view can be held against a base's. Pure. */
bool pv_against_has(enum pv_view view);

/*
 * The view's rows of `now`; those of the base only, too. `figure` counts the figures that both logs
 * have, round its end. One thread at a time. Row ids are those of the view, where `now` has the
 * row. NULL: out of memory.
 */
struct pv_table *pv_against_table(struct pv_against *a, struct pv_model *now, enum pv_view view,
	const struct pv_query *q, unsigned figure);

/* Likewise, a pair of flames; pv_flame_tree_drop() it. */
struct pv_flame_tree *pv_against_flame(struct pv_against *a, struct pv_model *now,
	enum pv_flame_measure measure, const struct pv_query *q);

/* How a frame changed. Samples are judged by what chance does, others by a hundredth. Pure. */
enum pv_diff_verdict pv_against_verdict(
	const struct pv_flame *f, enum pv_flame_measure measure, const struct pv_flame_cell *c);
/* Its figures, as the pair is divided: of the measure's unit, or, with share, percent. */
struct pv_against_cell {
	double base, now;
	bool percent;
};
struct pv_against_cell pv_against_figures(const struct pv_against *a, const struct pv_flame *f,
	enum pv_flame_measure measure, const struct pv_flame_cell *c);

#endif
