/* SPDX-License-Identifier: MIT */
/* Prints an MLPD event with all fields by name. */
#include "common/report/dump_event.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/text/showable.h"

enum { MONITOR = 5 }; /* type of an event byte */

/* --- names --- */

void pv_dump_names_finish(struct pv_dump_names *n)
{
	pv_intern_finish(&n->text);
	pv_map_finish(&n->methods);
	pv_map_finish(&n->entities);
}

static bool remember_name(
	struct pv_dump_names *d, struct pv_map *map, uint64_t key, const struct pv_text *t)
{
	uint32_t id;
	return pv_intern_add(&d->text, t->at, t->len, &id) && pv_map_set(map, key, id);
}

bool pv_dump_learn(struct pv_dump_names *d, const struct pv_event *e)
{
	uint32_t class;
	switch (e->kind) {
	case PV_KIND_METHOD_JIT_START:
	case PV_KIND_METHOD_JIT:
		return e->jit.name.len == 0 ||
		       remember_name(d, &d->methods, e->jit.method, &e->jit.name);
	case PV_KIND_CLASS_LOAD:
	case PV_KIND_IMAGE_LOAD:
	case PV_KIND_ASSEMBLY_LOAD:
	case PV_KIND_DOMAIN_NAME:
	case PV_KIND_THREAD_NAME:
		return remember_name(d, &d->entities, e->meta.key, &e->meta.name);
	case PV_KIND_VTABLE_LOAD:
		class = pv_map_get(&d->entities, e->meta.owner);
		return class == PV_MAP_NONE || pv_map_set(&d->entities, e->meta.key, class);
	default:
		return true;
	}
}

/* --- fields --- */

static void put_key(const struct pv_dump_line *d, const struct pv_map *map, uint64_t key)
{
	fprintf(d->out, "0x%" PRIx64, key);
	uint32_t id = map ? pv_map_get(map, key) : PV_MAP_NONE;
	if (id == PV_MAP_NONE || id == 0)
		return;
	const char *name = pv_intern_text(&d->names->text, id);
	putc(' ', d->out);
	pv_showable_quoted(d->out, name, strlen(name));
}

static void put_list(const struct pv_dump_line *d, struct pv_span s, const struct pv_map *map)
{
	putc('[', d->out);
	for (uint32_t i = 0; i < s.n; i++) {
		if (i)
			fputs(", ", d->out);
		put_key(d, map, d->pools->pool.v[s.at + i]);
	}
	putc(']', d->out);
}

/* Groups of `width` numbers: old -> new, offset -> object, slot -> object. */
static void put_groups(const struct pv_dump_line *d, struct pv_span s, uint32_t width)
{
	putc('[', d->out);
	for (uint32_t i = 0; i + width <= s.n; i += width) {
		fputs(i ? ", " : "", d->out);
		for (uint32_t k = 0; k < width; k++)
			fprintf(d->out, "%s0x%" PRIx64, k ? " -> " : "",
				d->pools->pool.v[s.at + i + k]);
	}
	putc(']', d->out);
}

/* Offsets of each frame of a hit, where logged. */
static void put_offsets(const struct pv_dump_line *d, struct pv_span s)
{
	const uint64_t *v = &d->pools->pool.v[s.at];
	fputs(" offsets=[", d->out);
	for (uint32_t i = 0; i + 1 < s.n; i += 2)
		fprintf(d->out, "%sil %" PRId64 " native %" PRId64, i ? ", " : "", (int64_t)v[i],
			(int64_t)v[i + 1]);
	putc(']', d->out);
}

static void put_descs(const struct pv_dump_line *d, struct pv_span s)
{
	putc('[', d->out);
	for (uint32_t i = 0; i < s.n; i++) {
		const struct pv_counter_desc *c = &d->pools->descs.v[s.at + i];
		fprintf(d->out, "%s%" PRIu64 ": section=0x%" PRIx64 " ", i ? ", " : "", c->index,
			c->section);
		if (c->section_name.at && c->section_name.len) {
			pv_showable_quoted(d->out, c->section_name.at, c->section_name.len);
			putc(' ', d->out);
		}
		pv_showable_quoted(d->out, c->name.at ? c->name.at : "", c->name.len);
		fprintf(d->out, " type=%" PRIu64 " unit=0x%" PRIx64 " variance=0x%" PRIx64, c->type,
			c->unit, c->variance);
	}
	putc(']', d->out);
}

