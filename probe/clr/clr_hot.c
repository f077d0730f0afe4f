/* SPDX-License-Identifier: MIT */
/* The fast paths of hooks: compiled without vector registers. */
#include "probe/clr/clr_hot.h"

#include "probe/core/call_tree_hot.h"
#include "probe/core/emit.h"

/* As pvp_call(), but the slow way is left to the caller. */
static inline bool call(enum pvp_call_event event, uint64_t method)
{
	struct pvp_thread *t = pvp_tls.thread;
	if (PVP_UNLIKELY(!pvp_guard_on()))
		return false;
	uint8_t *p = atomic_load_explicit(&t->cursor, memory_order_relaxed);
	if (PVP_UNLIKELY(p >= atomic_load_explicit(&t->call_limit, memory_order_relaxed))) {
		pvp_guard_off();
		return false;
	}
	pvp_publish(t, pvp_put_call(t, p, event, method, pvp_tsc_ns(&t->clock)));
	pvp_guard_off();
	return true;
}

PVP_KEEPS_REGISTERS bool pvp_clr_entered(uint64_t method)
{
	return call(PVP_ENTER, method);
}

PVP_KEEPS_REGISTERS bool pvp_clr_left(uint64_t method)
{
	return call(PVP_LEAVE, method);
}

PVP_KEEPS_REGISTERS bool pvp_clr_entered_some(uint64_t method)
{
	return !(method >> 32) && call(PVP_ENTER, method);
}

PVP_KEEPS_REGISTERS bool pvp_clr_left_some(uint64_t method)
{
	return !(method >> 32) && call(PVP_LEAVE, method);
}

PVP_KEEPS_REGISTERS bool pvp_clr_entered_tree(uint64_t method)
{
	if (PVP_UNLIKELY(method >> 32 || !pvp_guard_on()))
		return false;
	bool done = pvp_tree_enter_plain(method);
	pvp_guard_off();
	return done;
}

PVP_KEEPS_REGISTERS bool pvp_clr_left_tree(uint64_t method)
{
	if (PVP_UNLIKELY(method >> 32 || !pvp_guard_on()))
		return false;
	bool done = pvp_tree_leave_plain(method);
	pvp_guard_off();
	return done;
}
