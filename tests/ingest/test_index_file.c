/* SPDX-License-Identifier: MIT */
/* The index as files: what is written is read, whole or not at all, and only from where it is ours.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/ingest/index_file.h"
#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

enum { LAYOUT = 7, BYTES = (9 << 20) + 24 }; /* more pieces than are fetched ahead */

static char log_path[KIT_PATH];
static uint8_t *written;

static void put_log(const char *text, size_t times)
{
	FILE *log = fopen(log_path, "w");
	ck_assert_ptr_nonnull(log);
	while (times--)
		fputs(text, log);
	fclose(log);
}

static bool save(uint64_t covers, size_t n)
{
	struct pv_index_out out;
	if (!pv_index_create(&out))
		return false;
	bool ok =
		pv_index_write(&out, written, n) && pv_index_commit(&out, LAYOUT, covers, log_path);
	pv_index_abandon(&out);
	return ok;
}

static bool opens(void)
{
	struct pv_index_in in;
	bool ok = pv_index_open(&in, log_path, LAYOUT, NULL);
	pv_index_close(&in);
	return ok;
}

/* All of it can be read, and is what was written. */
static bool reads(void)
{
	struct pv_index_in in;
	uint8_t *read = malloc(BYTES);
	ck_assert_ptr_nonnull(read);
	bool ok = pv_index_open(&in, log_path, LAYOUT, NULL) && pv_index_read(&in, read, BYTES);
	if (ok)
		ck_assert_mem_eq(read, written, BYTES);
	pv_index_close(&in);
	free(read);
	return ok;
}

static const char *folder(void)
{
	static char path[KIT_PATH];
	return in_dir(path, "profview/index");
}

/* The number of entries; the last one's path. */
static int entries(char ret_path[2 * KIT_PATH])
{
	int n = 0;
	DIR *d = opendir(folder());
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.' && strcmp(e->d_name, "key") != 0) {
			snprintf(ret_path, 2 * KIT_PATH, "%s/%.120s", folder(), e->d_name);
			n++;
		}
	if (d)
		closedir(d);
	return n;
}

static void setup(void)
{
	kit_setup();
	in_dir(log_path, "log");
	put_log("what an index is of\n", 10000);
	written = malloc(BYTES);
	ck_assert_ptr_nonnull(written);
	for (uint32_t i = 0; i < BYTES; i++)
		written[i] = (uint8_t)((i * 2654435761U) >> 24);
}

static void teardown(void)
{
	free(written);
	kit_teardown();
}

/* In pieces of these sizes, again and again. */
static void read_in(const size_t *sizes, size_t n)
{
	struct pv_index_in in;
	uint8_t *read = malloc(BYTES);
	size_t at = 0;
	ck_assert_ptr_nonnull(read);
	ck_assert(pv_index_open(&in, log_path, LAYOUT, NULL));
	ck_assert_uint_eq(in.bytes, BYTES);
	ck_assert_uint_eq(in.covers, 4);
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
	ck_assert(save(4, BYTES));
	read_in(whole, 1);
	read_in(mixed, 6);
	read_in(large, 1);
	read_in(small, 2);
}
END_TEST

static void flip(const char *path, long at)
{
	FILE *f = fopen(path, "r+");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
	int c = fgetc(f);
	ck_assert_int_eq(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
	fputc(c ^ 1, f);
	fclose(f);
}

START_TEST(a_damaged_one_is_none_wherever_it_is_damaged)
{
	const long places[] = { 0, 8, 24, 32, 100, PV_SEALED_HEAD - 1, PV_SEALED_HEAD, 1 << 20,
		3 << 20, 4 << 20, 6 << 20, -17, -16, -1 };
	char path[2 * KIT_PATH];
	struct pv_index_in in;
	ck_assert(save(4, BYTES));
	ck_assert_int_eq(entries(path), 1);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		flip(path, places[i]);
		ck_assert(!reads());
		flip(path, places[i]);
		ck_assert(reads());
	}
	ck_assert(!pv_index_open(&in, log_path, LAYOUT + 1, NULL));
}
END_TEST