static void put_values(const struct pv_dump_line *d, struct pv_span s)
{
	putc('[', d->out);
	for (uint32_t i = 0; i < s.n; i++) {
		const struct pv_counter_value *v = &d->pools->values.v[s.at + i];
		fprintf(d->out, "%s%" PRIu64 ": ", i ? ", " : "", v->index);
		double number;
		memcpy(&number, &v->raw, sizeof number);
		switch (v->type) {
		case PV_COUNTER_STRING:
			if (v->raw && v->text.at)
				pv_showable_quoted(d->out, v->text.at, v->text.len);
			else
				fputs("null", d->out);
			break;
		case PV_COUNTER_DOUBLE:
			fprintf(d->out, "%.17g", number);
			break;
		case PV_COUNTER_UINT:
		case PV_COUNTER_ULONG:
			fprintf(d->out, "%" PRIu64, v->raw);
			break;
		default:
			fprintf(d->out, "%" PRId64, (int64_t)v->raw);
		}
	}
	putc(']', d->out);
}

static const char *step_name(uint64_t step)
{
	static const char *const name[] = { "start", "mark start", "mark end", "reclaim start",
		"reclaim end", "end", "pre stop world", "post stop world", "pre start world",
		"post start world", "pre stop world locked", "post start world unlocked" };
	return step < PV_COUNT_OF(name) ? name[step] : "?";
}

/* The last word of "alloc.type": the field's usual name. */
static const char *short_name(const struct mlpd_field *f)
{
	const char *dot = strrchr(f->name, '.');
	return dot ? dot + 1 : f->name;
}

static void put_pointer(const struct pv_dump_line *d, const char *name, uint64_t v)
{
	static const char *const named[] = { "type", "image", "owner", "domain", "thread" };
	const struct pv_map *map = NULL;
	for (size_t i = 0; i < PV_COUNT_OF(named); i++)
		if (strcmp(name, named[i]) == 0)
			map = &d->names->entities;
	put_key(d, map, v);
}

static void put_field(
	const struct pv_dump_line *d, const struct pv_event *e, const struct mlpd_field *f)
{
	const void *at = (const char *)e + f->member;
	const char *name = short_name(f);
	uint64_t v;
	struct pv_span s;
	struct pv_text t;
	memcpy(&v, at, sizeof v);
	memcpy(&s, at, sizeof s);
	fprintf(d->out, " %s=", name);
	switch (f->type) {
	case MLPD_PTR:
	case MLPD_SPTR:
	case MLPD_OBJ:
		put_pointer(d, name, v);
		break;
	case MLPD_METH:
		put_key(d, &d->names->methods, v);
		break;
	case MLPD_BT:
	case MLPD_FRAMES:
		put_list(d, s, &d->names->methods);
		if (f->type == MLPD_FRAMES && e->hit.offsets.n)
			put_offsets(d, e->hit.offsets);
		break;
	case MLPD_IPS:
		put_list(d, s, NULL);
		break;
	case MLPD_OBJS:
	case MLPD_REFS:
	case MLPD_ROOTS:
	case MLPD_STEPS:
		put_groups(d, s, 2);
		break;
	case MLPD_OLD_ROOTS:
		put_groups(d, s, 3);
		fprintf(d->out, " collections=%" PRIu64, e->roots.collections);
		break;
	case MLPD_DESCS:
		put_descs(d, s);
		break;
	case MLPD_VALUES:
		put_values(d, s);
		break;
	case MLPD_CSTR:
	case MLPD_HELPER_NAME:
		memcpy(&t, at, sizeof t);
		pv_showable_quoted(d->out, t.at ? t.at : "", t.at ? t.len : 0);
		break;
	case MLPD_SLEB:
		fprintf(d->out, "%" PRId64, (int64_t)v);
		break;
	default:
		fprintf(d->out, "%" PRIu64, v);
		if (e->kind == PV_KIND_GC_EVENT && strcmp(name, "step") == 0)
			fprintf(d->out, " (%s)", step_name(v));
	}
}

void pv_dump_event(const struct pv_dump_line *d, const struct pv_event *e)
{
	const struct mlpd_row *row = &mlpd_rows[e->row < mlpd_row_count ? e->row : 0];
	fputs(pv_kind_name(e->kind), d->out);
	if (e->kind == PV_KIND_EXT_UNKNOWN && (row->byte & 0xf) != MONITOR) {
		fprintf(d->out, " family=%" PRIu64 " kind=%" PRIu64, e->ext.family, e->ext.kind);
		return;
	}
	for (const struct mlpd_field *f = row->field; f->type != MLPD_END; f++)
		if (d->version >= f->since && d->version <= f->until)
			put_field(d, e, f);
}
