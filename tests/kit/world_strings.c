/* SPDX-License-Identifier: MIT */
/* A heap shot of a small shop whose strings have their beginnings logged, and fields their names.
 */
#include "tests/kit/worlds.h"

#include "common/base/status.h"

enum { STRING = 1, ORDER, ORDERS, AREA = 0x60000, LIST = 1, FIRST_ORDER = 2, FIRST_STRING = 10 };

/* A string as far as it is logged, and its length. */
static const struct {
	const char *begins;
	uint64_t length;
} strings[] = {
	{ "Ada Lovelace", 12 },
	{ "12 St James's Square, London, W", 44 },
	{ "Zo\xc3\xab", 3 },
	{ "first line\nsecond \"line\"", 24 },
	{ "", 0 },
	{ "Deliver to the neighbours when", 120 },
};

static uint64_t class_key(const struct world *x, unsigned n)
{
	return x->high + 0x300 + n * 0x40;
}

static void field(
	struct world *x, unsigned class, uint64_t offset, const char *type, const char *name)
{
	world_put(x, 5,
		(struct pv_event){ .kind = PV_KIND_EXT_FIELD,
			.field = { class_key(x, class), offset, 0, world_text(type),
				world_text(name) } });
}

static void object(struct world *x, unsigned n, unsigned class, uint64_t size, struct pv_span refs)
{
	world_put(x, 120,
		(struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
			.heap_object = {
				world_object(x, n), world_type(x, class), size, 1, refs, 0 } });
}

static void classes(struct world *x)
{
	world_class(x, 1, STRING, "System.String");
	world_class(x, 2, ORDER, "Shop.Order");
	world_class(x, 3, ORDERS, "Shop.Order[]");
	field(x, ORDER, 8, "string", "customer");
	field(x, ORDER, 16, "string", "address");
	world_put(x, 6,
		(struct pv_event){ .kind = PV_KIND_EXT_ELEMENTS,
			.elements = { class_key(x, ORDERS), 16, 8 } });
}

static void text(struct world *x, unsigned n)
{
	world_put(x, 120,
		(struct pv_event){ .kind = PV_KIND_EXT_STRING,
			.string = { world_object(x, FIRST_STRING + n), strings[n].length,
				world_text(strings[n].begins) } });
}

static void objects(struct world *x)
{
	struct pv_span none = { 0, 0 };
	unsigned orders = PV_COUNT_OF(strings) / 2;
	uint64_t of[2 * PV_COUNT_OF(strings)];
	for (unsigned i = 0; i < orders; i++) {
		of[2 * i] = 16 + 8 * i;
		of[2 * i + 1] = world_object(x, FIRST_ORDER + i);
	}
	object(x, LIST, ORDERS, 64, world_list(x, of, 2 * orders));
	for (unsigned i = 0; i < orders; i++)
		object(x, FIRST_ORDER + i, ORDER, 32,
			WORLD_LIST(x, 8, world_object(x, FIRST_STRING + 2 * i), 16,
				world_object(x, FIRST_STRING + 2 * i + 1)));
	for (unsigned i = 0; i < PV_COUNT_OF(strings); i++) {
		object(x, FIRST_STRING + i, STRING, (22 + 2 * strings[i].length + 7) / 8 * 8, none);
		text(x, i);
	}
}

void world_strings(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	classes(x);
	world_put(x, 100, (struct pv_event){ .kind = PV_KIND_HEAP_START });
	world_put(x, 110,
		(struct pv_event){ .kind = PV_KIND_HEAP_ROOTS,
			.roots = { 0, 0, WORLD_LIST(x, x->high + AREA, world_object(x, LIST)) } });
	objects(x);
	world_put(x, 200, (struct pv_event){ .kind = PV_KIND_HEAP_END });
}
