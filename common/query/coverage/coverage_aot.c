/* SPDX-License-Identifier: MIT */
/*
 * Counts methods that Mono took compiled from an image (AOT): entering and leaving them is not
 * written, since only code that is compiled while the program runs has the profiler's hooks.
 */
#include <inttypes.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"

enum { SECTION_JIT = 0x100 }; /* of the runtime's counters */

/* By the runtime's own counters; 0: none, or the log has no counters. */
static uint64_t methods_of_images(const struct pv_model *m)
{
	static const char name[] = "Methods from AOT"; /* or "Methods from AOT+LLVM" */
	const struct pv_counters *k = &m->counters;
	uint64_t ret = 0;
	for (size_t i = 1; i < k->counter.n; i++) {
		const struct pv_counter *one = &k->counter.v[i];
		if (one->section == SECTION_JIT && one->raw <= UINT32_MAX &&
			strncmp(pv_intern_text(&m->names.text, one->name), name, sizeof name - 1) ==
				0)
			ret += one->raw;
	}
	return ret;
}

void pv_coverage_aot(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	char digits[PV_UNIT_MAX];
	if (what != PV_WHAT_CALLS || c->state == PV_NOT_RECORDED)
		return;
	const uint64_t n = methods_of_images(m);
	if (!n)
		return;
	c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
	if (strcmp(c->detail, pv_coverage_none(m)) == 0)
		c->detail[0] = 0;
	pv_coverage_say(c, "not those of %s method%s of AOT images (mono -O=-aot has them)",
		pv_units_exact(digits, sizeof digits, n), n == 1 ? "" : "s");
}