/* Two whole pieces of one file change places; a file gets a piece of another one. */
START_TEST(pieces_stay_where_they_were_sealed)
{
	enum { PIECE = PV_SEALED_PIECE + PV_SEALED_TAG };
	char path[2 * KIT_PATH];
	uint8_t *piece[2] = { malloc(PIECE), malloc(PIECE) };
	ck_assert(save(4, BYTES));
	entries(path);
	int fd = open(path, O_RDWR);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(pread(fd, piece[i], PIECE, PV_SEALED_HEAD + i * PIECE), PIECE);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(
			pwrite(fd, piece[1 - i], PIECE, PV_SEALED_HEAD + i * PIECE), PIECE);
	ck_assert(!reads());
	close(fd);
	ck_assert(save(4, BYTES)); /* the same bytes, another nonce */
	ck_assert_int_eq(entries(path), 1);
	ck_assert(reads());
	fd = open(path, O_RDWR);
	ck_assert_int_eq(pwrite(fd, piece[0], PIECE, PV_SEALED_HEAD), PIECE);
	ck_assert(!reads());
	close(fd);
	free(piece[0]);
	free(piece[1]);
}
END_TEST

START_TEST(one_that_was_cut_or_made_longer_is_none)
{
	char path[2 * KIT_PATH];
	const off_t sizes[] = { 0, 1, PV_SEALED_HEAD - 1, PV_SEALED_HEAD, 6 << 20, BYTES };
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		ck_assert(save(4, BYTES));
		ck_assert(reads());
		entries(path);
		ck_assert_int_eq(truncate(path, sizes[i]), 0);
		ck_assert(!opens());
	}
	ck_assert(save(4, BYTES));
	entries(path);
	FILE *f = fopen(path, "a");
	fputc(0, f);
	fclose(f);
	ck_assert(!opens());
}
END_TEST

START_TEST(one_that_was_cut_since_it_was_opened_fails_to_be_read)
{
	struct pv_index_in in;
	char path[2 * KIT_PATH];
	uint8_t *read = malloc(BYTES);
	ck_assert_ptr_nonnull(read);
	ck_assert(save(4, BYTES));
	entries(path);
	ck_assert(pv_index_open(&in, log_path, LAYOUT, NULL));
	ck_assert_int_eq(truncate(path, 3 << 20), 0);
	ck_assert(pv_index_read(&in, read, 1));
	/* Bytes fetched ahead before the cut may still be read. */
	while (pv_index_read(&in, read, 1 << 19))
		;
	ck_assert(!pv_index_read(&in, read, 1));
	pv_index_close(&in);
	ck_assert(!opens());
	free(read);
}
END_TEST

START_TEST(who_leaves_does_not_wait_for_it)
{
	struct pv_index_in in;
	bool stop = true;
	uint8_t *read = malloc(BYTES);
	ck_assert_ptr_nonnull(read);
	ck_assert(save(4, BYTES));
	ck_assert(!pv_index_open(&in, log_path, LAYOUT, &stop));
	stop = false;
	ck_assert(pv_index_open(&in, log_path, LAYOUT, &stop));
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	ck_assert(!pv_index_read(&in, read, BYTES));
	pv_index_close(&in);
	free(read);
}
END_TEST

/* --- which log it is of */

START_TEST(a_log_is_known_by_what_it_says)
{
	char other[KIT_PATH];
	ck_assert(save(150000, 8));
	ck_assert(opens());
	ck_assert_int_eq(rename(log_path, in_dir(other, "moved")), 0);
	ck_assert(!opens());
	strcpy(log_path, other);
	ck_assert(opens());
	put_log("what an index is of\n", 10000); /* made anew: another time, another inode */
	ck_assert(opens());
	put_log("what an index is of\n", 20000);
	ck_assert(opens()); /* grown */
	put_log("what an index is of\n", 7000);
	ck_assert(!opens()); /* cut */
	put_log("what an index is of\n", 10000);
	flip(log_path, 1);
	ck_assert(!opens()); /* its name is another one */
	flip(log_path, 1);
	const long places[] = { 5000, 65535, 43000, 108000, 149999 };
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		flip(log_path, places[i]);
		ck_assert(!opens());
		flip(log_path, places[i]);
	}
	flip(log_path, 150000); /* after what it covers */
	ck_assert(opens());
}
END_TEST

