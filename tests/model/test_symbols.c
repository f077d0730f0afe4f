/* SPDX-License-Identifier: MIT */
/* Names and source lines of native code, from this program's own file. */
#include "tests/kit/suite.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/build_id.h"
#include "common/base/status.h"
#include "common/model/names/symbols.h"
#include "tests/kit/logkit.h"

static char own[4096];
static uint64_t from, size;

enum { FIRST_LINE = __LINE__ + 1 };
__attribute__((noinline)) static int a_function_of_ours(int x)
{
	return x * 3 + (int)getpid();
}

static int look(struct dl_phdr_info *info, size_t room, void *ctx)
{
	uint64_t least = UINT64_MAX, most = 0;
	(void)room, (void)ctx;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD)
			continue;
		least = p->p_vaddr < least ? p->p_vaddr : least;
		most = p->p_vaddr + p->p_memsz > most ? p->p_vaddr + p->p_memsz : most;
	}
	from = info->dlpi_addr + least;
	size = most - least;
	return 1; /* the program itself comes first */
}

static uint64_t address(void)
{
	return (uint64_t)(uintptr_t)a_function_of_ours;
}

static struct pv_symbols *of(const char *path, uint64_t bytes, uint64_t before_ms)
{
	struct pv_symbols *s = NULL;
	ck_assert(pv_symbols_module(&s, from, bytes, path));
	pv_symbols_before(s, before_ms);
	return s;
}

START_TEST(a_function_has_its_name)
{
	struct pv_symbol found;
	struct pv_symbols *s = of(own, size, UINT64_MAX);
	ck_assert(pv_symbols_find(s, address() + 3, &found));
	ck_assert_str_eq(found.name, "a_function_of_ours");
	ck_assert_uint_eq(found.start, address());
	ck_assert_uint_gt(found.size, 3);
	ck_assert(!pv_symbols_find(s, from + size, &found));
	ck_assert(!pv_symbols_find(s, from - 1, &found));
	pv_symbols_destroy(s);
}
END_TEST

START_TEST(its_lines_are_known)
{
	struct pv_symbol found;
	struct pv_source_line at[PV_INLINED_DEPTH + 1];
	struct pv_symbols *s = of(own, size, UINT64_MAX);
	ck_assert(pv_symbols_find(s, address(), &found));
	for (uint64_t i = 0; i < found.size; i++) {
		ck_assert_uint_eq(pv_symbols_lines(s, found.start + i, at), 1);
		ck_assert_ptr_nonnull(strstr(at[0].file, "test_symbols.c"));
		ck_assert_uint_ge(at[0].line, FIRST_LINE);
		ck_assert_uint_le(at[0].line, FIRST_LINE + 3);
	}
	ck_assert_uint_eq(pv_symbols_lines(s, from + size, at), 0);
	ck_assert_uint_eq(pv_symbols_lines(NULL, found.start, at), 0);
	pv_symbols_destroy(s);
}
END_TEST

START_TEST(only_the_file_that_was_loaded_is_believed)
{
	struct pv_symbol found;
	const struct {
		const char *path;
		uint64_t size, before_ms;
	} wrong[] = { { own, size + 1, UINT64_MAX }, { own, size, 1000 },
		{ "/no/such/file", size, UINT64_MAX }, { "/", size, UINT64_MAX },
		{ "/dev/zero", size, UINT64_MAX }, { "/etc/passwd", size, UINT64_MAX } };
	for (size_t i = 0; i < PV_COUNT_OF(wrong); i++) {
		struct pv_symbols *s = of(wrong[i].path, wrong[i].size, wrong[i].before_ms);
		ck_assert_msg(!pv_symbols_find(s, address(), &found), "case %zu", i);
		pv_symbols_destroy(s);
	}
	ck_assert(!pv_symbols_find(NULL, address(), &found));
	pv_symbols_destroy(NULL);
}
END_TEST

