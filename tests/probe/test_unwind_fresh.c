/* SPDX-License-Identifier: MIT */
/* Rules read from files in memory: those of tables, and of damaged files. */
#include "tests/kit/suite.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/unwind/native_walk.h"
#include "probe/unwind/unwind_fresh.h"
#include "probe/unwind/unwind_set.h"

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* A copy of a file as it is in memory, to be damaged; what cannot be read is zero. */
static uint8_t *image_of(const struct pvp_unwind_module *m)
{
	enum { PAGE = 4096 };
	uint8_t *to = calloc(1, m->to - m->from);
	ck_assert_ptr_nonnull(to);
	for (uint64_t at = m->from; at < m->to; at += PAGE) {
		size_t n = m->to - at < PAGE ? (size_t)(m->to - at) : PAGE;
		if (pvp_readable((uintptr_t)at))
			memcpy(to + (at - m->from), (const void *)(uintptr_t)at, n);
	}
	return to;
}

/* Whatever .eh_frame says, nothing is read but the file, and it comes to an end. */
START_TEST(damaged_files_without_a_table)
{
	enum { TURNS = 20000, NEAR = 1 << 16 };
	uint64_t r = 88172645463325252;
	unsigned found = 0;
	void *z = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
	const void *function = z ? dlsym(z, "inflate") : (const void *)qsort;
	pvp_unwind_refresh();
	const struct pvp_unwind_set *s = pvp_unwind_enter();
	bool changed;
	const struct pvp_unwind_module *m =
		pvp_unwind_module_at(s, (uint64_t)(uintptr_t)function, &changed);
	ck_assert_ptr_nonnull(m);
	uint8_t *copy = image_of(m);
	uint64_t size = m->to - m->from, from = (uint64_t)(uintptr_t)copy;
	uint64_t header = m->header - m->from;
	for (unsigned i = 0; i < TURNS; i++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		uint64_t at = i % 4 ? header + r % NEAR : header + r % 64;
		uint8_t was = at < size ? copy[at] : 0;
		struct pvp_row row;
		if (at < size)
			copy[at] = (uint8_t)(r >> 40);
		found += pvp_unwind_fresh(
			from + header, from, from + size, from + (r >> 20) % size, &row);
		if (at < size && i % 8)
			copy[at] = was;
	}
	pvp_unwind_leave();
	printf("%u of %d rules of damaged files\n", found, TURNS);
	free(copy);
	if (z)
		dlclose(z);
}
END_TEST

/* Rules read from a file in memory are those of its table, at every place of every function. */
START_TEST(a_file_without_a_table_yet)
{
	pvp_unwind_refresh();
	const struct pvp_unwind_set *s = pvp_unwind_enter();
	unsigned same = 0, none = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct pvp_unwind_module *m = &s->v[i];
		for (uint32_t k = 0; m->table && k < m->table->n; k++) {
			const struct pvp_row *r = &m->table->rows[k];
			struct pvp_row now = { .pc = 1 };
			if (r->rule == PVP_RULE_NONE || (k % 7 && m->table->n > 10000))
				continue;
			if (!pvp_unwind_row_now(m->from + r->pc, &now)) {
				none++;
				continue;
			}
			ck_assert_uint_eq(now.pc, 0);
			ck_assert_uint_eq(now.rule, r->rule);
			ck_assert_int_eq(now.cfa, r->cfa);
			ck_assert_int_eq(now.fp, r->fp);
			same++;
		}
	}
	pvp_unwind_leave();
	printf("%u rules are those of the tables, %u are not in so few bytes\n", same, none);
	ck_assert_uint_gt(same, 1000);
	ck_assert_uint_lt(none, same / 20);
	struct pvp_row row;
	ck_assert(!pvp_unwind_row_now(8, &row));
}
END_TEST
#endif

int main(void)
{
	Suite *s = suite_create("unwind fresh");
	TCase *c = tcase_create("fresh");
	tcase_set_timeout(c, 60);
#ifdef DLFO_STRUCT_HAS_EH_DBASE
	tcase_add_test(c, a_file_without_a_table_yet);
	tcase_add_test(c, damaged_files_without_a_table);
#endif
	suite_add_tcase(s, c);
	return run_suite(s);
}
