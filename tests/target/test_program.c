/* SPDX-License-Identifier: MIT */
/* Kinds of program by command: files made here, and the shells' way of finding them. */
#include "tests/kit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/target/process/preload.h"
#include "common/target/process/program.h"

static char dir[] = "/tmp/pv-programXXXXXX";

static const char *put(const char *name, const void *bytes, size_t n)
{
	static char path[8][128];
	static int next;
	char *at = path[next++ % 8];
	snprintf(at, sizeof path[0], "%s/%s", dir, name);
	FILE *f = fopen(at, "w");
	ck_assert_ptr_nonnull(f);
	fwrite(bytes, 1, n, f);
	fclose(f);
	chmod(at, 0755);
	return at;
}

static const char *script(const char *name, const char *text)
{
	return put(name, text, strlen(text));
}

static enum pv_program_kind kind_of(const char *word)
{
	struct pv_program p;
	struct pv_error e = { 0 };
	bool missing;
	ck_assert_msg(pv_program_look(word, &p, &missing, &e), "%s: %s", word, e.what);
	return p.kind;
}

/* As far as it is looked at: "MZ", where "PE" is, and the directory of the CLI header. */
static const char *image(const char *name, bool cli)
{
	unsigned char b[512] = "MZ";
	b[0x3c] = 0x80;
	memcpy(b + 0x80, "PE\0", 4);
	b[0x80 + 24] = 0x0b;
	b[0x80 + 25] = 0x01;
	b[0x80 + 24 + 96 + 14 * 8] = cli;
	return put(name, b, sizeof b);
}

START_TEST(elf_files_and_images)
{
	ck_assert_int_eq(kind_of("true"), PV_PROGRAM_NATIVE);
	ck_assert_int_eq(kind_of("/bin/true"), PV_PROGRAM_NATIVE);
	ck_assert_int_eq(kind_of(image("app.exe", true)), PV_PROGRAM_CLI);
	const char *core = image("core.dll", true);
	ck_assert_int_eq(kind_of(core), PV_PROGRAM_CLI);
	script("core.runtimeconfig.json", "{}");
	ck_assert_int_eq(kind_of(core), PV_PROGRAM_DOTNET_CLI);
	ck_assert_int_eq(kind_of(image("windows.exe", false)), PV_PROGRAM_SCRIPT);
}
END_TEST

/* A program that only lies next to an image of its name is no host of .NET. */
START_TEST(a_native_program_next_to_an_image)
{
	char from[512];
	image("next.dll", true);
	script("next.runtimeconfig.json", "{}");
	snprintf(from, sizeof from, "%s/next", dir);
	ck_assert(symlink("/bin/true", from) == 0);
	ck_assert_int_eq(kind_of(from), PV_PROGRAM_NATIVE);
}
END_TEST

static void refused_for(const char *path, const char *why)
{
	struct pv_program p;
	struct pv_error e = { 0 };
	bool missing;
	ck_assert(!pv_program_look(path, &p, &missing, &e));
	ck_assert_msg(strstr(e.what, why) != NULL, "%s", e.what);
}