START_TEST(a_place_that_is_used_again_is_another_file)
{
	struct pv_symbol found;
	struct pv_symbols *s = of(own, size, UINT64_MAX);
	ck_assert(pv_symbols_module(&s, from, size, own));
	bool known = pv_symbols_find(s, address(), &found);
	ck_assert(pv_symbols_module(&s, from, size, "/no/such/file"));
	ck_assert(!pv_symbols_find(s, address(), &found));
	ck_assert(pv_symbols_module(&s, from, size, own));
	ck_assert(pv_symbols_find(s, address(), &found) == known);
	pv_symbols_destroy(s);
}
END_TEST

/* With an id that this file does not have it is another one; what is no id says nothing. */
START_TEST(a_build_id_decides)
{
	static const char *const ids[] = { "0123456789abcdef", "00", "x", "", "012" };
	static const bool believed[] = { false, false, true, true, true }; /* the last are none */
	struct pv_symbol found;
	for (size_t i = 0; i < PV_COUNT_OF(ids); i++) {
		struct pv_symbols *s = of(own, size, UINT64_MAX);
		pv_symbols_build_id(s, from, ids[i]);
		ck_assert_msg(pv_symbols_find(s, address(), &found) == believed[i], "%s", ids[i]);
		pv_symbols_destroy(s);
	}
	pv_symbols_build_id(NULL, from, ids[0]);
}
END_TEST

struct library {
	char path[200], id[2 * PV_BUILD_ID_MAX + 1]; /* of its debug file */
	uint64_t from, size, holds;
};

static int look_at_library(struct dl_phdr_info *info, size_t room, void *ctx)
{
	struct library *l = ctx;
	uint64_t most = 0;
	(void)room;
	l->id[0] = 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uint8_t *note = (const uint8_t *)(uintptr_t)(info->dlpi_addr + p->p_vaddr);
		static const uint32_t head[3] = { 4, 20, NT_GNU_BUILD_ID };
		bool is_id = p->p_type == PT_NOTE && p->p_memsz >= 36 &&
			     memcmp(note, head, sizeof head) == 0;
		if (p->p_type == PT_LOAD && p->p_vaddr + p->p_memsz > most)
			most = p->p_vaddr + p->p_memsz;
		for (size_t k = 0; is_id && k < 20; k++)
			snprintf(l->id + 2 * k, 3, "%02x", note[16 + k]);
	}
	l->from = info->dlpi_addr;
	l->size = most;
	return l->id[0] && l->holds >= l->from && l->holds - l->from < l->size;
}

/* libc's, where libc6-dbg is installed; the file itself is not asked. */
START_TEST(a_debug_file_is_found_by_build_id)
{
	struct pv_symbol found;
	struct pv_symbols *s = NULL;
	struct library l = { .holds = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "qsort_r") };
	if (!dl_iterate_phdr(look_at_library, &l))
		return;
	snprintf(l.path, sizeof l.path, "/usr/lib/debug/.build-id/%.2s/%s.debug", l.id, l.id + 2);
	if (access(l.path, R_OK) != 0)
		return;
	ck_assert(pv_symbols_module(&s, l.from, l.size, "/no/such/file"));
	pv_symbols_build_id(s, l.from, l.id);
	ck_assert(pv_symbols_find(s, l.holds + 1, &found));
	ck_assert_ptr_nonnull(strstr(found.name, "qsort_r"));
	ck_assert_uint_eq(found.start, l.holds);
	pv_symbols_destroy(s);
}
END_TEST

/* ---- line programs of any size */

