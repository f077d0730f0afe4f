/*
 * Runs of batches, whose calls are summed up together (digest.h), and what several who decode runs
 * of one log tell each other: a thread's calls that are open where one takes over.
 */
#ifndef PV_FORMAT_MLPD_RUN_H
#define PV_FORMAT_MLPD_RUN_H

#include "common/base/mem.h"
#include "common/format/mlpd/mlpd.h"

/*
 * Batches that are applied together, or not at all: a thread's calls are summed up over all of its
 * batches among them, which must stay where they are until the end. Valid for one run after another,
 * in the log's order, each of at most PV_STRANDS batches: what a thread has open at the end of one is
 * gone on with in the next, unless mlpd_run_forget() comes between.
 */
struct mlpd_run;
/*
 * The one with the number `which` of `of` that decode beside each other, up to PV_DECODERS: each has
 * runs of its own, in the log's order, and no strand of another's. NULL: out of memory.
 */
struct mlpd_run *mlpd_run_create(unsigned which, unsigned of);
void mlpd_run_destroy(struct mlpd_run *r);
/* From a run to the next, so many paths of a thread at most, and twice of all; for tests. */
void mlpd_run_keep(struct mlpd_run *r, uint32_t paths);
bool mlpd_run_decode(struct mlpd_run *r, struct pv_batch *b, struct mlpd_bases *bases,
	const struct mlpd_format *f, size_t *ret_used);
bool mlpd_run_end(struct mlpd_run *r);
/*
 * Between runs: other calls than those may have come since, or what was decoded cannot be applied.
 * With `paths` the batches that named them are lost, too.
 */
void mlpd_run_forget(struct mlpd_run *r, bool paths);

/* --- between decoders */

struct mlpd_effect_call {
	uint64_t key; /* method */
	int64_t enter_ns;
};

/* What a thread's calls did: of those open before, so many innermost ended, and others are open. */
struct mlpd_effect_thread {
	uint64_t thread;
	bool lost; /* it is not known */
	size_t ended;
	size_t open, opens; /* in call, outermost first */
	int64_t last_ns;
};

struct mlpd_effect {
	bool lost; /* all of it */
	PV_ARRAY(struct mlpd_effect_thread) thread;
	PV_ARRAY(struct mlpd_effect_call) call;
};

void mlpd_effect_finish(struct mlpd_effect *e); /* zeroed it is valid */

/* Between runs. What follows is told together; mlpd_run_forget() or mlpd_run_join() come after it. */
void mlpd_run_chain(struct mlpd_run *r);
/* What all runs since then did. */
void mlpd_run_tell(struct mlpd_run *r, struct mlpd_effect *ret);
/* Another's runs came next, and did this. */
void mlpd_run_join(struct mlpd_run *r, const struct mlpd_effect *e);

#endif
