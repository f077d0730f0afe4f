/* SPDX-License-Identifier: MIT */
/* Merges the samples and calls of several processes into one profile. */
#include "common/export/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/merged_text.h"
#include "common/base/sample_period.h"
#include "common/model/model.h"

void pv_merge_init(struct pv_merge *g, struct pv_profile *p)
{
	*g = (struct pv_merge){ .profile = p };
}

static void note_samples(struct pv_merge *g, const struct pv_profile *p, bool wall)
{
	g->samples = true;
	g->walls += wall;
	g->timeless += !p->period_ns;
	if (p->period_ns && (!g->unit_ns || p->period_ns < g->unit_ns))
		g->unit_ns = p->period_ns;
}

bool pv_merge_add(struct pv_merge *g, struct pv_model *m, const char *root)
{
	struct pv_profile *p = g->profile;
	char name[400];
	uint32_t frame;
	bool wall = false;
	pv_model_lock(m);
	const char *args = m->target.args ? m->target.args : "";
	bool timed = pv_sample_period(args, &wall) != 0;
	wall = timed && wall && p->waits;
	unsigned groups = (m->calls.samples ? 1u << PV_GROUP_OF_SAMPLES : 0) |
			  (m->calls.calls ? 1u << PV_GROUP_OF_CALLS : 0);
	pv_model_unlock(m);
	snprintf(name, sizeof name, "%.350s%s", root, wall ? " (wall time)" : "");
	p->period_ns = 0; /* not the log's before */
	bool ok = pv_profile_frame(p, name, &frame) && pv_profile_child(p, 0, frame, &p->under) &&
		  pv_profile_add(p, m, 0);
	p->under = 0;
	g->logs++;
	g->calls |= (groups & 1u << PV_GROUP_OF_CALLS) != 0;
	if (groups & 1u << PV_GROUP_OF_SAMPLES)
		note_samples(g, p, wall);
	return ok;
}

static bool put_merged_stack(const struct pv_profile *p, uint32_t node, FILE *out)
{
	uint32_t frame[PV_STACK_FRAMES], class;
	size_t n = pv_profile_stack(p, node, frame, &class);
	for (size_t i = 0; i < n; i++) {
		char *text = pv_profile_text(p, frame[i]);
		if (!text)
			return false;
		for (char *at = text; (at = strchr(at, ';')) != NULL;)
			*at = ':';
		if (i)
			putc(';', out);
		fputs(text, out);
		free(text);
	}
	return true;
}

static uint64_t weight_of(const struct pv_merge *g, const struct pv_profile_row *r)
{
	if (!g->unit_ns || !r->value[1])
		return r->value[0];
	return r->value[1] / g->unit_ns + (r->value[1] % g->unit_ns >= (g->unit_ns + 1) / 2);
}

static bool put_samples(const struct pv_merge *g, FILE *out)
{
	const struct pv_profile *p = g->profile;
	size_t first, n = pv_profile_rows(p, PV_GROUP_OF_SAMPLES, 0, &first);
	for (size_t i = first; i < first + n && !ferror(out); i++) {
		uint64_t weight = weight_of(g, &p->row.v[i]);
		if (!weight)
			continue;
		if (!put_merged_stack(p, p->row.v[i].node, out))
			return false;
		fprintf(out, " %" PRIu64 "\n", weight);
	}
	return true;
}

static bool put_calls(const struct pv_merge *g, FILE *out)
{
	const struct pv_profile *p = g->profile;
	size_t first, n = pv_profile_rows(p, PV_GROUP_OF_CALLS, 0, &first);
	for (size_t i = first; i < first + n && !ferror(out); i++) {
		const struct pv_profile_row *r = &p->row.v[i];
		if (!r->value[0] && !r->value[1])
			continue;
		fprintf(out, PV_MERGED_CALL "%" PRIu64 " %" PRIu64 " ", r->value[0], r->value[1]);
		if (!put_merged_stack(p, r->node, out))
			return false;
		putc('\n', out);
	}
	return true;
}

void pv_merge_end(struct pv_merge *g)
{
	g->profile->period_ns = g->unit_ns;
	g->profile->wall = g->walls > 0 && g->walls == g->logs;
}

bool pv_merge_write(struct pv_merge *g, FILE *out)
{
	if (!pv_profile_finish(g->profile))
		return false;
	fputs(PV_MERGED_HEAD, out);
	if (g->unit_ns)
		fprintf(out, "sample=%" PRIu64, UINT64_C(1000000000) / g->unit_ns);
	/* A line that identifies the text, also without any sample. */
	fputs("\n" PV_MERGED_NONE "\n", out);
	return put_samples(g, out) && put_calls(g, out);
}
