/* The files that are loaded, as symbols: a reader of the log may find more in them. */
#include <string.h>

#include "probe/code/modules.h"
#include "probe/core/writer.h"

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
