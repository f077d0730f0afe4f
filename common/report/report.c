#include "common/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"
#include "common/heap/heap.h"
#include "common/report/report_sections.h"

enum { TEXT_LIMIT = 20 };

bool pv_report_wants(const struct pv_report *r, const struct pv_section *s)
{
	return r->chosen >> (s - pv_sections) & 1;
}

bool pv_report_knows(const struct pv_report *r, const struct pv_section *s)
{
	return s->group == 0 || r->totals.known & s->group;
}

struct pv_table *pv_report_table(const struct pv_report *r, const struct pv_section *s,
	uint64_t select, struct pv_error *reterr)
{
	const struct pv_report_options *o = r->options;
	bool read_by_people = o->format == PV_REPORT_TEXT || o->format == PV_REPORT_MARKDOWN;
	struct pv_query q = { .open_all = true, .select = select, .heap = r->heap,
		.hide_internal = read_by_people };
	bool lives = s->flags & PV_SECTION_LIVES;
	if (lives) {
		q.lives = r->lives;
		q.matched_by_class = o->by == PV_REPORT_CLASS;
	}
	if (s->view == PV_VIEW_HEAP_PATH)
		q.select = (uint64_t)r->object + 1;
	if (!(s->flags & PV_SECTION_FACT)) {
		q.sort = o->sort && o->sort[0] ? o->sort : NULL;
		q.filter = o->filter;
		pv_report_belongs(o, &q, NULL);
		q.limit = o->limited ? o->limit : o->format == PV_REPORT_TEXT ? TEXT_LIMIT : 0;
	}
	struct pv_table *t = pv_view_table(lives ? r->lives_model : r->model, s->view, &q);
	if (!t)
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	return t;
}

const char *pv_report_cell(const struct pv_cell *c, enum pv_unit unit, char *buf, size_t size)
{
	struct pv_cell plain = *c;
	plain.scale = PV_SCALE_NONE;
	bool delta = unit == PV_UNIT_DELTA_COUNT || unit == PV_UNIT_DELTA_BYTES;
	if (c->state == PV_CELL_VALUE && (unit == PV_UNIT_COUNT || unit == PV_UNIT_EXACT ||
						       unit == PV_UNIT_BYTES))
		return pv_units_exact(buf, size, c->u);
	if (c->state == PV_CELL_VALUE && delta && size > 1) {
		buf[0] = c->i < 0 ? '-' : '+';
		pv_units_exact(buf + 1, size - 1, c->i < 0 ? 0 - (uint64_t)c->i : (uint64_t)c->i);
		return c->i ? buf : buf + 1;
	}
	return pv_cell_text(&plain, unit, buf, size);
}

static bool write_format(struct pv_report *r, struct pv_error *reterr)
{
	switch (r->options->format) {
	case PV_REPORT_JSON:
		return pv_report_json(r, reterr);
	case PV_REPORT_CSV:
		return pv_report_csv(r, reterr);
	case PV_REPORT_MARKDOWN:
		return pv_report_markdown(r, reterr);
	default:
		return pv_report_text(r, reterr);
	}
}

/* Whether a section with one of the flags is asked for. */
static bool needs(const struct pv_report *r, unsigned flags)
{
	for (size_t i = 0; i < pv_section_count; i++)
		if (pv_report_wants(r, &pv_sections[i]) && pv_sections[i].flags & flags)
			return true;
	return false;
}

/* Finds out which object is which, where a section needs that. */
static bool follow(struct pv_report *r, struct pv_error *reterr)
{
	const struct pv_report_options *o = r->options;
	const struct pv_report_diff which = { o->has_base, o->has_shot, o->base, o->shot.index, o->by };
	if (!needs(r, PV_SECTION_LIVES))
		return true;
	if (!o->follows)
		return pv_fail(reterr, PV_EUSAGE, 0, "objects cannot be followed here");
	r->lives = o->follows->follow(o->follows->ctx, &which, &r->lives_model, reterr);
	return r->lives != NULL;
}

/* Opens the shot where a section needs its objects. */
static bool open_heap(struct pv_report *r, struct pv_error *reterr)
{
	const struct pv_report_options *o = r->options;
	if (!needs(r, PV_SECTION_GRAPH))
		return true;
	if (!o->heaps)
		return pv_fail(reterr, PV_EUSAGE, 0, "the objects of heap shots cannot be read here");
	r->heap = o->heaps->open(o->heaps->ctx, &o->shot, reterr);
	if (!r->heap || !o->has_object)
		return r->heap != NULL;
	r->object = pv_graph_find(&r->heap->graph, o->object);
	return r->object != PV_GRAPH_NONE ||
	       pv_fail(reterr, PV_EUSAGE, 0, "no object begins at 0x%" PRIx64 " in heap shot %" PRIu32,
		       o->object, o->shot.index);
}

bool pv_report_write(struct pv_model *m, const struct pv_report_source *source,
	const struct pv_report_options *options, FILE *out, struct pv_error *reterr)
{
	struct pv_report r = { .model = m, .source = source, .options = options, .out = out };
	if (!pv_report_check(options, reterr) || !pv_sections_chosen(options, &r.chosen, reterr))
		return false;
	pv_view_facts(m, &r.facts);
	pv_view_totals(m, &r.totals);
	if (!open_heap(&r, reterr) || !follow(&r, reterr) || !write_format(&r, reterr))
		return false;
	if (fflush(out) != 0 || ferror(out))
		return pv_fail(reterr, PV_EIO, 0, "cannot write: %s",
			errno ? strerror(errno) : "the output failed");
	return true;
}
