/* SPDX-License-Identifier: MIT */
/*
 * The rows of real libraries are what libdw (elfutils) says, at the first and the last address of
 * each of its own rows; what is damaged or hostile does no harm.
 */
#include "tests/kit/suite.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/unwind/unwind_table.h"

enum { RBP = 6, RSP = 7, RA = 16, MOST_FILES = 64, MOST_SAID = 20 };

/* ---- files */

struct file {
	int fd;
	Elf *elf;
	struct pvp_eh eh;
	Elf_Data *frames;
};

static void part(Elf_Scn *section, const GElf_Shdr *h, struct pvp_eh_part *ret)
{
	Elf_Data *d = elf_rawdata(section, NULL);
	*ret = (struct pvp_eh_part){ d->d_buf, d->d_size, h->sh_addr };
}

static bool open_file(const char *path, struct file *ret)
{
	size_t names;
	*ret = (struct file){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	elf_version(EV_CURRENT);
	ret->elf = ret->fd < 0 ? NULL : elf_begin(ret->fd, ELF_C_READ, NULL);
	if (!ret->elf || elf_getshdrstrndx(ret->elf, &names) != 0)
		return false;
	ret->eh.span = UINT32_MAX;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(ret->elf, s));) {
		GElf_Shdr h;
		const char *name = elf_strptr(ret->elf, names, gelf_getshdr(s, &h)->sh_name);
		if (strcmp(name, ".eh_frame_hdr") == 0)
			part(s, &h, &ret->eh.header);
		else if (strcmp(name, ".eh_frame") == 0) {
			part(s, &h, &ret->eh.frames);
			ret->frames = elf_rawdata(s, NULL);
		}
	}
	return ret->eh.frames.n > 0;
}

static void close_file(struct file *f)
{
	elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
}

/* ---- libdw's rules, as a row; RULE_OTHER: rows have no word for them */

static bool register_rule(const Dwarf_Op *ops, size_t n, int64_t *ret_reg, int64_t *ret_offset)
{
	*ret_reg = n == 1 && ops[0].atom == DW_OP_bregx ? (int64_t)ops[0].number
		   : n >= 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31
			   ? ops[0].atom - DW_OP_breg0
			   : -1;
	*ret_offset = (int64_t)(ops[0].atom == DW_OP_bregx ? ops[0].number2 : ops[0].number);
	return *ret_reg >= 0;
}

static bool is_plt(const Dwarf_Op *o, size_t n)
{
	static const uint8_t atoms[] = { DW_OP_breg7, DW_OP_breg16, DW_OP_lit15, DW_OP_and, 0,
		DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };
	if (n != sizeof atoms)
		return false;
	for (size_t i = 0; i < n; i++)
		if (atoms[i] && o[i].atom != atoms[i])
			return false;
	return true;
}

static void cfa_of(Dwarf_Frame *f, bool signal, struct pvp_row *ret)
{
	Dwarf_Op *ops;
	size_t n;
	int64_t reg, offset;
	ret->rule = PVP_RULE_OTHER;
	if (dwarf_frame_cfa(f, &ops, &n) != 0 || n == 0)
		return;
	if (is_plt(ops, n)) {
		ret->rule = PVP_RULE_PLT;
		ret->cfa = (int16_t)(ops[4].atom - DW_OP_lit0);
		return;
	}
	if (!register_rule(ops, n, &reg, &offset) || (reg != RBP && reg != RSP) || offset % 8 ||
		offset / 8 > INT16_MAX || offset / 8 < INT16_MIN || n > 2 ||
		(n == 2 && ops[1].atom != DW_OP_deref))
		return;
	ret->cfa = (int16_t)(offset / 8);
	if (n == 1)
		ret->rule = reg == RSP ? PVP_RULE_SP : PVP_RULE_FP;
	else if (signal)
		ret->rule = reg == RSP && offset == 160 ? PVP_RULE_SIGNAL : PVP_RULE_OTHER;
	else
		ret->rule = reg == RSP ? PVP_RULE_AT_SP : PVP_RULE_AT_FP;
}

