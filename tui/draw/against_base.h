/* SPDX-License-Identifier: MIT */
/*
 * Panes' questions about the base of a comparison: functions of common/compare/against.h, put here
 * by the program around the screen. Like a model, the base is asked by one thread at a time.
 */
#ifndef UI_AGAINST_BASE_H
#define UI_AGAINST_BASE_H

#include "common/compare/against.h"

struct ui_against {
	struct pv_against *of; /* borrowed */
	bool (*has)(enum pv_view view);
	struct pv_table *(*table)(struct pv_against *of, struct pv_model *now, enum pv_view view,
		const struct pv_query *q, unsigned figure);
	struct pv_flame_tree *(*flame)(struct pv_against *of, struct pv_model *now,
		enum pv_flame_measure measure, const struct pv_query *q);
	enum pv_diff_verdict (*verdict)(const struct pv_flame *f, enum pv_flame_measure measure,
		const struct pv_flame_cell *c);
	struct pv_against_cell (*figures)(const struct pv_against *of, const struct pv_flame *f,
		enum pv_flame_measure measure, const struct pv_flame_cell *c);
};

#endif
