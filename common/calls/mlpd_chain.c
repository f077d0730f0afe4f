#include "common/calls/mlpd_chain.h"

bool mlpd_chain_init(struct mlpd_chain *c, unsigned n)
{
	bool ok = true;
	*c = (struct mlpd_chain){ .decoders = n };
	for (unsigned i = 0; i < n; i++)
		ok = (c->decoder[i].run = mlpd_run_create(i, n)) != NULL && ok;
	return ok;
}

void mlpd_chain_finish(struct mlpd_chain *c)
{
	for (unsigned i = 0; i < c->decoders; i++)
		mlpd_run_destroy(c->decoder[i].run);
	for (size_t i = 0; i < MLPD_CHAIN_TOLD; i++)
		mlpd_effect_finish(&c->told[i].effect);
	c->decoders = 0;
}

/* What others did since the decoder's last run; false: it is not known. */
static bool find_told(const struct mlpd_chain *c, struct mlpd_decoder *d, uint64_t place)
{
	uint64_t at = place - 1;
	d->tolds = 0;
	while (at > d->place) {
		size_t slot = at % MLPD_CHAIN_TOLD;
		if (place - at > MLPD_CHAIN_AHEAD || c->told[slot].place != at ||
			c->told[slot].since == 0)
			break;
		d->told[d->tolds++] = &c->told[slot].effect;
		at = c->told[slot].since - 1;
	}
	if (at != d->place)
		d->tolds = 0;
	return at == d->place;
}

struct mlpd_decoder *mlpd_chain_choose(struct mlpd_chain *c, uint64_t place, bool unknown)
{
	struct mlpd_decoder *best = NULL, *any = NULL;
	for (unsigned i = 0; i < c->decoders; i++) {
		struct mlpd_decoder *d = &c->decoder[i];
		if (d->busy || d->place >= place)
			continue;
		d->tolds = 0;
		if (!any || d->known_since > any->known_since)
			any = d;
		bool knows = !unknown && find_told(c, d, place);
		if (knows && (!best || d->known_since < best->known_since))
			best = d;
	}
	return best ? best : any;
}

void mlpd_chain_take_up(struct mlpd_decoder *d, uint64_t place, bool anew, uint32_t lost)
{
	bool others = d->place + 1 != place, forget = lost != d->lost;
	if (others || anew || forget) {
		size_t n = anew || forget ? 0 : d->tolds;
		mlpd_run_chain(d->run);
		if (n == 0) {
			mlpd_run_forget(d->run, forget);
			d->known_since = place;
		}
		while (n > 0)
			mlpd_run_join(d->run, d->told[--n]);
		d->since = anew || forget ? 0 : place;
	}
	d->lost = lost;
	d->place = place;
}

void mlpd_chain_tell(struct mlpd_chain *c, const struct mlpd_decoder *d)
{
	size_t slot = d->place % MLPD_CHAIN_TOLD;
	if (c->decoders == 1)
		return;
	c->told[slot].place = d->place;
	c->told[slot].since = d->since;
	mlpd_run_tell(d->run, &c->told[slot].effect);
}