static bool at_cfa(const Dwarf_Op *ops, size_t n, int64_t *ret_offset)
{
	*ret_offset = n == 2 ? (int64_t)ops[1].number : 0;
	return n >= 1 && n <= 2 && ops[0].atom == DW_OP_call_frame_cfa &&
	       (n == 1 || ops[1].atom == DW_OP_plus_uconst);
}

static void fp_of(Dwarf_Frame *f, struct pvp_row *ret)
{
	Dwarf_Op space[3], *ops;
	size_t n;
	int64_t offset;
	ret->fp = PVP_FP_LOST;
	if (dwarf_frame_register(f, RBP, space, &ops, &n) != 0)
		return;
	if (n == 0 && !ops)
		ret->fp = PVP_FP_KEPT;
	else if (at_cfa(ops, n, &offset) && offset < 0 && offset >= -1024 && offset % 8 == 0)
		ret->fp = (int8_t)(offset / 8);
	else if (n == 1 && ops[0].atom == DW_OP_breg6 && ops[0].number == 0)
		ret->fp = PVP_FP_AT_FP;
}

static void ra_of(Dwarf_Frame *f, struct pvp_row *ret)
{
	Dwarf_Op space[3], *ops;
	size_t n;
	int64_t offset;
	if (ret->rule == PVP_RULE_SIGNAL)
		return;
	if (dwarf_frame_register(f, RA, space, &ops, &n) != 0)
		ret->rule = PVP_RULE_OTHER;
	else if (n == 0 && ops)
		ret->rule = PVP_RULE_END;
	else if (!at_cfa(ops, n, &offset) || offset != -8)
		ret->rule = PVP_RULE_OTHER;
}

static struct pvp_row expected(Dwarf_Frame *f, bool signal)
{
	struct pvp_row r = { 0 };
	cfa_of(f, signal, &r);
	fp_of(f, &r);
	ra_of(f, &r);
	if (r.rule == PVP_RULE_OTHER || r.rule == PVP_RULE_END || r.rule == PVP_RULE_SIGNAL)
		r.cfa = 0, r.fp = 0;
	return r;
}

/* ---- one file against it */

static struct {
	uint64_t functions, rows, wrong, other;
} sum;

static void compare(
	const char *path, const struct pvp_unwind_table *t, uint64_t pc, struct pvp_row want)
{
	const struct pvp_row *got = pvp_unwind_find(t, pc);
	if (got && got->rule == want.rule && got->cfa == want.cfa && got->fp == want.fp)
		return;
	if (sum.wrong++ < MOST_SAID)
		printf("%s 0x%" PRIx64 ": rule %d cfa %d rbp %d, libdw: %d %d %d\n", path, pc,
			got ? got->rule : -1, got ? got->cfa : 0, got ? got->fp : 0, want.rule,
			want.cfa, want.fp);
}

static void compare_function(const char *path, const struct pvp_unwind_table *t, Dwarf_CFI *cfi,
	uint64_t pc, uint64_t end)
{
	uint64_t start, till;
	ck_assert_msg(pvp_unwind_function(t, pc, &start, &till), "%s 0x%" PRIx64, path, pc);
	ck_assert_msg(start == pc, "%s: 0x%" PRIx64 " begins at 0x%" PRIx64, path, pc, start);
	sum.functions++;
	while (pc < end) {
		Dwarf_Frame *f;
		Dwarf_Addr from, to;
		bool signal;
		ck_assert_int_eq(dwarf_cfi_addrframe(cfi, pc, &f), 0);
		ck_assert_int_eq(dwarf_frame_info(f, &from, &to, &signal), RA);
		struct pvp_row want = expected(f, signal);
		free(f);
		to = to < end ? to : end;
		compare(path, t, pc, want);
		compare(path, t, to - 1, want);
		sum.rows++;
		sum.other += want.rule == PVP_RULE_OTHER;
		pc = to;
	}
}

/* All compilers here write addresses in one way: 32 bits, from where they stand. */
static uint64_t start_of(const struct file *f, const uint8_t *at, uint64_t *ret_size)
{
	int32_t v[2];
	memcpy(v, at, sizeof v);
	*ret_size = (uint32_t)v[1];
	return f->eh.frames.address + (uint64_t)(at - f->eh.frames.at) + (uint64_t)(int64_t)v[0];
}

