/* FILE.idx as a file: what is written is read, whole or not at all, however it is asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ingest/index_file.h"
#include "tests/suite.h"

enum { LAYOUT = 7, BYTES = (9 << 20) + 24 }; /* more than one thread reads at once */

static char folder[160], log_path[180], index_path[190];
static uint8_t *written;

static void setup(void)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(folder, sizeof folder, "%.100s/profview-index-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(log_path, sizeof log_path, "%s/log", folder);
	snprintf(index_path, sizeof index_path, "%s.idx", log_path);
	FILE *log = fopen(log_path, "w");
	ck_assert_ptr_nonnull(log);
	fputs("what an index is of", log);
	fclose(log);
	written = malloc(BYTES);
	ck_assert_ptr_nonnull(written);
	for (uint32_t i = 0; i < BYTES; i++)
		written[i] = (uint8_t)((i * 2654435761U) >> 24);
	struct pv_index_out out;
	ck_assert(pv_index_create(&out, log_path));
	ck_assert(pv_index_write(&out, written, BYTES));
	ck_assert(pv_index_commit(
		&out, &(struct pv_index_head){ .layout = LAYOUT, .covers = 4 }, log_path));
	pv_index_abandon(&out);
}

static void teardown(void)
{
	unlink(index_path);
	unlink(log_path);
	rmdir(folder);
	free(written);
}

/* In pieces of these sizes, again and again. */
static void read_in(const size_t *sizes, size_t n)
{
	struct pv_index_in in;
	uint8_t *read = malloc(BYTES);
	size_t at = 0;
	ck_assert_ptr_nonnull(read);
	ck_assert(pv_index_open(&in, log_path, LAYOUT, NULL));
	for (size_t i = 0; at < BYTES; i++) {
		size_t some = sizes[i % n] < BYTES - at ? sizes[i % n] : BYTES - at;
		ck_assert(pv_index_read(&in, read + at, some));
		at += some;
	}
	ck_assert_mem_eq(read, written, BYTES);
	ck_assert(!pv_index_read(&in, read, 1));
	ck_assert(!pv_index_read(&in, read, BYTES));
	pv_index_close(&in);
	free(read);
}

START_TEST(pieces_of_every_size_are_what_was_written)
{
	const size_t whole[] = { BYTES }, mixed[] = { 8, 5 << 20, 1, (1 << 20) - 1, 1 << 20, 72 },
		     large[] = { (4 << 20) + 8 }, small[] = { 4096, 24 };
	read_in(whole, 1);
	read_in(mixed, 6);
	read_in(large, 1);
	read_in(small, 2);
}
END_TEST

static void flip(long at)
{
	FILE *f = fopen(index_path, "r+");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
	int c = fgetc(f);
	ck_assert_int_eq(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
	fputc(c ^ 1, f);
	fclose(f);
}

START_TEST(a_damaged_one_is_none_wherever_it_is_damaged)
{
	const long places[] = { 0, sizeof(struct pv_index_head), 3 << 20, 4 << 20, 6 << 20, -1 };
	struct pv_index_in in;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		flip(places[i]);
		ck_assert(!pv_index_open(&in, log_path, LAYOUT, NULL));
		flip(places[i]);
		ck_assert(pv_index_open(&in, log_path, LAYOUT, NULL));
		pv_index_close(&in);
	}
	ck_assert(!pv_index_open(&in, log_path, LAYOUT + 1, NULL));
}
END_TEST

START_TEST(one_that_was_cut_since_it_was_opened_fails_to_be_read)
{
	struct pv_index_in in;
	uint8_t *read = malloc(BYTES);
	ck_assert_ptr_nonnull(read);
	ck_assert(pv_index_open(&in, log_path, LAYOUT, NULL));
	ck_assert_int_eq(truncate(index_path, 6 << 20), 0);
	ck_assert(!pv_index_read(&in, read, BYTES));
	pv_index_close(&in);
	free(read);
}
END_TEST

START_TEST(who_leaves_does_not_wait_for_it)
{
	struct pv_index_in in;
	bool stop = true;
	ck_assert(!pv_index_open(&in, log_path, LAYOUT, &stop));
	stop = false;
	ck_assert(pv_index_open(&in, log_path, LAYOUT, &stop));
	stop = true;
	uint8_t *read = malloc(BYTES);
	ck_assert_ptr_nonnull(read);
	ck_assert(!pv_index_read(&in, read, BYTES));
	pv_index_close(&in);
	free(read);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("index file");
	TCase *t = tcase_create("whole");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, pieces_of_every_size_are_what_was_written);
	tcase_add_test(t, a_damaged_one_is_none_wherever_it_is_damaged);
	tcase_add_test(t, one_that_was_cut_since_it_was_opened_fails_to_be_read);
	tcase_add_test(t, who_leaves_does_not_wait_for_it);
	suite_add_tcase(s, t);
	return run_suite(s);
}
