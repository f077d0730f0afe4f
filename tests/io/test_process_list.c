/* SPDX-License-Identifier: MIT */
/* Which processes a recording in a folder has, also as a hostile index says it. */
#include "common/io/process_list.h"
#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

#define HEAD                                                                                       \
	"{\"profview\":\"processes\",\"version\":1,\"command\":[\"make\",\"-j2\"],\"processes\":["

static void put_text(const char *name, const char *text)
{
	char path[KIT_PATH];
	FILE *f = fopen(in_dir(path, name), "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static struct pv_processes *read_ok(void)
{
	struct pv_error e = { 0 };
	struct pv_processes *list = pv_process_list_read(kit_dir, NULL, &e);
	ck_assert_msg(list != NULL, "%s", e.what);
	return list;
}

static void expect_error(const char *index, enum pv_code code, const char *part)
{
	struct pv_error e = { 0 };
	put_text("index.json", index);
	ck_assert_ptr_null(pv_process_list_read(kit_dir, NULL, &e));
	ck_assert_msg(e.code == code, "%s", e.what);
	ck_assert_msg(strstr(e.what, part) != NULL, "%s", e.what);
}

/* sh makes mono and cc; env becomes node by exec. */
static const char tree[] = HEAD
	"{\"pid\":10,\"ppid\":1,\"image\":0,\"exe\":\"/bin/sh\",\"argv\":[\"sh\",\"-c\",\"x y\"],"
	"\"host\":\"native\",\"log\":null,\"reason\":\"used less than 20 ms\",\"cpu_ns\":5000000,"
	"\"start_ns\":1000,\"end_ns\":9000,\"exit_code\":3,\"signal\":null},"
	"{\"pid\":11,\"ppid\":10,\"image\":0,\"exe\":\"/usr/bin/mono\",\"argv\":[\"mono\",\"a.exe\"],"
	"\"host\":\"mono\",\"log\":\"11-0.mlpd\",\"reason\":null,\"cpu_ns\":700,\"start_ns\":2000,"
	"\"end_ns\":null,\"exit_code\":null,\"signal\":null},"
	"{\"pid\":12,\"ppid\":10,\"image\":0,\"exe\":\"/usr/bin/env\",\"argv\":[\"env\",\"node\"],"
	"\"host\":\"none\",\"log\":null,\"reason\":\"static\",\"cpu_ns\":1,\"start_ns\":3000,"
	"\"end_ns\":3500,\"exit_code\":null,\"signal\":null},"
	"{\"pid\":12,\"ppid\":10,\"image\":1,\"exe\":\"/usr/bin/node\",\"argv\":[\"node\"],"
	"\"host\":\"coreclr\",\"log\":\"12-1.mlpd\",\"reason\":null,\"cpu_ns\":900,\"start_ns\":3500,"
	"\"end_ns\":8000,\"exit_code\":null,\"signal\":9,\"events\":77,\"lost\":2}]}";

START_TEST(a_tree_of_processes)
{
	put_text("index.json", tree);
	put_text("11-0.mlpd", "log");
	put_text("12-1.mlpd", "longer log");
	struct pv_processes *list = read_ok();
	const struct pv_process *p = list->row.v;
	ck_assert_uint_eq(list->row.n, 4);
	ck_assert(list->indexed);
	ck_assert_str_eq(list->command, "make -j2");
	ck_assert_int_eq(list->zero_ns, 1000);
	ck_assert_uint_eq(p[0].parent, PV_PROCESS_ROOT);
	ck_assert_uint_eq(p[1].parent, 0);
	ck_assert_uint_eq(p[2].parent, 0);
	ck_assert_uint_eq(p[3].parent, 2);
	ck_assert(p[2].replaced && !p[3].replaced && !p[0].replaced);
	ck_assert_str_eq(p[0].args, "sh -c x y");
	ck_assert(p[0].ended && p[0].exited && !p[0].killed && p[0].exit_code == 3);
	ck_assert_str_eq(p[0].reason, "used less than 20 ms");
	ck_assert(!p[1].ended && !p[1].exited && !p[1].reason && p[1].host == PV_PROCESS_MONO);
	ck_assert(p[3].killed && p[3].signal == 9 && p[3].log_bytes == 10);
	ck_assert(p[3].knows_events && p[3].events == 77 && p[3].lost == 2 && !p[1].knows_events);
	ck_assert_uint_eq(pv_processes_recorded(list), 2);
	ck_assert_uint_eq(p[0].tree_cpu_ns, 5000000 + 700 + 1 + 900);
	ck_assert_uint_eq(p[2].tree_cpu_ns, 901);
	ck_assert_ptr_eq(pv_processes_heaviest(list), &p[3]);
	ck_assert_ptr_eq(pv_processes_by_id(list, p[1].id), &p[1]);
	pv_processes_destroy(list);
}
END_TEST

START_TEST(one_is_named_by_pid_name_or_words)
{
	put_text("index.json", tree);
	put_text("11-0.mlpd", "log");
	put_text("12-1.mlpd", "longer log");
	struct pv_processes *list = read_ok();
	const struct pv_process *p = list->row.v;
	ck_assert_ptr_eq(pv_processes_find(list, "11"), &p[1]);
	ck_assert_ptr_eq(pv_processes_find(list, "12"), &p[3]); /* the one that has a log */
	ck_assert_ptr_eq(pv_processes_find(list, "mono"), &p[1]);
	ck_assert_ptr_eq(pv_processes_find(list, "node"), &p[3]);
	ck_assert_ptr_eq(pv_processes_find(list, "a.exe"), &p[1]);
	ck_assert_ptr_eq(pv_processes_find(list, "sh"), &p[0]);
	ck_assert_ptr_null(pv_processes_find(list, "perl"));
	ck_assert_ptr_null(pv_processes_find(list, ""));
	pv_processes_destroy(list);
}
END_TEST

START_TEST(a_log_that_cannot_be_opened_has_its_reason)
{
	static const struct {
		const char *log, *why;
	} wrong[] = {
		{ "../../etc/passwd", "named" },
		{ "/etc/passwd", "named" },
		{ "..", "named" },
		{ ".hidden", "named" },
		{ "", "named" },
		{ "gone.mlpd", "missing" },
		{ "link.mlpd", "plain file" },
		{ "folder", "plain file" },
		{ "pipe", "plain file" },
	};
	char path[KIT_PATH], text[600];
	ck_assert_int_eq(symlink("/etc/passwd", in_dir(path, "link.mlpd")), 0);
	ck_assert_int_eq(mkdir(in_dir(path, "folder"), 0700), 0);
	ck_assert_int_eq(mkfifo(in_dir(path, "pipe"), 0600), 0);
	for (size_t i = 0; i < PV_COUNT_OF(wrong); i++) {
		snprintf(text, sizeof text, HEAD "{\"pid\":4,\"log\":\"%s\"}]}", wrong[i].log);
		put_text("index.json", text);
		struct pv_processes *list = read_ok();
		ck_assert_uint_eq(list->row.n, 1);
		ck_assert_ptr_null(list->row.v[0].log);
		ck_assert_ptr_nonnull(list->row.v[0].reason);
		ck_assert_msg(strstr(list->row.v[0].reason, wrong[i].why) != NULL, "%s: %s",
			wrong[i].log, list->row.v[0].reason);
		ck_assert_ptr_null(pv_processes_heaviest(list));
		pv_processes_destroy(list);
	}
}
END_TEST

START_TEST(an_index_that_is_none)
{
	char deep[200] = HEAD;
	expect_error("", PV_ETRUNCATED, "cut short");
	expect_error(HEAD, PV_ETRUNCATED, "cut short");
	expect_error("{\"profview\":\"proc", PV_ETRUNCATED, "cut short");
	expect_error("[1,2]", PV_ECORRUPT, "no processes");
	expect_error("{\"profview\":\"processes\"}", PV_ECORRUPT, "no processes");
	expect_error("{\"profview\":\"processes\",\"version\":1,\"processes\":7}", PV_ECORRUPT,
		"no processes");
	expect_error("{\"profview\":\"processes\",\"version\":2,\"processes\":[]}", PV_EVERSION,
		"version 2");
	expect_error("hello", PV_ECORRUPT, "no JSON");
	expect_error(HEAD "]}{}", PV_ECORRUPT, "no JSON");
	memset(deep + strlen(deep), '[', 50);
	expect_error(deep, PV_ECORRUPT, "nested");
}
END_TEST

/* Every beginning of a sound index is refused, and none is taken for a shorter list. */
START_TEST(every_cut_is_noticed)
{
	char text[sizeof tree];
	for (size_t n = 0; n + 1 < sizeof tree; n++) {
		struct pv_error e = { 0 };
		memcpy(text, tree, n);
		text[n] = 0;
		put_text("index.json", text);
		ck_assert_ptr_null(pv_process_list_read(kit_dir, NULL, &e));
		ck_assert_int_eq(e.code, PV_ETRUNCATED);
	}
}
END_TEST

START_TEST(an_index_of_an_odd_kind)
{
	char path[KIT_PATH];
	struct pv_error e = { 0 };
	ck_assert_int_eq(mkfifo(in_dir(path, "index.json"), 0600), 0);
	ck_assert_ptr_null(pv_process_list_read(kit_dir, NULL, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	ck_assert_ptr_null(pv_process_list_read(kit_dir, NULL, &e));
	ck_assert_int_eq(unlink(path), 0);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, PV_PROCESS_INDEX_MOST + 1L), 0);
	close(fd);
	ck_assert_ptr_null(pv_process_list_read(kit_dir, NULL, &e));
	ck_assert_int_eq(e.code, PV_ECORRUPT);
	ck_assert_ptr_nonnull(strstr(e.what, "larger"));
}
END_TEST

START_TEST(rows_without_sense_are_counted)
{
	put_text("index.json", HEAD
		"7,null,{},{\"pid\":0},{\"pid\":-4},{\"pid\":1.5},{\"pid\":1e300},{\"pid\":\"8\"},"
		"{\"pid\":5,\"ppid\":\"x\",\"cpu_ns\":-1,\"start_ns\":1e40,\"exit_code\":999,"
		"\"signal\":1e9,\"argv\":[1,[2],null,\"a\"],\"exe\":7,\"host\":[],\"log\":{}}]}");
	struct pv_processes *list = read_ok();
	const struct pv_process *p = list->row.v;
	ck_assert_uint_eq(list->row.n, 1);
	ck_assert_uint_eq(list->left_out, 8);
	ck_assert_uint_eq(p->pid, 5);
	ck_assert(!p->knows_cpu && !p->knows_start && !p->exited && !p->killed && !p->log);
	ck_assert_str_eq(p->args, "a");
	ck_assert_str_eq(p->exe, "");
	ck_assert_str_eq(pv_process_name(p), "a");
	pv_processes_destroy(list);
}
END_TEST

/* Each says that the other made it, and one that it made itself. */
START_TEST(circles_are_cut)
{
	put_text("index.json", HEAD "{\"pid\":1,\"ppid\":3},{\"pid\":2,\"ppid\":1},"
				    "{\"pid\":3,\"ppid\":2},{\"pid\":4,\"ppid\":4},"
				    "{\"pid\":5,\"ppid\":3}]}");
	struct pv_processes *list = read_ok();
	ck_assert_uint_eq(list->row.n, 5);
	for (size_t i = 0; i < list->row.n; i++) {
		size_t steps = 0;
		for (size_t at = i; at != PV_PROCESS_ROOT; at = list->row.v[at].parent)
			ck_assert_uint_lt(steps++, 10);
	}
	ck_assert_uint_eq(list->row.v[4].parent, 2);
	pv_processes_destroy(list);
}
END_TEST

START_TEST(a_pid_used_again_is_another_row)
{
	put_text("index.json", HEAD "{\"pid\":7,\"ppid\":1,\"image\":0,\"start_ns\":10},"
				    "{\"pid\":7,\"ppid\":1,\"image\":0,\"start_ns\":90},"
				    "{\"pid\":8,\"ppid\":7,\"image\":0,\"start_ns\":20},"
				    "{\"pid\":9,\"ppid\":7,\"image\":0,\"start_ns\":95}]}");
	struct pv_processes *list = read_ok();
	const struct pv_process *p = list->row.v;
	ck_assert_uint_ne(p[0].id, p[1].id);
	ck_assert_uint_eq(p[1].parent, PV_PROCESS_ROOT);
	ck_assert(!p[0].replaced);
	ck_assert_uint_eq(p[2].parent, 0);
	ck_assert_uint_eq(p[3].parent, 1);
	pv_processes_destroy(list);
}
END_TEST

/* A long chain, and very many rows: time and memory stay in proportion. */
START_TEST(very_many)
{
	char path[KIT_PATH];
	FILE *f = fopen(in_dir(path, "index.json"), "w");
	ck_assert_ptr_nonnull(f);
	fputs(HEAD, f);
	for (int i = 1; i <= PV_PROCESSES_MOST + 10; i++)
		fprintf(f, "%s{\"pid\":%d,\"ppid\":%d,\"cpu_ns\":9e18}", i > 1 ? "," : "", i,
			i - 1);
	fputs("]}", f);
	ck_assert_int_eq(fclose(f), 0);
	struct pv_processes *list = read_ok();
	ck_assert_uint_eq(list->row.n, PV_PROCESSES_MOST);
	ck_assert_uint_eq(list->left_out, 10);
	ck_assert_uint_eq(list->row.v[PV_PROCESSES_MOST - 1].parent, PV_PROCESSES_MOST - 2);
	ck_assert_uint_eq(list->row.v[0].tree_cpu_ns, INT64_MAX);
	pv_processes_destroy(list);
}
END_TEST

START_TEST(long_command_lines_are_cut)
{
	char path[KIT_PATH];
	FILE *f = fopen(in_dir(path, "index.json"), "w");
	ck_assert_ptr_nonnull(f);
	fputs(HEAD "{\"pid\":1,\"argv\":[", f);
	for (int i = 0; i < 100000; i++)
		fprintf(f, "%s\"word%d\"", i ? "," : "", i);
	fputs("]}]}", f);
	ck_assert_int_eq(fclose(f), 0);
	struct pv_processes *list = read_ok();
	ck_assert_uint_eq(strlen(list->row.v[0].args), PV_PROCESS_ARGS_MOST);
	pv_processes_destroy(list);
}
END_TEST

static uint32_t pid_of(const char *path)
{
	return strstr(path, "b.mlpd") ? 42 : 0;
}

START_TEST(a_folder_without_an_index)
{
	struct pv_error e = { 0 };
	ck_assert_ptr_null(pv_process_list_read(kit_dir, NULL, &e));
	ck_assert_int_eq(e.code, PV_ECORRUPT);
	ck_assert_ptr_nonnull(strstr(e.what, "no recording"));
	put_text("b.mlpd", "12345");
	put_text("a.mlpd", "123");
	put_text("notes.txt", "x");
	put_text(".mlpd", "x");
	struct pv_processes *list = pv_process_list_read(kit_dir, pid_of, &e);
	ck_assert_ptr_nonnull(list);
	ck_assert(!list->indexed);
	ck_assert_uint_eq(list->row.n, 2);
	ck_assert_str_eq(list->row.v[0].log, "a.mlpd");
	ck_assert_uint_eq(list->row.v[1].pid, 42);
	ck_assert_ptr_eq(pv_processes_heaviest(list), &list->row.v[1]);
	pv_processes_destroy(list);
	ck_assert_ptr_null(pv_process_list_read("/nowhere/at/all", NULL, &e));
	ck_assert_int_eq(e.code, PV_EIO);
}
END_TEST

START_TEST(the_mark_follows_the_index)
{
	char path[KIT_PATH], other[KIT_PATH];
	put_text("index.json", tree);
	uint64_t before = pv_process_list_mark(kit_dir);
	ck_assert_uint_ne(before, 0);
	ck_assert_uint_eq(pv_process_list_mark(kit_dir), before);
	put_text("next", tree);
	ck_assert_int_eq(rename(in_dir(path, "next"), in_dir(other, "index.json")), 0);
	ck_assert_uint_ne(pv_process_list_mark(kit_dir), before);
	ck_assert(pv_is_folder(kit_dir) && !pv_is_folder(other) && !pv_is_folder("-"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("process list");
	TCase *c = tcase_create("process list");
	tcase_add_checked_fixture(c, kit_setup, kit_teardown);
	tcase_add_test(c, a_tree_of_processes);
	tcase_add_test(c, one_is_named_by_pid_name_or_words);
	tcase_add_test(c, a_log_that_cannot_be_opened_has_its_reason);
	tcase_add_test(c, an_index_that_is_none);
	tcase_add_test(c, every_cut_is_noticed);
	tcase_add_test(c, an_index_of_an_odd_kind);
	tcase_add_test(c, rows_without_sense_are_counted);
	tcase_add_test(c, circles_are_cut);
	tcase_add_test(c, a_pid_used_again_is_another_row);
	tcase_add_test(c, very_many);
	tcase_add_test(c, long_command_lines_are_cut);
	tcase_add_test(c, a_folder_without_an_index);
	tcase_add_test(c, the_mark_follows_the_index);
	suite_add_tcase(s, c);
	return run_suite(s);
}