static void compare_file(const char *path)
{
	struct file f;
	if (!open_file(path, &f)) {
		close_file(&f);
		return;
	}
	struct pvp_unwind_table *t = pvp_unwind_build(&f.eh);
	struct pvp_eh only = f.eh;
	only.header.n = 0;
	struct pvp_unwind_table *walked = pvp_unwind_build(&only); /* without the search table */
	ck_assert_msg(t && walked, "%s", path);
	ck_assert_uint_eq(t->n, walked->n);
	ck_assert_mem_eq(t->rows, walked->rows, t->n * sizeof *t->rows);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(f.elf);
	ck_assert_ptr_nonnull(cfi);
	GElf_Ehdr ehdr;
	gelf_getehdr(f.elf, &ehdr);
	const unsigned char *ident = ehdr.e_ident;
	Dwarf_CFI_Entry e;
	for (Dwarf_Off at = 0, next; dwarf_next_cfi(ident, f.frames, true, at, &next, &e) == 0;
		at = next) {
		if (dwarf_cfi_cie_p(&e))
			continue;
		uint64_t size, pc = start_of(&f, e.fde.start, &size);
		if (size)
			compare_function(path, t, cfi, pc, pc + size);
	}
	dwarf_cfi_end(cfi);
	free(t);
	free(walked);
	close_file(&f);
}

static int loaded_path(struct dl_phdr_info *info, size_t size, void *arg)
{
	glob_t *to = arg;
	(void)size;
	if (*info->dlpi_name == '/')
		glob(info->dlpi_name, GLOB_APPEND | GLOB_NOSORT, NULL, to);
	return 0;
}

static void find_files(glob_t *ret)
{
	static const char *const more[] = { "/usr/bin/python3", "/proc/self/exe",
		"/usr/share/dotnet/shared/Microsoft.NETCore.App/*/libcoreclr.so",
		"/usr/share/dotnet/shared/Microsoft.NETCore.App/*/libclrjit.so" };
	*ret = (glob_t){ 0 };
	dlopen("libstdc++.so.6", RTLD_LAZY); /* and libm with it */
	glob("/none", 0, NULL, ret);
	dl_iterate_phdr(loaded_path, ret);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		glob(more[i], GLOB_APPEND, NULL, ret);
}

START_TEST(every_function)
{
	glob_t files;
	find_files(&files);
	for (size_t i = 0; i < files.gl_pathc && i < MOST_FILES; i++)
		compare_file(files.gl_pathv[i]);
	printf("%zu files, %" PRIu64 " functions, %" PRIu64 " rows of libdw, %" PRIu64
	       " of them with a rule of another kind; %" PRIu64 " differ\n",
		files.gl_pathc, sum.functions, sum.rows, sum.other, sum.wrong);
	fflush(stdout);
	globfree(&files);
	ck_assert_uint_gt(sum.functions, 10000);
	ck_assert_uint_eq(sum.wrong, 0);
	ck_assert_uint_lt(sum.other, sum.rows / 1000);
}
END_TEST

/* ---- damage */

static uint64_t random_state = 88172645463325252;

static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

static void must_hold(const struct pvp_unwind_table *t, const struct pvp_eh *eh)
{
	ck_assert_uint_ge(t->n, 2);
	ck_assert_uint_eq(t->rows[t->n - 1].rule, PVP_RULE_NONE);
	ck_assert_uint_le(t->bytes, eh->frames.n * 512 + 65536);
	for (uint32_t i = 0; i + 1 < t->n; i++)
		ck_assert_uint_lt(t->rows[i].pc, t->rows[i + 1].pc);
	for (uint32_t i = 0; i < t->n; i += 1 + t->n / 64)
		if (i + 1 < t->n)
			ck_assert_ptr_eq(pvp_unwind_find(t, t->rows[i].pc), &t->rows[i]);
	ck_assert_ptr_null(pvp_unwind_find(t, UINT64_MAX));
}

