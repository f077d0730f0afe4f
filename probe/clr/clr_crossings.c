/* SPDX-License-Identifier: MIT */
/*
 * Calls between managed and native code, reported at their end with the time taken. The runtime
 * names the called method at each crossing: a call out, and the return from the call, come by two
 * callbacks, which also report calls in.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"

enum { DEPTH = 64, CALL = 0 /* else a return */ };

struct crossing {
	uint64_t function, since;
	uint32_t into;
};

struct crossings {
	uint32_t n;
	struct crossing at[DEPTH];
};

static _Thread_local struct crossings *open __attribute__((tls_model("initial-exec")));
static pthread_key_t at_end;

static void forget_crossings(void *p)
{
	open = NULL;
	free(p);
}

static struct crossings *own(void)
{
	if (!open) {
		open = calloc(1, sizeof *open);
		if (open)
			pthread_setspecific(at_end, open);
	}
	return open;
}

static void begin_crossing(uint64_t function, uint32_t into)
{
	struct crossings *c = own();
	if (!c)
		return;
	if (c->n == DEPTH) { /* the outermost is given up */
		memmove(c->at, c->at + 1, sizeof c->at - sizeof c->at[0]);
		c->n--;
	}
	c->at[c->n++] = (struct crossing){ function, pvp_monotonic(), into };
}

static uint64_t crossing_key(uint64_t function)
{
	uint64_t key = pvp_clr_method(function);
	return key ? key : PVP_CLR_UNKNOWN;
}

/* Ends a crossing; crossings begun later were left by an exception. */
static void end_crossing(uint64_t function, uint32_t into)
{
	struct crossings *c = own();
	uint32_t i = c ? c->n : 0;
	while (i > 0 && (c->at[i - 1].function != function || c->at[i - 1].into != into))
		i--;
	if (i == 0)
		return;
	c->n = i - 1;
	struct pv_event ev = { .kind = PV_KIND_EXT_TRANSITION,
		.transition = {
			crossing_key(function), into, pvp_monotonic() - c->at[i - 1].since } };
	pvp_event(&ev, NULL, 0);
}

static pvp_hr to_native(void *self, uint64_t function, int32_t reason)
{
	(void)self;
	if (reason == CALL)
		begin_crossing(function, PV_INTO_NATIVE);
	else
		end_crossing(function, PV_INTO_MANAGED);
	return 0;
}

static pvp_hr to_managed(void *self, uint64_t function, int32_t reason)
{
	(void)self;
	if (reason == CALL)
		begin_crossing(function, PV_INTO_MANAGED);
	else
		end_crossing(function, PV_INTO_NATIVE);
	return 0;
}

void pvp_clr_crossings_init(struct pvp_clr_mask *mask)
{
	if (!(pvp_clr_more() & PVP_CLR_CROSSINGS) ||
		pthread_key_create(&at_end, forget_crossings) != 0)
		return;
	mask->low |= PVP_CLR_TRANSITIONS;
	pvp_clr.slots[PVP_CLR_ManagedToUnmanagedTransition] = (pvp_clr_slot)to_native;
	pvp_clr.slots[PVP_CLR_UnmanagedToManagedTransition] = (pvp_clr_slot)to_managed;
}
