/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks: "outermost;...;innermost FIGURE", a line each. No name has a semicolon
 * (folded_name.h); a class comes last in stacks of allocations, waits or exceptions.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/folded_name.h"
#include "common/export/export.h"

static bool put_folded_frame(const struct pv_profile *p, uint32_t frame, FILE *out)
{
	char *text = pv_profile_text(p, frame);
	if (!text)
		return false;
	pv_folded_name(text);
	fputs(text, out);
	free(text);
	return true;
}

static bool put_folded_stack(const struct pv_profile *p, uint32_t node, FILE *out)
{
	uint32_t frame[PV_STACK_FRAMES], class;
	size_t n = pv_profile_stack(p, node, frame, &class);
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc(';', out);
		if (!put_folded_frame(p, frame[i], out))
			return false;
	}
	if (class)
		putc(';', out);
	return !class || put_folded_frame(p, class, out);
}

bool pv_export_folded(const struct pv_profile *p, const struct pv_export_options *o, FILE *out)
{
	size_t first, n = pv_profile_rows(p, o->measure->group, 0, &first);
	for (size_t i = first; i < first + n && !ferror(out); i++) {
		const struct pv_profile_row *r = &p->row.v[i];
		if (r->value[o->measure->value] == 0)
			continue;
		if (!put_folded_stack(p, r->node, out))
			return false;
		fprintf(out, " %" PRIu64 "\n", r->value[o->measure->value]);
	}
	return true;
}