START_TEST(logs_that_begin_alike_have_entries_of_their_own)
{
	char path[2 * KIT_PATH];
	put_log("what an index is of\n", 1000);
	ck_assert(save(20000, 8));
	flip(log_path, 10000);
	ck_assert(!opens());
	ck_assert(save(20000, 16));
	ck_assert_int_eq(entries(path), 2);
	ck_assert(opens());
	flip(log_path, 10000);
	ck_assert(opens());
	put_log("what an index is of\n", 3000);
	ck_assert(save(60000, 24)); /* it has grown: its entry is replaced, the other one stays */
	ck_assert_int_eq(entries(path), 2);
}
END_TEST

/* --- folders and permissions */

static void ck_mode(const char *path, mode_t mode)
{
	struct stat st;
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, mode);
}

START_TEST(it_is_private)
{
	char path[2 * KIT_PATH], key[KIT_PATH];
	mode_t before = umask(0);
	ck_assert(save(4, 8));
	umask(before);
	ck_mode(folder(), 0700);
	ck_mode(in_dir(key, "profview/index/key"), 0600);
	ck_assert_int_eq(entries(path), 1);
	ck_mode(path, 0600);
	ck_assert_int_eq(chmod(path, 0604), 0);
	ck_assert(!opens());
	ck_assert_int_eq(chmod(path, 0600), 0);
	ck_assert(opens());
	ck_assert_int_eq(chmod(folder(), 0755), 0);
	ck_assert(opens());
	ck_mode(folder(), 0700);
	ck_assert_int_eq(chmod(folder(), 0777), 0); /* anything may have been put there */
	ck_assert(!opens());
	ck_mode(folder(), 0700);
	ck_assert(save(4, 8));
	ck_assert(opens());
	ck_assert_int_eq(entries(path), 1);
}
END_TEST

static void put_key(size_t n, mode_t mode)
{
	char path[KIT_PATH];
	unlink(in_dir(path, "profview/index/key"));
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	ck_assert_int_eq(write(fd, written, n), (ssize_t)n);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

START_TEST(another_key_refuses_all_and_a_wrong_one_is_replaced)
{
	static const struct {
		size_t n;
		mode_t mode;
	} wrong[] = { { 32, 0600 }, { 31, 0600 }, { 33, 0600 }, { 0, 0600 }, { 32, 0640 },
		{ 32, 0604 }, { 32, 0700 } };
	char key[KIT_PATH], path[2 * KIT_PATH];
	in_dir(key, "profview/index/key");
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		ck_assert(save(4, 8));
		ck_assert(opens());
		put_key(wrong[i].n, wrong[i].mode);
		ck_assert(!opens());
		struct stat st;
		ck_assert_int_eq(lstat(key, &st), 0);
		ck_assert_int_eq(st.st_size, 32);
		ck_mode(key, 0600);
		ck_assert(save(4, 8));
		ck_assert(opens());
		ck_assert_int_eq(entries(path), 1);
	}
	char target[KIT_PATH];
	put_key(32, 0600);
	ck_assert_int_eq(rename(key, in_dir(target, "elsewhere")), 0);
	ck_assert_int_eq(symlink(target, key), 0);
	ck_assert(!opens());
	struct stat st;
	ck_assert_int_eq(lstat(key, &st), 0);
	ck_assert(S_ISREG(st.st_mode));
}
END_TEST

START_TEST(links_that_were_planted_are_not_followed)
{
	char path[2 * KIT_PATH], there[2 * KIT_PATH], whole[KIT_PATH];
	ck_assert(save(4, 8));
	entries(path);
	ck_assert_int_eq(rename(path, in_dir(there, "entry")), 0);
	ck_assert_int_eq(symlink(there, path), 0);
	ck_assert(!opens());
	ck_assert(save(4, 8));
	ck_assert(opens());
	ck_assert_int_eq(rename(folder(), in_dir(whole, "folder")), 0);
	ck_assert_int_eq(symlink(whole, folder()), 0);
	ck_assert(!opens());
	ck_assert(!save(4, 8));
	ck_assert_int_eq(unlink(folder()), 0);
	ck_assert_int_eq(rename(whole, folder()), 0);
	ck_assert(opens());
}
END_TEST

