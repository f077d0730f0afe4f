/* SPDX-License-Identifier: MIT */
/* The launcher's rows: bounded, whatever comes and goes; images of one process; sums. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/target/launch/launch_folder.h"
#include "common/target/launch/launch_serve.h"
#include "tests/kit/suite.h"

enum { NOBODYS = 10000000 /* beyond all process ids */, TEXT = 8 << 20 };

static char folder[1024];
static struct pv_tree tree;
static int lock;
static char *command[] = { NULL };

static void open_tree(void)
{
	char socket[1100];
	struct pv_error err;
	ck_assert(pv_launch_folder_temporary(folder, sizeof folder, NULL, &lock, &err));
	snprintf(socket, sizeof socket, "%s/index.json.socket", folder);
	ck_assert(pv_tree_open(&tree, folder, socket, command, &err));
}

static void close_tree(void)
{
	pv_tree_close(&tree);
	pv_launch_folder_remove(folder);
	ck_assert_int_ne(access(folder, F_OK), 0);
}

static struct pv_tree_process *begin(pid_t pid)
{
	struct pv_tree_process *p = pv_tree_add(&tree, pid, 1, -1);
	ck_assert_ptr_nonnull(p);
	pv_tree_name(pv_tree_row_of(&tree, p), "/bin/x", 6, "x\0\xff", 3);
	return p;
}

static cJSON *read_index(void)
{
	static char text[TEXT];
	char path[1100];
	ck_assert(pv_tree_write_index(&tree));
	snprintf(path, sizeof path, "%s/index.json", folder);
	FILE *f = fopen(path, "re");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = 0;
	cJSON *o = cJSON_Parse(text);
	ck_assert_ptr_nonnull(o);
	return o;
}

START_TEST(many_come_and_go)
{
	open_tree();
	begin(NOBODYS);
	for (pid_t i = 1; i <= 3 * (int)PV_TREE_ROWS; i++) {
		begin(NOBODYS + i);
		pv_tree_drop(&tree, pv_tree_find(&tree, NOBODYS + i));
	}
	ck_assert_uint_le(tree.rows.n, PV_TREE_ROWS);
	ck_assert_uint_eq(tree.rows.n + tree.left_out, 3 * PV_TREE_ROWS + 1);
	struct pv_tree_process *p = pv_tree_find(&tree, NOBODYS);
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(pv_tree_row_of(&tree, p)->pid, NOBODYS);
	ck_assert_uint_eq(tree.living.n, 1);
	cJSON *o = read_index();
	ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(o, "processes")), (int)tree.rows.n);
	cJSON_Delete(o);
	close_tree();
}
END_TEST

START_TEST(exec_while_rows_are_short)
{
	open_tree();
	begin(NOBODYS);
	for (int i = 1; i <= 2 * (int)PV_TREE_ROWS; i++) {
		struct pv_tree_process *p = pv_tree_find(&tree, NOBODYS);
		ck_assert_ptr_nonnull(pv_tree_exec(&tree, p, (uint64_t)i));
	}
	const struct pv_tree_row *r = pv_tree_row_of(&tree, pv_tree_find(&tree, NOBODYS));
	ck_assert_uint_eq(r->image, 2 * PV_TREE_ROWS);
	ck_assert_uint_le(tree.rows.n, PV_TREE_ROWS + 1);
	close_tree();
}
END_TEST

START_TEST(images_share_the_time)
{
	size_t others;
	open_tree();
	struct pv_tree_process *p = begin(NOBODYS);
	pv_tree_used(&tree, p, 5000000);
	ck_assert_ptr_nonnull(pv_tree_exec(&tree, p, 7000000));
	pv_tree_used(&tree, pv_tree_find(&tree, NOBODYS), 57000000);
	pv_tree_used(&tree, pv_tree_find(&tree, NOBODYS), 56000000); /* an older word */
	ck_assert_uint_eq(tree.rows.v[0].cpu_ns, 7000000);
	ck_assert_uint_eq(tree.rows.v[1].cpu_ns, 50000000);
	ck_assert_ptr_null(pv_tree_heaviest(&tree, true, &others));
	strcpy(tree.rows.v[1].log, "1-1.mlpd");
	ck_assert_ptr_eq(pv_tree_heaviest(&tree, true, &others), &tree.rows.v[1]);
	ck_assert_uint_eq(others, 0);
	ck_assert_ptr_null(pv_tree_typed(&tree)); /* it is not the command's */
	tree.program = NOBODYS;
	ck_assert_ptr_eq(pv_tree_typed(&tree), &tree.rows.v[1]);
	tree.program = 0;
	pv_tree_drop(&tree, pv_tree_find(&tree, NOBODYS));
	cJSON *o = read_index();
	const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "processes"), 0);
	ck_assert_str_eq(cJSON_GetObjectItem(first, "reason")->valuestring, "used less than 20 ms");
	ck_assert(cJSON_IsNull(cJSON_GetObjectItem(first, "exit_code")));
	const cJSON *words = cJSON_GetObjectItem(first, "argv");
	ck_assert_str_eq(cJSON_GetArrayItem(words, 1)->valuestring, "\xef\xbf\xbd");
	cJSON_Delete(o);
	close_tree();
}
END_TEST

