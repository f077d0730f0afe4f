/* SPDX-License-Identifier: MIT */
/* Rows of equal figures stand by class, then by the stack's text, whatever was met first. */
#include <string.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum {
	MAIN = 0x100,
	MADE,
	READ,
	AGAIN,
	ODD,
	TEXT = 0x200,
	TILE = 0x300,
	TWIN = 0x400,
	NORTH = 0x9000,
	SOUTH = 0x9800,
	SITES = 8
};

/* AGAIN reads as READ does, TWIN as TILE but for its image; ODD has no name. */
static const struct site {
	uint64_t class, handle, stack[4];
} sites[SITES] = {
	{ TEXT, PV_HANDLE_NORMAL, { MAIN } },
	{ TEXT, PV_HANDLE_WEAK, { MAIN, MADE } },
	{ TEXT, PV_HANDLE_WEAK, { MAIN, MADE, READ } },
	{ TEXT, PV_HANDLE_WEAK, { MAIN, READ, MADE } },
	{ TEXT, PV_HANDLE_WEAK, { MAIN, AGAIN } },
	{ TILE, PV_HANDLE_PINNED, { ODD } },
	{ TILE, PV_HANDLE_WEAK, { MAIN } },
	{ TWIN, PV_HANDLE_WEAK, { MAIN } },
};

static const char *const wanted[SITES] = { "Text Main()", "Text Main()\nMade()",
	"Text Main()\nMade()\nRead()", "Text Main()\nRead()", "Text Main()\nRead()\nMade()",
	"Tile 0x104", "Tile Main()", "Tile Main()" };

static void image(struct kit *k, uint64_t key, const char *name)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_IMAGE_LOAD,
			     .meta = { .key = key, .name = { name, strlen(name) } } });
}

static void class(struct kit *k, uint64_t key, uint64_t in, const char *name)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_CLASS_LOAD,
			     .meta = { .key = key, .image = in, .name = { name, strlen(name) } } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			     .meta = { .key = key + 1, .owner = key } });
}

/* Names as the i-th of them all. */
static void name(struct kit *k, size_t i)
{
	static const char *const method[] = { "Main()", "Made()", "Read()", "Read()" };
	switch (i) {
	case 0:
		image(k, NORTH, "North");
		break;
	case 1:
		image(k, SOUTH, "South");
		break;
	case 2:
		class(k, TEXT, SOUTH, "Text");
		break;
	case 3:
		class(k, TILE, NORTH, "Tile");
		break;
	case 4:
		class(k, TWIN, SOUTH, "Tile");
		break;
	default:
		kit_method(k, MAIN + (i - 5), method[i - 5]);
	}
}

static struct pv_span stack_of(struct kit *k, const struct site *s)
{
	struct pv_span span = { (uint32_t)k->batch.pool.n, 0 };
	for (; s->stack[span.n]; span.n++) {
		kit_must(pv_reserve(&k->batch.pool, 1));
		k->batch.pool.v[k->batch.pool.n++] = s->stack[span.n];
	}
	return span;
}

/* An allocation, a throw, a wait of no time and a handle at each site, all alike. */
static void use(struct kit *k, const struct site *s, uint64_t object)
{
	kit_alloc(k, s->class, object, 24, s->stack);
	kit_throw(k, object, s->stack);
	kit_monitor(k, PV_KIND_MONITOR_CONTENTION, object, s->stack);
	kit_monitor(k, PV_KIND_MONITOR_DONE, object, NULL);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_GC_HANDLE_CREATED,
			     .handle = { s->handle, object >> 4, object, stack_of(k, s) } });
}

/* Every stride that is odd walks through all eight. */
static struct kit world(size_t stride, size_t first, bool delayed)
{
	struct kit k = kit_new("log:nodefaults,alloc,exception,monitor,gchandle");
	for (size_t i = 0; i < 9 && !delayed; i++)
		name(&k, stride & 2 ? 8 - i : i);
	for (size_t i = 0; i < SITES; i++)
		use(&k, &sites[(first + i * stride) % SITES], 0x8000 + 0x100 * i);
	for (size_t i = 0; i < 9 && delayed; i++)
		name(&k, stride & 2 ? 8 - i : i);
	return k;
}

static const enum pv_view views[] = { PV_VIEW_ALLOCATION_SITES, PV_VIEW_THROW_SITES,
	PV_VIEW_WAIT_SITES, PV_VIEW_HANDLE_SITES };

START_TEST(ties_stand_by_class_and_by_the_stacks_text)
{
	static const char *const row[] = { "class", "stack", NULL };
	for (size_t stride = 1; stride < SITES; stride += 2) {
		struct kit k = world(stride, stride / 2, stride > 4);
		struct pv_table *t = kit_view(&k, views[_i], NULL);
		ck_assert_uint_eq(t->rows, SITES);
		for (size_t i = 0; i < SITES; i++)
			ck_assert_str_eq(kit_text(t, i, row), wanted[i]);
		pv_table_destroy(t);
		kit_free(&k);
	}
}
END_TEST

/* Another thread's buffer names the lock only after the waits. */
START_TEST(waits_for_what_is_reported_with_delay_have_its_class)
{
	static const char *const row[] = { "class", "stack", "contentions", "wait_ns", NULL };
	static const uint64_t here[] = { MAIN, 0 }, there[] = { MAIN, MADE, 0 };
	struct kit k = kit_new("log:nodefaults,alloc,monitor");
	for (size_t i = 0; i < 9; i++)
		name(&k, i);
	kit_thread(&k, 2);
	for (uint64_t i = 0; i < 3; i++) {
		kit_at(&k, 100 + 10 * i);
		kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x8000 + 0x100 * i, i ? there : here);
		kit_at(&k, 101 + 10 * i);
		kit_monitor(&k, PV_KIND_MONITOR_DONE, 0x8000 + 0x100 * i, NULL);
	}
	kit_thread(&k, 1);
	kit_at(&k, 50);
	kit_alloc(&k, TEXT, 0x8000, 24, NULL);
	kit_alloc(&k, TILE, 0x8100, 24, NULL);
	kit_thread(&k, 2);
	kit_at(&k, 200);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x8000, here);
	kit_at(&k, 205);
	kit_monitor(&k, PV_KIND_MONITOR_DONE, 0x8000, NULL);
	struct pv_table *t = kit_view(&k, PV_VIEW_WAIT_SITES, NULL);
	ck_assert_uint_eq(t->rows, 3);
	ck_assert_str_eq(kit_text(t, 0, row), "Text Main() 2 6000");
	ck_assert_str_eq(kit_text(t, 1, row), "(class not recorded) Main()\nMade() 1 1000");
	ck_assert_str_eq(kit_text(t, 2, row), "Tile Main()\nMade() 1 1000");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query sites");
	TCase *c = tcase_create("all");
	tcase_add_loop_test(
		c, ties_stand_by_class_and_by_the_stacks_text, 0, (int)PV_COUNT_OF(views));
	tcase_add_test(c, waits_for_what_is_reported_with_delay_have_its_class);
	suite_add_tcase(s, c);
	return run_suite(s);
}
