/* SPDX-License-Identifier: MIT */
/*
 * Folders made for other processes, what is left of them, and that nothing leads out of what their
 * users may do.
 */
#include <fcntl.h>
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/target/foreign/foreign.h"
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

static struct pv_foreign_folder make(const struct pv_foreign *of, const char *where)
{
	struct pv_foreign_folder d;
	struct pv_error e;
	if (!pv_foreign_make(&d, of, where, &e))
		ck_abort_msg("%s", e.what);
	return d;
}

/* A process makes a folder, without its pipe where wanted, and is killed. */
static void leave_over(char to[PATH], bool pipe)
{
	int out[2];
	char log[PATH];
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		const struct pv_foreign self = pv_foreign_self();
		struct pv_foreign_folder d = make(&self, base);
		snprintf(to, PATH, "%s", d.path);
		within(log, to, "log");
		bool ok = (pipe || unlink(log) == 0) && write(out[1], to, PATH) == PATH;
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

/* Removes folders that were left. */
static void sweep(void)
{
	const struct pv_foreign self = pv_foreign_self();
	struct pv_foreign_folder d = make(&self, base);
	pv_foreign_remove(&d);
	ck_assert_str_eq(d.path, "");
	pv_foreign_remove(&d);
}

START_TEST(what_was_left_goes_with_the_next)
{
	char first[PATH], second[PATH], own[PATH];
	const struct pv_foreign self = pv_foreign_self();
	struct pv_foreign_folder d = make(&self, base);
	struct stat st;
	ck_assert(fstat(d.log, &st) == 0 && S_ISFIFO(st.st_mode) && (st.st_mode & 0777) == 0600);
	snprintf(own, sizeof own, "%s", d.path);
	leave_over(first, true);
	leave_over(second, false); /* which swept the first */
	ck_assert(!there(first));
	sweep();
	ck_assert(!there(second));
	ck_assert(there(own)); /* its maker lives */
	pv_foreign_remove(&d);
	ck_assert(!there(own));
}
END_TEST

START_TEST(what_is_held_stays)
{
	char folder[PATH], log[PATH];
	leave_over(folder, true);
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	sweep();
	within(log, folder, "log");
	ck_assert(there(log));
	close(fd);
	sweep();
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
	sweep();
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
	sweep();
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
	const struct pv_foreign self = pv_foreign_self();
	struct pv_foreign_folder d;
	struct pv_error e = { 0 };
	char path[PATH];
	for (size_t i = 0; i < PV_COUNT_OF(names); i++) {
		within(path, base, names[i]);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
	sweep();
	for (size_t i = 0; i < PV_COUNT_OF(names); i++) {
		within(path, base, names[i]);
		ck_assert_int_eq(rmdir(path), 0);
	}
	ck_assert(!pv_foreign_make(&d, &self, "/nowhere/at/all", &e));
	ck_assert_ptr_nonnull(strstr(e.what, "/nowhere/at/all"));
}
END_TEST

/* The name may lead somewhere else when the folder is removed. */
START_TEST(removed_is_what_was_made)
{
	char moved[PATH], other[PATH], log[PATH], made[PATH];
	const struct pv_foreign self = pv_foreign_self();
	struct pv_foreign_folder d = make(&self, base);
	snprintf(made, sizeof made, "%s", d.path);
	within(moved, base, "moved");
	within(other, base, "other");
	within(log, other, "log");
	ck_assert_int_eq(mkdir(other, 0700), 0);
	ck_assert_int_eq(mkfifo(log, 0600), 0);
	ck_assert_int_eq(rename(made, moved), 0);
	ck_assert_int_eq(symlink("other", made), 0);
	pv_foreign_remove(&d);
	ck_assert(there(log));
	ck_assert_int_eq(unlink(made), 0);
	d = make(&self, base);
	snprintf(made, sizeof made, "%s", d.path);
	ck_assert_int_eq(rmdir(moved), 0); /* it is empty */
	ck_assert_int_eq(rename(made, moved), 0);
	ck_assert_int_eq(mkdir(made, 0700), 0); /* another one of that name */
	pv_foreign_remove(&d);
	ck_assert(there(made));
	ck_assert_int_eq(rmdir(made), 0);
	ck_assert_int_eq(rmdir(moved), 0);
	ck_assert_int_eq(unlink(log), 0);
	ck_assert_int_eq(rmdir(other), 0);
}
END_TEST

/* ---- of another user, which only root can be */

enum { OTHER = 65534 };

static bool listens_at(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 1) == 0;
}

/*
 * A process of another user, until it is killed; with mounts of its own where wanted, and then it
 * listens at /mnt/socket.
 */
static pid_t start_other(bool mounts)
{
	int ready[2];
	char byte;
	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		bool ok =
			!mounts || (unshare(CLONE_NEWNS) == 0 &&
					   mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
					   mount("none", "/mnt", "tmpfs", 0, "mode=1777") == 0);
		ok = ok && setgroups(0, NULL) == 0 && setresgid(OTHER, OTHER, OTHER) == 0 &&
		     setresuid(OTHER, OTHER, OTHER) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
		     (!mounts || listens_at("/mnt/socket")) && write(ready[1], "", 1) == 1;
		while (ok)
			pause();
		_exit(1);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static struct pv_foreign look(pid_t pid)
{
	struct pv_foreign f;
	ck_assert(pv_foreign_look(&f, pid));
	return f;
}

START_TEST(made_as_another_user)
{
	pid_t pid = start_other(false);
	struct pv_foreign f = look(pid);
	struct pv_foreign_folder d;
	struct stat st;
	char made[PATH];
	ck_assert(f.uid == OTHER && f.gid == OTHER && !f.elsewhere && !pv_foreign_is_ours(&f));
	ck_assert_int_eq(chmod(base, 0755), 0);
	ck_assert(!pv_foreign_make(&d, &f, base, NULL)); /* it may write nothing there */
	ck_assert_int_eq(chmod(base, 01777), 0);
	d = make(&f, base);
	snprintf(made, sizeof made, "%s", d.path);
	ck_assert(lstat(made, &st) == 0 && st.st_uid == OTHER && (st.st_mode & 0777) == 0700);
	ck_assert(fstat(d.log, &st) == 0 && st.st_uid == OTHER && st.st_gid == OTHER);
	end(pid); /* it can be removed all the same */
	pv_foreign_remove(&d);
	ck_assert(!there(made));
}
END_TEST

START_TEST(found_as_another_user)
{
	char path[PATH], link[PATH];
	pid_t pid = start_other(false);
	struct pv_foreign f = look(pid);
	ck_assert_int_eq(chmod(base, 0755), 0);
	within(path, base, "secret");
	within(link, base, "link");
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	ck_assert_int_eq(symlink("secret", link), 0);
	ck_assert_int_lt(pv_foreign_find(&f, path), 0);
	ck_assert_int_eq(errno, EACCES);
	ck_assert_int_lt(pv_foreign_find(&f, link), 0);
	ck_assert_int_lt(pv_foreign_find(&f, base), 0); /* a folder */
	ck_assert_int_lt(pv_foreign_find(&f, "/dev/null"), 0);
	ck_assert_int_lt(pv_foreign_find(&f, "/proc/self/root/etc/passwd"), 0);
	ck_assert_int_eq(chown(path, OTHER, OTHER), 0);
	fd = pv_foreign_find(&f, link);
	ck_assert_int_ge(fd, 0);
	close(fd);
	f.uid = OTHER - 1; /* as if it had changed since then */
	ck_assert_int_lt(pv_foreign_find(&f, path), 0);
	ck_assert_int_eq(errno, EPERM);
	end(pid);
	unlink(path);
	unlink(link);
}
END_TEST

/* In mounts that are not ours, by the paths of the process. */
START_TEST(other_mounts)
{
	char path[PATH];
	pid_t pid = start_other(true);
	struct pv_foreign f = look(pid);
	ck_assert(f.elsewhere);
	struct pv_foreign_folder d = make(&f, "/mnt");
	ck_assert(!there(d.path));
	pv_foreign_show(&f, d.path, path, sizeof path);
	ck_assert(there(path));
	struct pv_foreign_copy copy, same;
	ck_assert(pv_foreign_keep(&same, &f, "/mnt", "kept", "/etc/passwd", "as"));
	ck_assert(pv_foreign_keep(&copy, &f, "/mnt", "kept", "/etc/passwd", "as"));
	int fd = pv_foreign_find(&f, "/mnt/kept/as");
	ck_assert_int_ge(fd, 0);
	close(fd);
	fd = pv_foreign_list(&f, "/mnt/kept");
	struct stat st;
	ck_assert(fstat(fd, &st) == 0 && st.st_uid == OTHER);
	close(fd);
	pv_foreign_unkeep(&copy);
	pv_foreign_unkeep(&copy);
	ck_assert_int_lt(pv_foreign_find(&f, "/mnt/kept/as"), 0);
	ck_assert(pv_foreign_keep(&copy, &f, "/mnt", "kept", "/etc/passwd", "as"));
	pv_foreign_unkeep(&same);
	pv_foreign_unkeep(&copy);
	ck_assert(!pv_foreign_keep(&copy, &f, "/", "kept", "/etc/passwd", "as"));
	pv_foreign_unkeep(&copy);
	pv_foreign_remove(&d);
	ck_assert(!there(path));
	fd = pv_foreign_dial(&f, "/mnt/socket");
	ck_assert_int_ge(fd, 0);
	close(fd);
	f.elsewhere = false; /* among our own files there is none of that name */
	ck_assert_int_lt(pv_foreign_dial(&f, "/mnt/socket"), 0);
	ck_assert_int_eq(errno, ENOENT);
	end(pid);
}
END_TEST

/* At a socket's other end the process itself must be, by whatever path it is reached. */
START_TEST(dialled_by_what_it_is)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof at.sun_path, "%.90s/socket", base);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	struct pv_foreign self = pv_foreign_self(), other = self;
	int fd = pv_foreign_dial(&self, at.sun_path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	other.pid = getppid();
	ck_assert_int_lt(pv_foreign_dial(&other, at.sun_path), 0);
	ck_assert_int_eq(errno, EACCES);
	char link[PATH];
	within(link, base, "link");
	ck_assert_int_eq(symlink("socket", link), 0);
	ck_assert_int_lt(pv_foreign_dial(&self, link), 0);
	ck_assert_int_eq(errno, EACCES);
	close(listener);
	ck_assert_int_lt(pv_foreign_dial(&self, at.sun_path), 0);
	ck_assert_int_eq(errno, ECONNREFUSED);
	unlink(link);
	unlink(at.sun_path);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("foreign");
	TCase *t = tcase_create("foreign");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, make_base, remove_base);
	tcase_add_test(t, what_was_left_goes_with_the_next);
	tcase_add_test(t, what_is_held_stays);
	tcase_add_test(t, what_others_put_there_stays);
	tcase_add_test(t, other_names_are_not_looked_at);
	tcase_add_test(t, removed_is_what_was_made);
	tcase_add_test(t, dialled_by_what_it_is);
	if (geteuid() == 0) {
		tcase_add_test(t, made_as_another_user);
		tcase_add_test(t, found_as_another_user);
		tcase_add_test(t, other_mounts);
	}
	suite_add_tcase(s, t);
	return run_suite(s);
}