/* The name of the file that it stands next to may have any length. */
START_TEST(folder_next_to_a_long_name)
{
	char name[256], next[1400];
	struct pv_error err;
	open_tree();
	memset(name, 'n', 255);
	name[255] = 0;
	snprintf(next, sizeof next, "%s/%s", tree.folder, name);
	ck_assert(pv_launch_folder_temporary(folder, sizeof folder, next, &lock, &err));
	ck_assert_int_eq(strncmp(folder, tree.folder, strlen(tree.folder)), 0);
	ck_assert_int_eq(rmdir(folder), 0);
	snprintf(folder, sizeof folder, "%s", tree.folder);
	close_tree();
}
END_TEST

START_TEST(folder_of_its_own)
{
	char path[1100];
	struct pv_error err;
	ck_assert(pv_launch_folder_temporary(folder, sizeof folder, NULL, &lock, &err));
	ck_assert(pv_launch_folder(folder, &err)); /* it is empty */
	snprintf(path, sizeof path, "%s/1-0.mlpd", folder);
	FILE *f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fclose(f);
	ck_assert(!pv_launch_folder(folder, &err));
	ck_assert_int_eq(err.code, PV_EIO);
	ck_assert_int_eq(access(path, F_OK), 0);
	pv_launch_folder_remove(folder);
	ck_assert(!pv_launch_folder("/proc/none/such", &err));
}
END_TEST

/* The answer to a probe of this process, which wants to be recorded at once. */
static char ask(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct pv_ask begun = { .magic = PV_ASK_MAGIC,
		.kind = PV_ASK_BEGUN,
		.waits = 2,
		.memory_bytes = 1 << 20,
		.ppid = getppid() };
	char answer[1 + PV_ANSWER_PATH];
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	strcpy(to.sun_path, tree.socket);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	ck_assert_int_eq(send(fd, &begun, PV_ASK_HEAD, 0), PV_ASK_HEAD);
	while (recv(fd, answer, sizeof answer, MSG_DONTWAIT) < 0)
		pv_tree_turn(&tree);
	close(fd);
	return answer[0];
}

/* A recording that is not kept is bounded; each log that may still grow counts as a whole one. */
START_TEST(room_for_logs)
{
	open_tree();
	tree.room = (uint64_t)PV_TREE_LOG_MIB << 20;
	ck_assert_int_eq(ask(), PV_ANSWER_YES);
	ck_assert_uint_eq(tree.recording, 1);
	close_tree();
	open_tree();
	tree.room = ((uint64_t)PV_TREE_LOG_MIB << 20) - 1;
	ck_assert_int_eq(ask(), PV_ANSWER_NO);
	cJSON *o = read_index();
	const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "processes"), 0);
	const char *reason = cJSON_GetStringValue(cJSON_GetObjectItem(row, "reason"));
	ck_assert_ptr_nonnull(strstr(reason, "no room"));
	ck_assert(cJSON_IsNull(cJSON_GetObjectItem(row, "log")));
	cJSON_Delete(o);
	close_tree();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("launch tree");
	TCase *t = tcase_create("launch tree");
	tcase_add_test(t, many_come_and_go);
	tcase_add_test(t, exec_while_rows_are_short);
	tcase_add_test(t, images_share_the_time);
	tcase_add_test(t, folder_next_to_a_long_name);
	tcase_add_test(t, folder_of_its_own);
	tcase_add_test(t, room_for_logs);
	suite_add_tcase(s, t);
	return run_suite(s);
}
