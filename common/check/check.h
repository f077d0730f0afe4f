/* SPDX-License-Identifier: MIT */
/*
 * Rules about a recording, for build servers: a rule compares a figure with a limit and says pass
 * or fail, or that the log cannot answer. No rule passes without figures. One thread at a time;
 * structures are cleared also after a failure.
 */
#ifndef PV_CHECK_CHECK_H
#define PV_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/mem.h"
#include "common/base/status.h"

struct pv_heap;
struct pv_model;

enum pv_check_verdict {
	PV_CHECK_PASS,
	PV_CHECK_FAIL,
	PV_CHECK_UNSURE,  /* the limit lies within the figure's error */
	PV_CHECK_REFUSED, /* the log cannot answer */
	PV_CHECK_SKIPPED, /* needs a baseline that is missing */
	PV_CHECK_VERDICTS
};
/* "pass", "fail" and so on: a literal, never NULL. */
const char *pv_check_verdict_text(enum pv_check_verdict v);

enum pv_check_unit { PV_CHECK_COUNT, PV_CHECK_BYTES, PV_CHECK_NS, PV_CHECK_PERCENT };

/* A limit as written. */
struct pv_check_limit {
	bool given;
	double value;
	enum pv_check_unit unit;
	const char *text;
};

/* A rule; its texts are in the arena of the set. */
struct pv_check_rule {
	const char *id, *kind, *match, *of, *per;
	const char *filter; /* base/filter.h, for the rows that count; NULL: all */
	unsigned line;      /* in the file; 0: on the command line, or built in */
	bool allow_missing;
	struct pv_check_limit max, min, increase;
};

/* Opens heap shots for rules about retained sizes. */
struct pv_check_heaps {
	void *ctx;
	/*
	 * The shot with this number from 0, with retained sizes of classes, owned by the callback;
	 * *ret_least: these are lower bounds. NULL with a reason.
	 */
	const struct pv_heap *(*open)(
		void *ctx, uint32_t shot, bool *ret_least, struct pv_error *reterr);
};

struct pv_check_set {
	const struct pv_check_heaps *heaps; /* borrowed; NULL: no retained sizes */
	struct pv_arena arena;
	PV_ARRAY(struct pv_check_rule) rule;
	bool unsure_fails, unsure_passes, waits, physical; /* the last two: pv_query */
};

/*
 * Reads a file of sections ("[rule ID]", "key = value", comments after # and ;). PV_EUSAGE with the
 * line, or where it cannot be read; PV_ENOMEM. `ret` is zeroed or has rules already, and is to be
 * cleared in any case.
 */
bool pv_check_read(const char *path, struct pv_check_set *ret, struct pv_error *reterr);
/* "gc.pause max=50ms": one rule. PV_EUSAGE, PV_ENOMEM. */
bool pv_check_add(const char *text, struct pv_check_set *ret, struct pv_error *reterr);
void pv_check_set_clear(struct pv_check_set *s);
/* Whether a rule needs the row of "coverage". */
bool pv_check_set_wants(const struct pv_check_set *s, const char *what);

enum { PV_CHECK_ROWS = 5, PV_CHECK_TEXT = 400 };

struct pv_check_row {
	const char *name;
	const char *stack; /* of the heaviest site, frames outermost first; NULL: not known */
	double value;
};

struct pv_check_result {
	const struct pv_check_rule *rule;
	enum pv_check_verdict verdict;
	enum pv_check_unit unit;
	bool measured;
	double value, error; /* 95 % error; 0: exact */
	uint64_t samples;
	bool has_baseline;
	double baseline;
	char why[PV_CHECK_TEXT];     /* one sentence */
	const char *what;            /* row of "coverage" that the figure needs, "": none */
	char state[32], detail[200]; /* of the row */
	const char *section;         /* of a report with the figure */
	struct pv_check_row row[PV_CHECK_ROWS];
	size_t rows;
};

struct pv_check_figure { /* of a baseline */
	const char *id;
	double value, error;
	enum pv_check_unit unit;
	bool measured;
};
struct pv_check_baseline {
	struct pv_arena arena;
	PV_ARRAY(struct pv_check_figure) figure;
	const char *args;
	int64_t duration_ns; /* 0: not known */
};

struct pv_check {
	struct pv_arena arena;
	PV_ARRAY(struct pv_check_result) result;
	const char *path, *args;
	int64_t duration_ns, base_duration_ns; /* 0: no baseline, or not known */
	size_t verdicts[PV_CHECK_VERDICTS];
};

/*
 * Judges all rules; `baseline` may be NULL. Takes the model's lock for the time of a table.
 * PV_ENOMEM. `ret` lives no longer than the set.
 */
bool pv_check_judge(struct pv_model *m, const char *path, const struct pv_check_set *set,
	const struct pv_check_baseline *baseline, struct pv_check *ret, struct pv_error *reterr);
void pv_check_clear(struct pv_check *c);
/* Exit code of `profview check`: 0 passed, 1 a rule failed, 5 some cannot be judged. */
int pv_check_exit(const struct pv_check *c, const struct pv_check_set *set);

/* A judged log as a baseline; from a file; into a file. PV_EUSAGE for another schema or no JSON. */
bool pv_check_baseline_of(const struct pv_check *c, struct pv_check_baseline *ret);
bool pv_check_baseline_read(
	const char *text, size_t len, struct pv_check_baseline *ret, struct pv_error *reterr);
void pv_check_baseline_write(const struct pv_check *c, FILE *out);
void pv_check_baseline_clear(struct pv_check_baseline *b);

/* "text", "json", "junit", "md", "github"; false for others. */
bool pv_check_format(const char *name, size_t len);
/* Errors stay in the stream. False: out of memory. */
bool pv_check_write(const struct pv_check *c, const char *format, size_t len, FILE *out);
/* A first file of rules: the log's figures and a fifth more. */
bool pv_check_init(struct pv_model *m, FILE *out, struct pv_error *reterr);

#endif