/* A library whose only line program is this much longer, by instructions that make no row. */
static void make_lined(const char *path, size_t longer)
{
	char command[1000];
	uint32_t length = 0;
	FILE *f;
	snprintf(command, sizeof command,
		"echo 'int lined(int x) { return x + 3; }' | " COMPILER
		" -g -fPIC -shared -nostdlib -x c -o %s - && " OBJCOPY
		" --dump-section .debug_line=%s.lines %s",
		path, path, path);
	ck_assert_int_eq(system(command), 0);
	snprintf(command, sizeof command, "%s.lines", path);
	f = fopen(command, "r+");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fread(&length, sizeof length, 1, f), 1);
	length += (uint32_t)longer;
	rewind(f);
	ck_assert_uint_eq(fwrite(&length, sizeof length, 1, f), 1);
	fseek(f, 0, SEEK_END);
	for (size_t i = 0; i < longer; i++)
		fputc(6, f); /* DW_LNS_negate_stmt */
	ck_assert_int_eq(fclose(f), 0);
	snprintf(command, sizeof command, OBJCOPY " --update-section .debug_line=%s.lines %s", path,
		path);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(a_line_program_beyond_the_limit_is_not_run)
{
	static const size_t longer[] = { 0, 17 << 20 };
	for (size_t i = 0; i < PV_COUNT_OF(longer); i++) {
		char path[] = "/tmp/test_symbols.XXXXXX";
		struct library l = { .path = "" };
		uint32_t line = 0;
		struct pv_symbols *s = NULL;
		ck_assert_ptr_nonnull(mkdtemp(path));
		snprintf(l.path, sizeof l.path, "%s/lib.so", path);
		make_lined(l.path, longer[i]);
		void *in = dlopen(l.path, RTLD_NOW);
		ck_assert_ptr_nonnull(in);
		l.holds = (uint64_t)(uintptr_t)dlsym(in, "lined");
		ck_assert(dl_iterate_phdr(look_at_library, &l));
		ck_assert(pv_symbols_module(&s, l.from, l.size, l.path));
		pv_symbols_before(s, UINT64_MAX);
		for (int again = 0; again < 2; again++) {
			struct pv_source_line at[PV_INLINED_DEPTH + 1];
			size_t n = pv_symbols_lines(s, l.holds, at);
			ck_assert_uint_eq(n, i == 0);
			line = n ? at[0].line : 0;
			ck_assert_int_eq(pv_symbols_lines_all(s), i == 0);
		}
		ck_assert_uint_eq(line, i == 0);
		pv_symbols_destroy(s);
		dlclose(in);
		snprintf(l.path, sizeof l.path, "rm -r %s", path);
		ck_assert_int_eq(system(l.path), 0);
	}
}
END_TEST

/* ---- inlined functions */

static inline __attribute__((always_inline)) unsigned innermost(unsigned x)
{
	for (int i = 0; i < 3; i++)
		x = x * 1664525 + 1013904223 + (x >> 7);
	return x;
}

static inline __attribute__((always_inline)) unsigned in_between(unsigned x)
{
	return innermost(x + 1) ^ innermost(x * x);
}

__attribute__((noinline)) static unsigned with_inlined(unsigned x)
{
	unsigned sum = (unsigned)getpid();
	for (unsigned i = 0; i < x; i++)
		sum += in_between(i) + innermost(sum);
	return sum;
}

enum { CHAIN = 400 };

/* "outer > inner" of the functions inlined there, as this program's own debug information says. */
static size_t chain_of(struct pv_symbols *s, uint64_t at, char chain[CHAIN])
{
	const char *names[PV_INLINED_DEPTH], *path = "";
	size_t n = pv_symbols_inlined(s, at, names, &path), to = 0;
	chain[0] = 0;
	for (size_t i = 0; i < n; i++)
		to += (size_t)snprintf(chain + to, CHAIN - to, "%s ", names[i]);
	if (n)
		ck_assert_str_eq(path, own);
	return n;
}

/* The numbers of its lines, innermost first. */
static void lines_of(struct pv_symbols *s, uint64_t at, char lines[CHAIN])
{
	struct pv_source_line found[PV_INLINED_DEPTH + 1];
	size_t to = 0;
	lines[0] = 0;
	for (size_t n = pv_symbols_lines(s, at, found); n-- > 0;)
		to += (size_t)snprintf(lines + to, CHAIN - to, "%u ", found[n].line);
}

