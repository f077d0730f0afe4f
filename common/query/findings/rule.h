/* SPDX-License-Identifier: MIT */
/*
 * Rules about faults of a recorded program; a rule judges tables of other views. Private to this
 * room. A rule's score runs from 0 to 100: below 25 is fine, from 50 a warning, from 75 severe;
 * each rule has its own thresholds, next to its code.
 *
 * Every function takes the model's lock, for the time of one table. One thread uses a judge.
 */
#ifndef PV_QUERY_FINDINGS_RULE_H
#define PV_QUERY_FINDINGS_RULE_H

#include "common/query/facts.h"
#include "common/query/recorder.h"
#include "common/query/groups/specs.h"

enum { PV_FINDING_TEXT = 240, PV_FINDING_SUBJECT = 200 };

/* Read once for all rules. */
struct pv_judge {
	struct pv_model *m;
	const struct pv_query *query; /* as asked: a shot's objects, groupings */
	enum pv_recorder way;
	struct pv_summary sum;
	struct pv_totals totals;
	double wall_ns;    /* of the recording, or of the range */
	double from_ns;    /* start of the range, after zero */
	bool own_code;     /* tables of methods: the program's only, others folded in */
	double pause_part; /* part of `wall_ns` with the world stopped; negative: not recorded */
};

/* A rule's judgement. All-zero: too little to judge by. */
struct pv_finding {
	bool judged;
	double score;
	char text[PV_FINDING_TEXT];       /* one sentence; not judged: why */
	char subject[PV_FINDING_SUBJECT]; /* the class, method or lock concerned; "": none */
	bool by_stack;          /* the evidence is in PV_VIEW_HELD, not in the rule's view */
	int64_t from_ns, to_ns; /* time of the fault, since zero; from >= to: no single time */
};

struct pv_rule {
	const char *id;
	unsigned needs; /* enum pv_group: one is needed; 0: judges any log */
	const char
		*records[PV_RECORDERS]; /* words to record the events; NULL: impossible that way */
	enum pv_view view;              /* the view with the evidence */
	const char *explains[3];        /* rules of the symptoms caused by this fault; NULL: none */
	const char *advice;
	void (*judge)(const struct pv_judge *j, struct pv_finding *ret);
	const enum pv_series_kind *proof; /* see pv_finding_proof() */
};

extern const struct pv_rule pv_rules[];
extern const size_t pv_rule_count;
/* The rule with this id; NULL: none. */
const struct pv_rule *pv_rule_of(const char *id);

/* 0 at 0, 25 at `note`, 50 at `warn`, 75 at `bad`, 100 from twice `bad` on; linear in between. */
double pv_scale_score(double v, double note, double warn, double bad);
/* The score of a finding about allocated bytes and objects (or 0), bounded by their cost. */
double pv_score_of_allocation(const struct pv_judge *j, double score, double bytes, double objects);

/* A sentence, cut to fit. */
void pv_finding_say(struct pv_finding *f, double score, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The rule is not judged, with the reason. */
void pv_finding_skip(struct pv_finding *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * How to record for the rule this way, or that recording is impossible: "record with --probe gc".
 * Returns `to`, cut to fit; never NULL.
 */
const char *pv_way_says(const struct pv_rule *rule, enum pv_recorder way, char *to, size_t room);

/* Likewise, for the rule with this id. */
const char *pv_judge_how(const struct pv_judge *j, const char *id, char *to, size_t room);

/*
 * A view's first rows by column `sort`, for the caller to destroy; NULL: out of memory, as `f`
 * says.
 */
struct pv_table *pv_judge_table(const struct pv_judge *j, struct pv_finding *f,
	const struct pv_view_spec *spec, enum pv_view view, const char *sort, size_t limit);
/* A cell as a number, 0 where not known. */
double pv_judge_value(const struct pv_table *t, size_t row, const char *column);
/* A cell as text, never NULL, "" likewise; lives as long as the table. */
const char *pv_judge_text(const struct pv_table *t, size_t row, const char *column);
/* The same for people (readable.h). */
const char *pv_judge_shown(struct pv_table *t, size_t row, const char *column);

/* A class as the tables call it, in `to` or `raw` itself; never NULL. */
const char *pv_judge_class(const struct pv_judge *j, const char *raw, char *to, size_t room);

/* Whether the class is neither a framework's nor the runtime's. */
bool pv_is_program_class(const char *name);

/* The rules, by the tables judged. */
typedef void pv_judge_fn(const struct pv_judge *j, struct pv_finding *f);
pv_judge_fn pv_judge_gc_time, pv_judge_long_pause, pv_judge_full_collections,
	pv_judge_futile_collections, pv_judge_rising_floor, pv_judge_explicit_gc;
pv_judge_fn pv_judge_large_objects, pv_judge_string_churn, pv_judge_boxing, pv_judge_closures,
	pv_judge_resizing;
pv_judge_fn pv_judge_slow_route, pv_judge_leak, pv_judge_finalizers, pv_judge_handle_growth;
pv_judge_fn pv_judge_static_holder, pv_judge_duplicate_strings;
pv_judge_fn pv_judge_unhandled_exception, pv_judge_deadlock;
pv_judge_fn pv_judge_exception_flow, pv_judge_type_init, pv_judge_lock_contention,
	pv_judge_thread_burst, pv_judge_pool_starvation;
pv_judge_fn pv_judge_hot_method, pv_judge_jit_heavy, pv_judge_sync_over_async, pv_judge_n_plus_one,
	pv_judge_losses;

#endif