/* The bytes in blocks of their own, so that a sanitizer sees the first one past them. */
static void build_damaged(const struct pvp_eh *from, size_t frames, size_t header, unsigned bytes)
{
	uint8_t *f = malloc(frames ? frames : 1), *h = malloc(header ? header : 1);
	ck_assert(f && h);
	memcpy(f, from->frames.at, frames);
	memcpy(h, from->header.at, header);
	for (unsigned i = 0; i < bytes && frames; i++)
		f[draw() % frames] = (uint8_t)draw();
	for (unsigned i = 0; i < bytes / 8 && header > 12; i++)
		h[draw() % header] = (uint8_t)draw();
	struct pvp_eh eh = *from;
	eh.frames.at = f;
	eh.frames.n = frames;
	eh.header.at = h;
	eh.header.n = header;
	struct pvp_unwind_table *t = pvp_unwind_build(&eh);
	if (t)
		must_hold(t, &eh);
	free(t);
	free(f);
	free(h);
}

/* The larger the file, the fewer rounds. */
static void damage_file(const char *path)
{
	enum { LEAST = 4, WORK = 1 << 20, MOST = 400 };
	struct file f;
	if (!open_file(path, &f)) {
		close_file(&f);
		return;
	}
	const struct pvp_eh *eh = &f.eh;
	size_t rounds = LEAST + WORK / eh->frames.n;
	for (size_t i = 0; i < rounds && i < MOST; i++) {
		build_damaged(eh, draw() % (eh->frames.n + 1), draw() % (eh->header.n + 1), 0);
		build_damaged(eh, eh->frames.n, draw() % 2 ? eh->header.n : 0,
			1 + (unsigned)(draw() % (eh->frames.n / 64 + 1)));
	}
	build_damaged(eh, 0, 0, 0);
	close_file(&f);
}

START_TEST(damaged)
{
	glob_t files;
	find_files(&files);
	for (size_t i = 0; i < files.gl_pathc && i < MOST_FILES; i++)
		damage_file(files.gl_pathv[i]);
	ck_assert_uint_gt(files.gl_pathc, 0);
	globfree(&files);
}
END_TEST

/*
 * Each of many entries runs to the end of the section, through all the others: the work that it
 * would take is the square of the bytes.
 */
START_TEST(hostile)
{
	enum { SIZE = 1 << 20, ENTRY = 20, CIE = 24 };
	static const uint8_t cie[CIE] = { 20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1,
		0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0 };
	uint8_t *frames = calloc(1, SIZE);
	memcpy(frames, cie, CIE);
	for (uint32_t at = CIE; at + ENTRY <= SIZE; at += ENTRY) {
		uint32_t length = SIZE - at - 4, id = at + 4;
		int32_t pc = -(int32_t)(at + 8) + (int32_t)at * 4, size = 1 << 30;
		memcpy(frames + at, &length, 4);
		memcpy(frames + at + 4, &id, 4);
		memcpy(frames + at + 8, &pc, 4);
		memcpy(frames + at + 12, &size, 4);
	}
	/* A search table that names them all. */
	uint32_t n = SIZE / ENTRY - 2;
	uint8_t *header = calloc(1, 12 + (size_t)n * 8);
	memcpy(header, (uint8_t[]){ 1, 0x1b, 3, 0x3b }, 4);
	memcpy(header + 8, &n, 4);
	for (uint32_t i = 0; i < n; i++) {
		int32_t at = CIE + (int32_t)i * ENTRY, pc = at * 4;
		memcpy(header + 12 + i * 8, &pc, 4);
		memcpy(header + 16 + i * 8, &at, 4);
	}
	struct pvp_eh eh = { { header, 12 + (size_t)n * 8, 0 }, { frames, SIZE, 0 }, 0,
		UINT32_MAX };
	struct pvp_unwind_table *t = pvp_unwind_build(&eh);
	if (t)
		must_hold(t, &eh);
	free(t);
	free(frames);
	free(header);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("unwind table");
	TCase *c = tcase_create("unwind table");
	tcase_add_test(c, every_function);
	tcase_add_test(c, damaged);
	tcase_add_test(c, hostile);
	suite_add_tcase(s, c);
	return run_suite(s);
}