/* Both by binutils, which names the innermost first and the function itself last. */
static bool by_addr2line(uint64_t at, char chain[CHAIN], char numbers[CHAIN])
{
	char command[4300], line[300], names[PV_INLINED_DEPTH][100];
	size_t n = 0, to = 0, numbers_n = 0;
	snprintf(command, sizeof command, "addr2line -i -f -e '%s' 0x%llx", own,
		(unsigned long long)(at - from));
	FILE *lines = popen(command, "r");
	for (size_t i = 0; lines && fgets(line, sizeof line, lines); i++)
		if (i % 2 == 0 && n < PV_INLINED_DEPTH)
			snprintf(names[n++], sizeof names[0], "%.*s", (int)strcspn(line, "\n"),
				line);
		else if (i % 2 && strrchr(line, ':'))
			numbers_n += (size_t)snprintf(numbers + numbers_n, CHAIN - numbers_n,
				"%lu ", strtoul(strrchr(line, ':') + 1, NULL, 10));
	if (!lines || pclose(lines) != 0 || n == 0)
		return false;
	chain[0] = 0;
	for (size_t i = n - 1; i-- > 0;)
		to += (size_t)snprintf(chain + to, CHAIN - to, "%s ", names[i]);
	return true;
}

START_TEST(inlined_functions_are_those_that_binutils_knows)
{
	struct pv_symbol found;
	struct pv_symbols *s = of(own, size, UINT64_MAX);
	uint64_t start = (uint64_t)(uintptr_t)with_inlined;
	char ours[CHAIN], theirs[CHAIN], lines[CHAIN], their_lines[CHAIN];
	size_t deepest = 0, shallowest = PV_INLINED_DEPTH;
	ck_assert(pv_symbols_find(s, start, &found));
	ck_assert_uint_eq(found.start, start);
	for (uint64_t at = start; at < start + found.size; at += 3) {
		size_t n = chain_of(s, at, ours);
		deepest = n > deepest ? n : deepest;
		shallowest = n < shallowest ? n : shallowest;
		lines_of(s, at, lines);
		if (!by_addr2line(at, theirs, their_lines))
			continue;
		ck_assert_msg(strcmp(ours, theirs) == 0 && strcmp(lines, their_lines) == 0,
			"+%llu: %s%s, not %s%s", (unsigned long long)(at - start), ours, lines,
			theirs, their_lines);
	}
	ck_assert_uint_eq(deepest, 2);
	ck_assert_uint_eq(shallowest, 0);
	ck_assert(pv_symbols_inlined_all(s));
	ck_assert_uint_eq(chain_of(s, from + size, ours), 0);
	ck_assert_uint_eq(chain_of(NULL, start, ours), 0);
	pv_symbols_destroy(s);
}
END_TEST

/* An address at which innermost() stands in in_between(). 0: this was built without optimisation. */
static uint64_t deepest_address(void)
{
	struct pv_symbol found;
	char chain[CHAIN];
	struct pv_symbols *s = of(own, size, UINT64_MAX);
	uint64_t start = (uint64_t)(uintptr_t)with_inlined, ret = 0;
	ck_assert(pv_symbols_find(s, start, &found));
	for (uint64_t at = start; at < start + found.size && !ret; at++)
		ret = chain_of(s, at, chain) == 2 ? at : 0;
	pv_symbols_destroy(s);
	return ret;
}

/* ---- in a log */

struct a_function {
	const char *name;
	uint64_t at;
};

static int by_address(const void *x, const void *y)
{
	const struct a_function *a = x, *b = y;
	return (a->at > b->at) - (a->at < b->at);
}

static void hit(struct logkit *k, uint64_t address)
{
	struct pv_event e = { .kind = PV_KIND_SAMPLE_HIT,
		.hit = { .thread = 1, .ips = LOGKIT_LIST(k, address) } };
	static int64_t t;
	logkit_event(k, ++t * LOGKIT_MS, e);
}

