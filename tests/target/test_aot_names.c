/* SPDX-License-Identifier: MIT */
/* Names of a NativeAOT program: read from its file, whatever the file says of its own size. */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/target/dotnet/aot_names.h"
#include "tests/kit/suite.h"

/* This program stands for one of NativeAOT's: that section is what tells them. */
void app_Shop_Order__Total(void);
__attribute__((section("__managedcode"), used, noinline)) void app_Shop_Order__Total(void)
{
	__asm__ volatile("");
}

enum { PATH = 200 };

static const char wait_word[] = "wait";
static char path[PATH];

static void copy_self(void)
{
	char part[65536];
	ssize_t n;
	const char *tmp = getenv("TMPDIR");
	snprintf(path, sizeof path, "%.100s/aot-names-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkstemp(path);
	ck_assert(from >= 0 && to >= 0);
	while ((n = read(from, part, sizeof part)) > 0)
		ck_assert_int_eq(write(to, part, (size_t)n), n);
	ck_assert_int_eq(fchmod(to, 0700), 0);
	close(from);
	close(to);
}

static void remove_copy(void)
{
	unlink(path);
}

static pid_t start(void)
{
	int ready[2];
	char byte;
	ck_assert_int_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(ready[1], STDOUT_FILENO);
		execl(path, path, wait_word, (char *)NULL);
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

/* The symbols' table is so long, and lies after what was there. */
static void lengthen_symbols(uint64_t size)
{
	Elf64_Ehdr head;
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(pread(fd, &head, sizeof head, 0), sizeof head);
	for (unsigned i = 0; i < head.e_shnum; i++) {
		Elf64_Shdr s;
		off_t at = (off_t)(head.e_shoff + i * sizeof s);
		ck_assert_int_eq(pread(fd, &s, sizeof s, at), sizeof s);
		if (s.sh_type != SHT_SYMTAB)
			continue;
		s.sh_offset = ((uint64_t)st.st_size + 4095) / 4096 * 4096;
		s.sh_size = size;
		ck_assert_int_eq(pwrite(fd, &s, sizeof s, at), sizeof s);
		ck_assert_int_eq(ftruncate(fd, (off_t)(s.sh_offset + size)), 0);
	}
	close(fd);
}

START_TEST(names_are_found)
{
	static const char class[] = "a\0p\0p\0.\0S\0h\0o\0p\0.\0O\0r\0d\0e\0r",
			  method[] = "T\0o\0t\0a\0l";
	struct pv_aot_names names;
	pid_t pid = start();
	ck_assert(pv_aot_names(&names, pid, 7));
	ck_assert_uint_eq(names.methods, 1);
	ck_assert_ptr_nonnull(memmem(names.stream.v, names.stream.n, class, sizeof class));
	ck_assert_ptr_nonnull(memmem(names.stream.v, names.stream.n, method, sizeof method));
	pv_array_finish(&names.stream);
	end(pid);
}
END_TEST

START_TEST(a_hole_of_a_terabyte)
{
	enum { MOST_S = 10 };
	struct pv_aot_names names;
	struct rusage before, after;
	lengthen_symbols(UINT64_C(1) << 40);
	pid_t pid = start();
	getrusage(RUSAGE_SELF, &before);
	ck_assert(!pv_aot_names(&names, pid, 7));
	getrusage(RUSAGE_SELF, &after);
	ck_assert_int_le(after.ru_utime.tv_sec - before.ru_utime.tv_sec, MOST_S);
	ck_assert_int_le(after.ru_maxrss - before.ru_maxrss, 64 << 10); /* KiB */
	end(pid);
}
END_TEST

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], wait_word) == 0) {
		while (write(STDOUT_FILENO, "", 1) == 1)
			pause();
		return 1;
	}
	Suite *s = suite_create("names of NativeAOT");
	TCase *t = tcase_create("names of NativeAOT");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, copy_self, remove_copy);
	tcase_add_test(t, names_are_found);
	tcase_add_test(t, a_hole_of_a_terabyte);
	suite_add_tcase(s, t);
	return run_suite(s);
}
