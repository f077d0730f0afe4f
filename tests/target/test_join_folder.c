/* A killed viewer's folder goes when the next one begins; one in use or foreign stays. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/target/join_folder.h"
#include "tests/kit/suite.h"

enum { PATH = 200 };

static char base[PATH];

static void make_base(void)
{
	const char *tmp = getenv("TMPDIR");
	snprintf(base, sizeof base, "%.100s/join-folder-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(base));
}

static void remove_base(void)
{
	ck_assert_int_eq(rmdir(base), 0);
}

static bool there(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

static void within(char to[PATH], const char *folder, const char *name)
{
	ck_assert_int_lt(snprintf(to, PATH, "%s/%s", folder, name), PATH);
}

/* A process makes a folder, with a pipe where wanted, and is killed. */
static void leave_over(char to[PATH], bool pipe)
{
	int out[2], lock;
	char log[PATH];
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		bool ok = pv_join_folder_make(base, to, PATH, &lock, NULL);
		within(log, to, "log");
		ok = ok && (!pipe || mkfifo(log, 0600) == 0) && write(out[1], to, PATH) == PATH;
		raise(ok ? SIGKILL : SIGTERM);
	}
	int status;
	close(out[1]);
	ck_assert_int_eq(read(out[0], to, PATH), PATH);
	close(out[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert(there(to));
}

START_TEST(what_was_left_goes_with_the_next)
{
	char first[PATH], second[PATH], own[PATH], again[PATH];
	int lock, more;
	ck_assert(pv_join_folder_make(base, own, sizeof own, &lock, NULL));
	leave_over(first, true);
	leave_over(second, false); /* which swept the first */
	ck_assert(!there(first));
	ck_assert(pv_join_folder_make(base, again, sizeof again, &more, NULL));
	ck_assert(!there(second));
	ck_assert(there(own) && there(again));
	close(lock);
	close(more);
	pv_join_folder_sweep(base);
	ck_assert(there(own)); /* its maker lives */
	rmdir(own);
	rmdir(again);
}
END_TEST

START_TEST(what_somebody_holds_stays)
{
	char folder[PATH], log[PATH];
	leave_over(folder, true);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	pv_join_folder_sweep(base);
	within(log, folder, "log");
	ck_assert(there(log));
	close(fd);
	pv_join_folder_sweep(base);
	ck_assert(!there(folder));
}
END_TEST

START_TEST(what_others_put_there_stays)
{
	char folder[PATH], path[PATH], other[PATH], link[PATH];
	leave_over(folder, false);
	within(path, folder, "log");
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	pv_join_folder_sweep(base);
	ck_assert(there(path)); /* no pipe */
	ck_assert_int_eq(unlink(path), 0);

	/* A link of such a name, to a folder with a pipe. */
	within(other, base, "elsewhere");
	ck_assert_int_eq(mkdir(other, 0700), 0);
	within(path, other, "log");
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(snprintf(link, sizeof link, "%.190s", folder), (int)strlen(folder));
	link[strlen(link) - 1] = '_';
	ck_assert_int_eq(symlink(other, link), 0);
	ck_assert_int_eq(chmod(folder, 0755), 0); /* and one that others could write to */
	pv_join_folder_sweep(base);
	ck_assert(there(path) && there(link) && there(folder));
	ck_assert_int_eq(unlink(link), 0);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(rmdir(other), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(other_names_are_not_looked_at)
{
	static const char *const names[] = { "profview-join-ABCDEF", "profview-join--12345-ABCDEF",
		"profview-join-99999999999999999999-ABCDEF", "profview-join-0-ABCDEF",
		"profview-join-4194304-ABCDE", "other-4194304-ABCDEF" };
	char path[PATH];
	for (size_t i = 0; i < PV_COUNT_OF(names); i++) {
		within(path, base, names[i]);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
	pv_join_folder_sweep(base);
	for (size_t i = 0; i < PV_COUNT_OF(names); i++) {
		within(path, base, names[i]);
		ck_assert_int_eq(rmdir(path), 0);
	}
	pv_join_folder_sweep("/nowhere/at/all");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("join folder");
	TCase *t = tcase_create("join folder");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, make_base, remove_base);
	tcase_add_test(t, what_was_left_goes_with_the_next);
	tcase_add_test(t, what_somebody_holds_stays);
	tcase_add_test(t, what_others_put_there_stays);
	tcase_add_test(t, other_names_are_not_looked_at);
	suite_add_tcase(s, t);
	return run_suite(s);
}