START_TEST(a_function_found_hides_no_other_of_its_file)
{
	struct a_function all[] = {
		{ "a_function_of_ours [test_symbols]", address() },
		{ "look [test_symbols]", (uint64_t)(uintptr_t)look },
		{ "by_address [test_symbols]", (uint64_t)(uintptr_t)by_address },
	};
	qsort(all, PV_COUNT_OF(all), sizeof all[0], by_address);
	struct logkit *k = logkit_new(17);
	k->model->target.start_time_ms = UINT64_MAX;
	logkit_event(k, 0,
		(struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			.symbol = { from, size, 0, { own, strlen(own) } } });
	hit(k, all[1].at);
	hit(k, all[2].at);
	hit(k, all[2].at + 1);
	hit(k, all[0].at + 1);
	logkit_flush(k);
	ck_assert_uint_eq(logkit_sum(k, all[0].name).samples_self, 1);
	ck_assert_uint_eq(logkit_sum(k, all[1].name).samples_self, 1);
	ck_assert_uint_eq(logkit_sum(k, all[2].name).samples_self, 2);
	logkit_free(k);
}
END_TEST

static void is_here(struct logkit *k)
{
	k->model->target.start_time_ms = UINT64_MAX;
	logkit_event(k, 0,
		(struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			.symbol = { from, size, 0, { own, strlen(own) } } });
}

START_TEST(inlined_functions_are_frames_below_theirs)
{
	struct logkit *k = logkit_new(17);
	uint64_t start = (uint64_t)(uintptr_t)with_inlined;
	is_here(k);
	hit(k, deepest_address());
	hit(k, deepest_address());
	hit(k, start);
	logkit_flush(k);
	ck_assert_uint_eq(logkit_sum(k, "innermost (inlined)").samples_self, 2);
	ck_assert_uint_eq(logkit_sum(k, "in_between (inlined)").samples_self, 0);
	ck_assert_uint_eq(logkit_sum(k, "in_between (inlined)").samples_total, 2);
	ck_assert_uint_eq(logkit_sum(k, "with_inlined [test_symbols]").samples_self, 1);
	ck_assert_uint_eq(logkit_sum(k, "with_inlined [test_symbols]").samples_total, 3);
	ck_assert_uint_eq(k->model->calls.samples, 3);
	logkit_free(k);
}
END_TEST

/* Those of an address are forgotten with the file that lay there. */
START_TEST(inlined_functions_go_with_their_file)
{
	struct logkit *k = logkit_new(17);
	is_here(k);
	hit(k, deepest_address());
	logkit_flush(k);
	logkit_event(k, 0,
		(struct pv_event){ .kind = PV_KIND_SAMPLE_SYMBOL,
			.symbol = { from, size, 0, { "/no/such/file", 13 } } });
	hit(k, deepest_address());
	logkit_flush(k);
	ck_assert_uint_eq(logkit_sum(k, "innermost (inlined)").samples_self, 1);
	ck_assert_uint_eq(k->model->calls.samples, 2);
	logkit_free(k);
}
END_TEST

/* A copy of a file in which a section says that it unpacks to so many bytes. */
static void pack(const char *file, const char *path, uint64_t unpacks)
{
	static char bytes[64 << 20];
	FILE *in = fopen(file, "rb");
	ck_assert_ptr_nonnull(in);
	const size_t n = fread(bytes, 1, sizeof bytes, in);
	fclose(in);
	ElfW(Ehdr) *head = (void *)bytes;
	ck_assert(n < sizeof bytes && head->e_shoff && head->e_shoff < n);
	ElfW(Shdr) *sections = (void *)(bytes + head->e_shoff), *at = NULL;
	const char *names = bytes + sections[head->e_shstrndx].sh_offset;
	for (size_t i = 0; i < head->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, ".comment") == 0)
			at = &sections[i];
	ElfW(Chdr) packed = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = unpacks, .ch_addralign = 1 };
	ck_assert(at && at->sh_size >= sizeof packed);
	at->sh_flags = SHF_COMPRESSED;
	memcpy(bytes + at->sh_offset, &packed, sizeof packed);
	FILE *out = fopen(path, "wb");
	ck_assert(out && fwrite(bytes, 1, n, out) == n && fclose(out) == 0);
}