START_TEST(without_a_usable_folder_there_is_none)
{
	char path[KIT_PATH];
	put_file(in_dir(path, "profview"), (const uint8_t *)"", 0);
	ck_assert(!save(4, 8));
	ck_assert(!opens());
	ck_assert_int_eq(unlink(path), 0);
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "/proc/none", 1); /* no folder can be made there */
	ck_assert(!save(4, 8));
	ck_assert(!opens());
	unsetenv("HOME");
	ck_assert(!save(4, 8));
	setenv("XDG_CACHE_HOME", kit_dir, 1);
	ck_assert(save(4, 8));
	ck_assert(opens());
	if (geteuid() == 0) { /* somebody else's */
		ck_assert_int_eq(chown(folder(), 65534, 65534), 0);
		ck_assert(!opens());
		ck_assert(!save(4, 8));
		ck_assert_int_eq(chown(folder(), 0, 0), 0);
		ck_assert(opens());
		char entry[2 * KIT_PATH];
		entries(entry);
		ck_assert_int_eq(chown(entry, 65534, 65534), 0);
		ck_assert(!opens());
	}
}
END_TEST

/* --- room */

START_TEST(those_used_least_recently_leave_first)
{
	char path[2 * KIT_PATH], name[16], kept[KIT_PATH];
	for (int i = 0; i < 6; i++) {
		char text[20];
		snprintf(text, sizeof text, "log number %d\n", i);
		snprintf(name, sizeof name, "log%d", i % 10);
		in_dir(log_path, name);
		put_log(text, 100);
		ck_assert(save(1000, 100000));
	}
	in_dir(log_path, "log0");
	ck_assert(opens());                                   /* used */
	in_dir(kept, "profview/index/part.0123456789abcdef"); /* is being written */
	put_file(kept, written, 1000);
	int fd = open(folder(), O_RDONLY | O_DIRECTORY);
	pv_index_trim(fd, 1000000);
	ck_assert_int_eq(entries(path), 7);
	pv_index_trim(fd, 310000);
	ck_assert_int_eq(entries(path), 4);
	ck_assert(opens());
	ck_assert_int_eq(access(kept, F_OK), 0);
	for (int i = 1; i < 6; i++) {
		snprintf(name, sizeof name, "log%d", i % 10);
		in_dir(log_path, name);
		ck_assert_int_eq(opens(), i >= 4);
	}
	const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
	ck_assert_int_eq(utimensat(AT_FDCWD, kept, old, 0), 0);
	pv_index_trim(fd, 310000);
	ck_assert_int_ne(access(kept, F_OK), 0);
	close(fd);
}
END_TEST

/* Several processes write and read entries of one log from the beginning on. */
START_TEST(many_at_once_are_safe)
{
	enum { PROCESSES = 6, TIMES = 30 };
	char path[2 * KIT_PATH];
	for (int i = 0; i < PROCESSES; i++) {
		pid_t child = fork();
		ck_assert_int_ge(child, 0);
		if (child)
			continue;
		for (int j = 0; j < TIMES; j++) {
			struct pv_index_in in;
			uint8_t read[3000];
			if (!save(4, sizeof read))
				_exit(1);
			/* Its entry may have been replaced twice meanwhile. */
			if (pv_index_open(&in, log_path, LAYOUT, NULL) &&
				(!pv_index_read(&in, read, sizeof read) ||
					memcmp(read, written, sizeof read) != 0))
				_exit(2);
			pv_index_close(&in);
		}
		_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
	}
	ck_assert(opens());
	ck_assert(save(4, 8));
	ck_assert_int_eq(entries(path), 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("index file");
	TCase *t = tcase_create("whole");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, pieces_of_every_size_are_what_was_written);
	tcase_add_test(t, a_damaged_one_is_none_wherever_it_is_damaged);
	tcase_add_test(t, pieces_stay_where_they_were_sealed);
	tcase_add_test(t, one_that_was_cut_or_made_longer_is_none);
	tcase_add_test(t, one_that_was_cut_since_it_was_opened_fails_to_be_read);
	tcase_add_test(t, who_leaves_does_not_wait_for_it);
	tcase_add_test(t, a_log_is_known_by_what_it_says);
	tcase_add_test(t, logs_that_begin_alike_have_entries_of_their_own);
	tcase_add_test(t, it_is_private);
	tcase_add_test(t, another_key_refuses_all_and_a_wrong_one_is_replaced);
	tcase_add_test(t, links_that_were_planted_are_not_followed);
	tcase_add_test(t, without_a_usable_folder_there_is_none);
	tcase_add_test(t, those_used_least_recently_leave_first);
	tcase_add_test(t, many_at_once_are_safe);
	suite_add_tcase(s, t);
	return run_suite(s);
}
