/* SPDX-License-Identifier: MIT */
/* Modules for a host and the log: writes loaded files, where a reader may find more symbols. */
#include <string.h>

#include "probe/code/modules.h"
#include "probe/core/writer.h"

static void ignore(void *ctx, uint64_t from, uint64_t to)
{
	(void)ctx, (void)from, (void)to;
}

void pvp_modules_look(void)
{
	pvp_modules_refresh(ignore, NULL);
}

bool pvp_modules_method_now(uint64_t key, struct pvp_method *ret)
{
	if (pvp_modules_method(key, ret))
		return true;
	pvp_modules_look(); /* loaded since the round began */
	return pvp_modules_method(key, ret);
}

bool pvp_modules_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again)
{
	struct pvp_method m;
	bool ok = true;
	for (size_t i = 0; ok && pvp_modules_next(&i, again, &m);) {
		struct pv_event ev = { .kind = PV_KIND_SAMPLE_SYMBOL,
			.time = w->start_ns,
			.symbol = { m.code, m.size, 0, { m.name, m.name_len } } };
		ok = pvp_out_buffer_add(w, page, &ev, NULL);
		const char *id = pvp_modules_build_id(i - 1);
		struct pv_event id_ev = { .kind = PV_KIND_SAMPLE_SYMBOL,
			.time = w->start_ns,
			.symbol = { m.code - 1, 0, 0, { id, id ? strlen(id) : 0 } } };
		ok = ok && (!id || pvp_out_buffer_add(w, page, &id_ev, NULL));
	}
	return ok;
}
