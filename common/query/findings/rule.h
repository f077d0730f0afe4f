/*
 * Rules about faults that a recording shows, each of which judges the tables that panes show.
 * Private to this room. A rule's score runs from 0 to 100: below 25 is fine, from 50 a warning,
 * from 75 severe; thresholds are each rule's own and stand where it is written.
 *
 * All functions take the model's lock themselves, for the time of one table. One thread uses a
 * judge.
 */
#ifndef PV_QUERY_FINDINGS_RULE_H
#define PV_QUERY_FINDINGS_RULE_H

#include "common/query/facts.h"
#include "common/query/specs.h"

enum { PV_FINDING_TEXT = 240, PV_FINDING_SUBJECT = 200 };

/* The ways of recording, which differ in what they can record and in the words for it. */
enum pv_way {
	PV_WAY_MONO, /* the probe in Mono */
	PV_WAY_DOTNET,
	PV_WAY_NATIVE,
	PV_WAY_STOCK,  /* Mono's own profiler */
	PV_WAY_EVENTS, /* .NET's event stream */
	PV_WAY_TEXT,   /* a text of stacks, or another family */
	PV_WAYS
};

/* Read once for all rules. */
struct pv_judge {
	struct pv_model *m;
	const struct pv_query *query; /* as it was asked: shots' objects, groupings */
	enum pv_way way;
	struct pv_summary sum;
	struct pv_totals totals;
	double wall_ns;    /* of the recording, or of the range */
	double from_ns;    /* it begins so long after zero */
	bool own_code;     /* tables of methods have the program's own, others folded into them */
	double pause_part; /* of it, in which the world was stopped; negative: not recorded */
};

/* A rule's judgement. All-zero: too little to judge by. */
struct pv_finding {
	bool judged;
	double score;
	char text[PV_FINDING_TEXT];       /* one sentence; not judged: why */
	char subject[PV_FINDING_SUBJECT]; /* class, method or lock it is about, "" none */
	bool by_stack;          /* its evidence is in PV_VIEW_HELD, whatever the rule's view is */
	int64_t from_ns, to_ns; /* when it happened, since zero; from >= to: at no one time */
};

struct pv_rule {
	const char *id;
	unsigned needs;               /* enum pv_group: one of them; 0: judges whatever there is */
	const char *records[PV_WAYS]; /* the words that record it; NULL: that way cannot */
	enum pv_view view;            /* the view with its evidence */
	const char *explains[3]; /* rules of the symptoms of which this is a cause; NULL none */
	const char *advice;
	void (*judge)(const struct pv_judge *j, struct pv_finding *ret);
};

extern const struct pv_rule pv_rules[];
extern const size_t pv_rule_count;

/* 0 at 0, 25 at `note`, 50 at `warn`, 75 at `bad`, 100 from twice that on; straight in between. */
double pv_scale_score(double v, double note, double warn, double bad);
/* Of a finding about so many allocated bytes and (or 0) objects: bounded by what they cost. */
double pv_score_of_allocation(const struct pv_judge *j, double score, double bytes, double objects);

/* A sentence; what does not fit is cut. */
void pv_finding_say(struct pv_finding *f, double score, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* It is not judged, for that reason. */
void pv_finding_skip(struct pv_finding *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The way of recording. Takes the model's lock. */
enum pv_way pv_way_of(struct pv_model *m);
/* How that way would have recorded it, or that it cannot: "record with --probe gc". Returns `to`, cut to fit; never NULL. */
const char *pv_way_says(const struct pv_rule *rule, enum pv_way way, char *to, size_t room);

/* Likewise, of the rule of that id. */
const char *pv_judge_how(const struct pv_judge *j, const char *id, char *to, size_t room);

/* A view's first rows by column `sort`; NULL: out of memory, said in `f`. Destroy it. */
struct pv_table *pv_judge_table(const struct pv_judge *j, struct pv_finding *f,
	const struct pv_view_spec *spec, enum pv_view view, const char *sort, size_t limit);
/* A cell as a number, 0 where the log cannot say it. */
double pv_judge_value(const struct pv_table *t, size_t row, const char *column);
/* A cell as text, never NULL, "" likewise; lives as long as the table. */
const char *pv_judge_text(const struct pv_table *t, size_t row, const char *column);
/* The same for people (readable.h). */
const char *pv_judge_shown(struct pv_table *t, size_t row, const char *column);

/* Not a framework's or the runtime's own. */
bool pv_is_program_class(const char *name);

/* The rules, by the tables that they judge. */
typedef void pv_judge_fn(const struct pv_judge *j, struct pv_finding *f);
pv_judge_fn pv_judge_gc_time, pv_judge_long_pause, pv_judge_full_collections,
	pv_judge_futile_collections, pv_judge_rising_floor, pv_judge_explicit_gc;
pv_judge_fn pv_judge_large_objects, pv_judge_string_churn, pv_judge_boxing, pv_judge_closures,
	pv_judge_resizing;
pv_judge_fn pv_judge_leak, pv_judge_finalizers, pv_judge_handle_growth;
pv_judge_fn pv_judge_static_holder, pv_judge_duplicate_strings;
pv_judge_fn pv_judge_exception_flow, pv_judge_type_init, pv_judge_lock_contention,
	pv_judge_thread_burst, pv_judge_pool_starvation;
pv_judge_fn pv_judge_hot_method, pv_judge_jit_heavy, pv_judge_sync_over_async, pv_judge_n_plus_one,
	pv_judge_losses;

#endif
