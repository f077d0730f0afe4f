/* SPDX-License-Identifier: MIT */
/* Reads the runtime's description of its structures, and finds static fields by the description. */
#include "probe/clr/clr_layout.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "probe/clr/host_clr.h"

enum {
	ENOUGH = 8,         /* agreeing places */
	MOST_FIELDS = 4096, /* of a class */
	CANON = 1,          /* bit of a pointer: a class sharing another's */
	TOKEN = 0xffffff,   /* without the table's number */
	STATIC = 1 << 24,
	THREAD = 1 << 25,
	IN_FILE = 1 << 26,
	OFFSET = (1 << 27) - 1,
};

/* The runtime's description of a field, unchanged since the first release. */
struct field {
	uint64_t table;
	uint32_t token, place; /* both with flags above */
};

/* As exported by libcoreclr.so. */
struct description {
	char magic[8];
	uint32_t flags, json_len;
	const char *json; /* ends with 0, not included in json_len */
};

static struct {
	bool looked, there;
	struct pvp_clr_layout is;
	unsigned agreed;
	bool wrong;
} known;

/* --- the text */

/* The text after `"name":`, between at and end; NULL: not found. */
static const char *member(const char *at, const char *end, const char *name)
{
	const size_t n = strlen(name);
	for (; at && at + n + 3 < end; at++) {
		at = memchr(at, '"', (size_t)(end - at));
		if (!at || at + n + 3 >= end)
			return NULL;
		if (memcmp(at + 1, name, n) == 0 && at[n + 1] == '"' && at[n + 2] == ':')
			return at + n + 3;
	}
	return NULL;
}

/* 40, [40,"pointer"], ["0xfe","nuint"] */
static bool layout_number(const char *at, uint64_t *ret)
{
	char *end;
	if (!at)
		return false;
	while (*at == '[' || *at == '"')
		at++;
	*ret = strtoull(at, &end, 0);
	return end != at;
}

/* In the object of the structure `type`. */
static bool offset(const char *json, const char *type, const char *name, uint64_t *ret)
{
	const char *all = json + strlen(json), *at = member(json, all, type);
	while (at && *at != '{') /* a field of this name */
		at = member(at, all, type);
	const char *end = at ? strchr(at, '}') : NULL;
	return end && layout_number(member(at, end, name), ret);
}

bool pvp_clr_layout_read(const char *json, struct pvp_clr_layout *ret)
{
	uint64_t ignored;
	*ret = (struct pvp_clr_layout){ 0 };
	return offset(json, "MethodTable", "AuxiliaryData", &ret->aux) &&
	       offset(json, "MethodTable", "EEClassOrCanonMT", &ret->class_or_canon) &&
	       offset(json, "MethodTable", "ParentMethodTable", &ret->parent) &&
	       offset(json, "EEClass", "FieldDescList", &ret->fields) &&
	       offset(json, "EEClass", "NumInstanceFields", &ret->instance_n) &&
	       offset(json, "EEClass", "NumStaticFields", &ret->static_n) &&
	       offset(json, "DynamicStaticsInfo", "!", &ret->statics_size) &&
	       offset(json, "DynamicStaticsInfo", "GCStatics", &ret->gc_statics) &&
	       layout_number(member(json, json + strlen(json), "StaticsPointerMask"), &ret->mask) &&
	       !offset(json, "FieldDesc", "!", &ignored);
}

static void look_for_layout(void)
{
	static const char symbol[] = "DotNetRuntimeContractDescriptor";
	static const char magic[] = "DNCCDAC"; /* with a final 0 */
	Dl_info in;
	known.looked = true;
	if (!dladdr((const void *)(uintptr_t)pvp_clr.info->is->class_info, &in) || !in.dli_fname)
		return;
	void *lib = dlopen(in.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	const struct description *d = dlsym(lib ? lib : RTLD_DEFAULT, symbol);
	if (d && memcmp(d->magic, magic, sizeof d->magic) == 0 && d->json)
		known.there = pvp_clr_layout_read(d->json, &known.is);
	if (lib)
		dlclose(lib);
}

/* --- the structures */

static uint64_t runtime_word_at(uint64_t address)
{
	uint64_t v;
	memcpy(&v, (const void *)(uintptr_t)address, sizeof v);
	return v;
}

static uint16_t half_at(uint64_t address)
{
	uint16_t v;
	memcpy(&v, (const void *)(uintptr_t)address, sizeof v);
	return v;
}

static uint64_t table_class(uint64_t table)
{
	uint64_t v = runtime_word_at(table + known.is.class_or_canon);
	return v & CANON ? runtime_word_at((v & ~(uint64_t)CANON) + known.is.class_or_canon) : v;
}

/* Number of fields, without the parent class's. */
static uint32_t own_fields(uint64_t table, uint64_t class)
{
	uint64_t parent = runtime_word_at(table + known.is.parent);
	uint32_t instance = half_at(class + known.is.instance_n);
	uint32_t before = parent ? half_at(table_class(parent) + known.is.instance_n) : 0;
	uint32_t n = half_at(class + known.is.static_n);
	return instance < before ? 0 : n + instance - before;
}

static uint64_t static_slot(uint64_t table, uint32_t field)
{
	uint64_t class = table_class(table), aux = runtime_word_at(table + known.is.aux);
	uint64_t list = class && aux ? runtime_word_at(class + known.is.fields) : 0;
	uint32_t n = list ? own_fields(table, class) : 0;
	for (uint32_t i = 0; i < n && i < MOST_FIELDS; i++) {
		struct field f;
		memcpy(&f, (const void *)(uintptr_t)(list + i * sizeof f), sizeof f);
		if ((f.token & TOKEN) != (field & TOKEN))
			continue;
		if ((f.token & (STATIC | THREAD | IN_FILE)) != STATIC)
			return 0;
		uint64_t base = runtime_word_at(aux - known.is.statics_size + known.is.gc_statics);
		return base & ~known.is.mask || !base ? 0 : base + (f.place & OFFSET);
	}
	return 0;
}

void pvp_clr_layout_compare(uint64_t type, uint32_t field, uint64_t slot)
{
	if (!known.looked)
		look_for_layout();
	if (!known.there || known.wrong)
		return;
	if (static_slot(type, field) == slot)
		known.agreed++;
	else
		known.wrong = true;
}

uint64_t pvp_clr_layout_slot(uint64_t type, uint32_t field)
{
	if (!known.there || known.wrong || known.agreed < ENOUGH)
		return 0;
	return static_slot(type, field);
}

void pvp_clr_layout_forget(void)
{
	memset(&known, 0, sizeof known);
}
