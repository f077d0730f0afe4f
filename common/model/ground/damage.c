/* SPDX-License-Identifier: MIT */
/* Notes damaged bytes of the log. */
#include <stdio.h>

#include "common/model/ground/model_parts.h"

void pv_model_note_damage(struct pv_model *m, uint64_t offset, uint64_t bytes, const char *reason)
{
	m->damaged++;
	m->damaged_bytes += bytes;
	if (m->damage.n >= PV_DAMAGE_LIST || !pv_reserve(&m->damage, 1))
		return; /* counted, not listed */
	struct pv_damage_entry *d = &m->damage.v[m->damage.n++];
	*d = (struct pv_damage_entry){ .offset = offset, .bytes = bytes };
	snprintf(d->reason, sizeof d->reason, "%s", reason);
}