/* 4 GiB for all files of a log: what says more is not handed to libdw, which would make it. */
START_TEST(a_file_that_unpacks_too_large_is_refused)
{
	static const uint64_t unpacks[] = { UINT64_C(1) << 20, UINT64_C(5) << 30, UINT64_MAX };
	for (size_t i = 0; i < PV_COUNT_OF(unpacks); i++) {
		char path[] = "/tmp/pv-symbols-XXXXXX";
		struct pv_symbol found;
		close(mkstemp(path));
		pack(own, path, unpacks[i]);
		struct pv_symbols *s = of(path, size, UINT64_MAX);
		ck_assert_msg(pv_symbols_find(s, address(), &found) == (i == 0), "%zu", i);
		pv_symbols_destroy(s);
		unlink(path);
	}
}
END_TEST

/* Without names of its own; the file that it names as the one that has them lies next to it. */
static void make_linked(const char *folder)
{
	char command[1200];
	snprintf(command, sizeof command,
		"cd %s && echo 'static __attribute__((noinline)) int inner(int x) { return x + 3; }"
		" int (*const door)(int) = inner;' | " COMPILER
		" -g -fPIC -shared -nostdlib -Wl,--build-id -x c -o l.so - && " OBJCOPY
		" --only-keep-debug l.so l.full && cp l.full l.debug && " OBJCOPY
		" --strip-all --add-gnu-debuglink=l.debug l.so",
		folder);
	ck_assert_int_eq(system(command), 0);
}

/* The library is asked for its debug file, and it is refused as the file itself would be. */
START_TEST(a_debug_file_that_unpacks_too_large_is_refused)
{
	static const uint64_t unpacks[] = { UINT64_C(1) << 20, UINT64_C(5) << 30 };
	char folder[] = "/tmp/pv-symbols-XXXXXX", path[100], full[100], debug[100], command[100];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	make_linked(folder);
	snprintf(path, sizeof path, "%s/l.so", folder);
	snprintf(full, sizeof full, "%s/l.full", folder);
	snprintf(debug, sizeof debug, "%s/l.debug", folder);
	void *lib = dlopen(path, RTLD_NOW);
	ck_assert_ptr_nonnull(lib);
	const uint64_t *door = dlsym(lib, "door");
	ck_assert_ptr_nonnull(door);
	struct library l = { .holds = *door };
	ck_assert(dl_iterate_phdr(look_at_library, &l));
	for (size_t i = 0; i < PV_COUNT_OF(unpacks); i++) {
		struct pv_symbol found;
		struct pv_symbols *s = NULL;
		pack(full, debug, unpacks[i]);
		ck_assert(pv_symbols_module(&s, l.from, l.size, path));
		pv_symbols_build_id(s, l.from, l.id);
		ck_assert_msg(pv_symbols_find(s, l.holds, &found) == (i == 0), "%zu", i);
		if (i == 0)
			ck_assert_str_eq(found.name, "inner");
		pv_symbols_destroy(s);
	}
	dlclose(lib);
	snprintf(command, sizeof command, "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("symbols");
	TCase *t = tcase_create("symbols");
	ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
	own[n > 0 ? n : 0] = 0;
	dl_iterate_phdr(look, NULL);
	(void)a_function_of_ours(1);
	(void)with_inlined(2);
	tcase_add_test(t, a_function_has_its_name);
	tcase_add_test(t, its_lines_are_known);
	tcase_add_test(t, only_the_file_that_was_loaded_is_believed);
	tcase_add_test(t, a_build_id_decides);
	tcase_add_test(t, a_file_that_unpacks_too_large_is_refused);
	tcase_add_test(t, a_debug_file_that_unpacks_too_large_is_refused);
	tcase_add_test(t, a_debug_file_is_found_by_build_id);
	tcase_add_test(t, a_place_that_is_used_again_is_another_file);
	tcase_add_test(t, a_function_found_hides_no_other_of_its_file);
	tcase_add_test(t, a_line_program_beyond_the_limit_is_not_run);
	tcase_add_test(t, inlined_functions_are_those_that_binutils_knows);
	tcase_add_test(t, inlined_functions_are_frames_below_theirs);
	tcase_add_test(t, inlined_functions_go_with_their_file);
	tcase_set_timeout(t, 60);
	suite_add_tcase(s, t);
	return run_suite(s);
}