/* A real program, made into one for another C library, of 32 bits, for another machine. */
START_TEST(programs_that_take_no_probe_of_ours)
{
	static const char ours[] = "/lib64/ld-linux-x86-64.so.2",
			  musl[] = "/lib/ld-musl-x86_64.so.1";
	static char bytes[1 << 20];
	FILE *f = fopen("/bin/true", "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(f);
	size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	const char machine = bytes[18];
	bytes[4] = 1;
	refused_for(put("bits", bytes, n), "another architecture");
	bytes[4] = 2;
	bytes[18] = (char)(machine + 1);
	refused_for(put("machine", bytes, n), "another architecture");
	bytes[18] = machine;
	char *loader = memmem(bytes, n, ours, sizeof ours);
	if (!loader)
		return; /* of another machine */
	memcpy(loader, musl, sizeof musl);
	refused_for(put("musl", bytes, n), "is for musl");
	memcpy(loader, ours, sizeof ours);
	ck_assert_int_eq(kind_of(put("plain", bytes, n)), PV_PROGRAM_NATIVE);
}
END_TEST

START_TEST(scripts_end_in_something)
{
	char text[400];
	ck_assert_int_eq(
		kind_of(script("a", "#!/bin/sh\nexec /bin/true \"$@\"\n")), PV_PROGRAM_NATIVE);
	ck_assert_int_eq(
		kind_of(script("b", "#!/usr/bin/env bash\nA=1 /bin/true && echo yes\necho no\n")),
		PV_PROGRAM_NATIVE);
	ck_assert_int_eq(kind_of(script("c", "#!/bin/sh\nexec $PROGRAM\n")), PV_PROGRAM_SCRIPT);
	ck_assert_int_eq(kind_of(script("d", "#!/no/such/interpreter\n")), PV_PROGRAM_SCRIPT);
	ck_assert_int_eq(kind_of(script("e", "echo no first line\n")), PV_PROGRAM_SCRIPT);
	ck_assert_int_eq(kind_of(script("f", "#!")), PV_PROGRAM_SCRIPT);
	ck_assert_int_eq(kind_of(script("g", "#!/bin/sh")), PV_PROGRAM_SCRIPT);
	snprintf(text, sizeof text, "#!/bin/sh\nexec '%s/a' -x # not this\n", dir);
	ck_assert_int_eq(kind_of(script("h", text)), PV_PROGRAM_NATIVE);
	snprintf(text, sizeof text, "#!/bin/sh\nexec %s/loop\n", dir);
	ck_assert_int_eq(kind_of(script("loop", text)), PV_PROGRAM_SCRIPT);
	snprintf(text, sizeof text, "#!/bin/sh\nexec %s/app.exe\n", dir);
	image("app.exe", true);
	ck_assert_int_eq(kind_of(script("i", text)), PV_PROGRAM_MONO);
}
END_TEST

START_TEST(cut_files_do_no_harm)
{
	unsigned char b[512];
	FILE *f = fopen("/bin/true", "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(b, 1, sizeof b, f), sizeof b);
	fclose(f);
	for (size_t n = 0; n < sizeof b; n += 7) {
		struct pv_program p;
		struct pv_error e = { 0 };
		bool missing;
		pv_program_look(put("cut", b, n), &p, &missing, &e);
	}
	unsigned char pe[512] = "MZ";
	for (unsigned at = 0; at < 256; at++) {
		memset(pe + 0x3c, (int)at, 4);
		kind_of(put("pe", pe, sizeof pe));
	}
}
END_TEST

START_TEST(what_is_not_there)
{
	struct pv_program p;
	struct pv_error e = { 0 };
	bool missing = false;
	ck_assert(!pv_program_look("no-such-program-at-all", &p, &missing, &e) && missing);
	const char *path = script("plain", "text");
	chmod(path, 0644);
	if (geteuid() != 0)
		chmod(path, 0600);
	ck_assert(!pv_program_look(path, &p, &missing, &e) && !missing);
	ck_assert_int_eq(e.code, PV_EIO);
}
END_TEST

/* The mark of .NET is looked for in as much of a file as can have it. */
START_TEST(a_hole_of_a_terabyte)
{
	static char bytes[4 << 20];
	FILE *f = fopen("/bin/true", "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	const char *path = put("hole", bytes, n);
	ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0);
	ck_assert_int_eq(kind_of(path), PV_PROGRAM_NATIVE);
}
END_TEST

START_TEST(the_probe_is_preloaded_first)
{
	static const struct {
		const char *before, *wanted;
	} row[] = { { NULL, "/p/our.so" }, { "", "/p/our.so" }, { " : ", "/p/our.so" },
		{ "libjemalloc.so.2", "/p/our.so:libjemalloc.so.2" },
		{ "a.so:b.so c.so", "/p/our.so:a.so:b.so:c.so" },
		{ "a.so:/lib/libasan.so.8:b.so", "/lib/libasan.so.8:/p/our.so:a.so:b.so" },
		{ "libtsan.so.2 libasan.so.8", "libtsan.so.2:libasan.so.8:/p/our.so" } };
	for (size_t i = 0; i < PV_COUNT_OF(row); i++) {
		char *list = pv_preload_with(row[i].before, "/p/our.so");
		ck_assert_str_eq(list, row[i].wanted);
		free(list);
	}
}
END_TEST

START_TEST(a_sanitizer_is_found)
{
	static unsigned char bytes[4096];
	char to[PV_PRELOAD_NAME], self[64] = "/proc/self/exe";
	FILE *f = fopen(self, "r");
	ck_assert_ptr_nonnull(f);
	size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	pv_preload_sanitizer(self, to); /* whatever this was built with */
	for (size_t cut = 0; cut < n; cut += 31) {
		const char *path = put("cut", bytes, cut);
		ck_assert(!pv_preload_sanitizer(path, to));
	}
	for (size_t i = 16; i < 600; i += 5) { /* nonsense in its tables */
		unsigned char before = bytes[i];
		bytes[i] ^= (unsigned char)(1 + i % 255);
		ck_assert(!pv_preload_sanitizer(put("wrong", bytes, n), to));
		bytes[i] = before;
	}
	ck_assert(!pv_preload_sanitizer("/dev/null", to));
	ck_assert(!pv_preload_sanitizer("/", to));
	ck_assert(!pv_preload_sanitizer("/no/such/file", to));
}
END_TEST

int main(void)
{
	if (!mkdtemp(dir))
		return EXIT_FAILURE;
	Suite *s = suite_create("program");
	TCase *t = tcase_create("program");
	tcase_add_test(t, programs_that_take_no_probe_of_ours);
	tcase_add_test(t, elf_files_and_images);
	tcase_add_test(t, a_native_program_next_to_an_image);
	tcase_add_test(t, scripts_end_in_something);
	tcase_add_test(t, cut_files_do_no_harm);
	tcase_add_test(t, what_is_not_there);
	tcase_add_test(t, a_hole_of_a_terabyte);
	tcase_add_test(t, the_probe_is_preloaded_first);
	tcase_add_test(t, a_sanitizer_is_found);
	suite_add_tcase(s, t);
	int result = run_suite(s);
	char rm[64];
	snprintf(rm, sizeof rm, "rm -r %s", dir);
	return system(rm) == 0 ? result : EXIT_FAILURE;
}
