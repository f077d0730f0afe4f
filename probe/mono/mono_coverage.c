/* SPDX-License-Identifier: MIT */
/*
 * Code coverage: the runtime counts how often each point of the chosen methods was passed; the
 * counts are read once, at the program's end.
 */
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <pthread.h>
#include <string.h>

#include "common/base/map.h"
#include "probe/mono/host_mono.h"
#include "probe/managed/managed_filter.h"
#include "probe/managed/managed_names.h"

extern void mono_free(void *);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PV_ARRAY(MonoMethod *) methods; /* compiled with counting; NULL: freed */

static struct pv_map listed; /* of these -> 1 */

struct point {
	uint64_t il, hits, line, column;
};

/* Of the method being reported; by a single thread, once. */
static PV_ARRAY(struct point) points;
static char file[512];

/* How much of a class, or an assembly, was passed. */
struct part {
	MonoClass *klass; /* of an assembly: any class */
	uint64_t methods, full;
};
static struct parts {
	PV_ARRAY(struct part) part;
	struct pv_map at;
} classes, assemblies;

static struct pv_text text_or_empty(const char *t)
{
	return (struct pv_text){ t ? t : "", t ? strlen(t) : 0 };
}

static mono_bool counted(MonoProfiler *p, MonoMethod *method)
{
	if (!pvp_mono_filter(p->options.coverage, method))
		return 0;
	uint64_t key = (uint64_t)(uintptr_t)method;
	pthread_mutex_lock(&lock);
	bool known = pv_map_get(&listed, key) == 1; /* asked more than once */
	bool ok = known || (pv_reserve(&methods, 1) && pv_map_set(&listed, key, 1));
	if (ok && !known)
		methods.v[methods.n++] = method;
	pthread_mutex_unlock(&lock);
	return ok;
}

void pvp_mono_coverage_freed(const MonoMethod *method)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < methods.n; i++)
		if (methods.v[i] == method)
			methods.v[i] = NULL;
	if (pv_map_get(&listed, (uint64_t)(uintptr_t)method) == 1)
		pv_map_set(&listed, (uint64_t)(uintptr_t)method, 0);
	pthread_mutex_unlock(&lock);
}

static void passed(MonoProfiler *p, const MonoProfilerCoverageData *d)
{
	(void)p;
	if (!pv_reserve(&points, 1))
		return;
	points.v[points.n++] = (struct point){ d->il_offset, d->counter, d->line, d->column };
	if (d->file_name && *d->file_name)
		strncpy(file, d->file_name, sizeof file - 1);
}

static bool read_points(MonoMethod *method)
{
	points.n = 0;
	file[0] = 0;
	return mono_profiler_get_coverage_data(pvp_mono.handle, method, passed) && points.n > 0;
}

static struct part *part_of(struct parts *p, const void *key)
{
	uint32_t i = pv_map_get(&p->at, (uint64_t)(uintptr_t)key);
	if (i == PV_MAP_NONE) {
		i = (uint32_t)p->part.n;
		if (!pv_reserve(&p->part, 1) || !pv_map_set(&p->at, (uint64_t)(uintptr_t)key, i))
			return NULL;
		p->part.v[p->part.n++] = (struct part){ 0 };
	}
	return &p->part.v[i];
}

static void add_to(struct part *part, MonoClass *klass, bool full)
{
	if (!part)
		return;
	if (!part->klass)
		part->klass = klass;
	part->full += full;
}

static void add_parts(MonoMethod *method)
{
	MonoClass *klass = mono_method_get_class(method);
	bool full = true;
	if (!read_points(method))
		return;
	for (size_t i = 0; i < points.n; i++)
		full &= points.v[i].hits > 0;
	struct part *c = part_of(&classes, klass);
	struct part *a = part_of(&assemblies, mono_class_get_image(klass));
	if (c && a && !c->klass) {
		c->methods = (uint64_t)mono_class_num_methods(klass);
		a->methods += c->methods;
	}
	add_to(c, klass, full);
	add_to(a, klass, full);
}

static void tell_assembly(const struct part *a)
{
	MonoImage *image = mono_class_get_image(a->klass);
	struct pv_event ev = { .kind = PV_KIND_EXT_COVERED_ASSEMBLY,
		.coverage = { .assembly = text_or_empty(mono_image_get_name(image)),
			.guid = text_or_empty(mono_image_get_guid(image)),
			.file = text_or_empty(mono_image_get_filename(image)),
			.methods = a->methods,
			.full = a->full } };
	pvp_names_say(&ev);
}

static void tell_class(const struct part *c)
{
	char *name = mono_type_get_name(mono_class_get_type(c->klass));
	MonoImage *image = mono_class_get_image(c->klass);
	struct pv_event ev = { .kind = PV_KIND_EXT_COVERED_CLASS,
		.coverage = { .assembly = text_or_empty(mono_image_get_name(image)),
			.class_name = text_or_empty(name),
			.methods = c->methods,
			.full = c->full } };
	pvp_names_say(&ev);
	mono_free(name);
}

static void tell_method(MonoMethod *method, uint64_t id)
{
	MonoClass *klass = mono_method_get_class(method);
	if (!read_points(method))
		return;
	char *class_name = mono_type_get_name(mono_class_get_type(klass));
	char *signature = mono_signature_get_desc(mono_method_signature(method), 1);
	struct pv_event ev = { .kind = PV_KIND_EXT_COVERED_METHOD,
		.coverage = {
			.assembly = text_or_empty(mono_image_get_name(mono_class_get_image(klass))),
			.class_name = text_or_empty(class_name),
			.method = text_or_empty(mono_method_get_name(method)),
			.signature = text_or_empty(signature),
			.file = text_or_empty(file),
			.token = mono_method_get_token(method),
			.method_id = id,
			.statements = points.n } };
	pvp_names_say(&ev);
	mono_free(class_name);
	mono_free(signature);
	uint64_t before = 0;
	for (size_t i = 0; i < points.n; i++) {
		const struct point *s = &points.v[i];
		struct pv_event st = { .kind = PV_KIND_EXT_COVERED_STATEMENT,
			.coverage = { .method_id = id,
				.il = s->il - before,
				.hits = s->hits,
				.line = s->line,
				.column = s->column } };
		before = s->il;
		pvp_names_say(&st);
	}
}

void pvp_mono_coverage_tell(void)
{
	size_t n = methods.n;
	for (size_t i = 0; i < n; i++)
		if (methods.v[i])
			add_parts(methods.v[i]);
	for (size_t i = 0; i < assemblies.part.n; i++)
		tell_assembly(&assemblies.part.v[i]);
	for (size_t i = 0; i < classes.part.n; i++)
		tell_class(&classes.part.v[i]);
	for (size_t i = 0; i < n; i++)
		if (methods.v[i])
			tell_method(methods.v[i], i + 1);
}

void pvp_mono_coverage_init(struct _MonoProfiler *p)
{
	if (mono_profiler_enable_coverage())
		mono_profiler_set_coverage_filter_callback(p->handle, counted);
}
