/*
 * Who decodes which run (mlpd_run.h) of a log when several do so at once. Each gets runs in the
 * log's order. Whoever goes on behind another's run takes over what that left open; one that begins
 * while the run before is still being decoded does not know it, and its stretches begin on whatever
 * is open when they are applied.
 *
 * Every call but mlpd_chain_take_up() and mlpd_chain_tell() needs the caller's lock. Those two
 * belong to whoever has the decoder, and of runs that are decoded at once the places are less than
 * MLPD_CHAIN_AHEAD apart.
 */
#ifndef PV_FORMAT_MLPD_CHAIN_H
#define PV_FORMAT_MLPD_CHAIN_H

#include "common/calls/mlpd_run.h"

enum {
	MLPD_CHAIN_AHEAD = 6,
	MLPD_CHAIN_TOLD = 2 * MLPD_CHAIN_AHEAD /* so nobody writes where another reads */
};

struct mlpd_decoder {
	struct mlpd_run *run;
	uint64_t place;       /* of the run that it had last; 0: none */
	uint64_t since;       /* of the first in a row; 0: other calls may have come before that */
	uint64_t known_since; /* its strands' bases are the same since then */
	uint32_t lost;        /* how often paths had been lost when it had that run */
	bool busy;            /* the caller's */

	/* As chosen last: what others did since its own last run, newest first. */
	const struct mlpd_effect *told[MLPD_CHAIN_AHEAD];
	size_t tolds;
};

struct mlpd_chain {
	struct mlpd_decoder decoder[PV_DECODERS];
	unsigned decoders;
	struct {
		uint64_t place, since;
		struct mlpd_effect effect;
	} told[MLPD_CHAIN_TOLD]; /* what one decoder's runs in a row did, by the place of the last
				  */
};

/* For `n` decoders, at most PV_DECODERS. False when out of memory; finish it in either case. */
bool mlpd_chain_init(struct mlpd_chain *c, unsigned n);
void mlpd_chain_finish(struct mlpd_chain *c);

/*
 * Who may have the run at `place`, 1 or more: of those not busy the one that knows most of what is
 * open; with `unknown`, where the run before is still being decoded, whoever has least to forget.
 * NULL: nobody. It is asked again for another run before the decoder takes that up.
 */
struct mlpd_decoder *mlpd_chain_choose(struct mlpd_chain *c, uint64_t place, bool unknown);

/*
 * Before the first batch of the run that the decoder was chosen for. With `anew` other calls may
 * have come before it; `lost` is how often paths named by batches were lost up to here, as
 * mlpd_run_forget() has it.
 */
void mlpd_chain_take_up(struct mlpd_decoder *d, uint64_t place, bool anew, uint32_t lost);
/* Behind its last one. */
void mlpd_chain_tell(struct mlpd_chain *c, const struct mlpd_decoder *d);

#endif
