/* SPDX-License-Identifier: MIT */
/* Reads, sorts and searches the function symbols of an ELF file. */
#include "probe/code/elf_syms.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "probe/code/elf_file.h"
#include "probe/code/elf_plt.h"

enum { BLOCK = 512 /* symbols read at once */, RANK_STUB = 3 };
/* Whether the file on disk is the loaded file. */
static bool same_headers(
	const struct pvp_elf_file *f, const Elf64_Ehdr *h, const ElfW(Phdr) * loaded, size_t n)
{
	size_t bytes = n * sizeof *loaded;
	if (h->e_phnum != n || h->e_phentsize != sizeof *loaded)
		return false;
	void *there = pvp_elf_read_new(f, bytes, h->e_phoff);
	bool same = there && memcmp(there, loaded, bytes) == 0;
	free(there);
	return same;
}

static bool usable(const Elf64_Ehdr *h)
{
	return memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_ident[EI_CLASS] == ELFCLASS64 &&
	       h->e_shentsize == sizeof(Elf64_Shdr);
}

/* The fuller of the two symbol tables; NULL when there is none. */
static const Elf64_Shdr *symbol_table(const Elf64_Shdr *s, size_t n)
{
	const Elf64_Shdr *dynamic = NULL;
	for (size_t i = 0; i < n; i++) {
		if (s[i].sh_entsize != sizeof(Elf64_Sym) || s[i].sh_link >= n)
			continue;
		if (s[i].sh_type == SHT_SYMTAB)
			return &s[i];
		if (s[i].sh_type == SHT_DYNSYM)
			dynamic = &s[i];
	}
	return dynamic;
}

struct collected {
	PV_ARRAY(struct pvp_elf_symbol) list;
	uint32_t source; /* name of the source file of the local symbols that follow */
};

static uint8_t rank_of(unsigned binding)
{
	return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

static bool collect_symbol(struct collected *c, const Elf64_Sym *s)
{
	unsigned type = ELF64_ST_TYPE(s->st_info), binding = ELF64_ST_BIND(s->st_info);
	if (type == STT_FILE)
		c->source = s->st_name;
	bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
	if (!function || s->st_shndx == SHN_UNDEF || !s->st_value)
		return true;
	if (!pv_reserve(&c->list, 1))
		return false;
	c->list.v[c->list.n++] = (struct pvp_elf_symbol){
		.start = s->st_value,
		.size = s->st_size > UINT32_MAX ? UINT32_MAX : (uint32_t)s->st_size,
		.name = s->st_name,
		.file = binding == STB_LOCAL ? c->source : 0,
		.rank = rank_of(binding),
	};
	return true;
}

static bool read_symbols(const struct pvp_elf_file *f, const Elf64_Shdr *table, struct collected *c)
{
	Elf64_Sym block[BLOCK];
	uint64_t n = table->sh_size / sizeof *block;
	if (table->sh_size > PVP_ELF_MAX)
		return false;
	for (uint64_t at = 0; at < n;) {
		uint64_t k = n - at < BLOCK ? n - at : BLOCK;
		if (!pvp_elf_read(
			    f, block, k * sizeof *block, table->sh_offset + at * sizeof *block))
			return false;
		for (uint64_t i = 0; i < k; i++)
			if (!collect_symbol(c, &block[i]))
				return false;
		at += k;
	}
	return true;
}

static int compare_symbols(const void *pa, const void *pb, void *strings)
{
	const struct pvp_elf_symbol *a = pa, *b = pb;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp((const char *)strings + a->name, (const char *)strings + b->name);
}

static void drop_nameless(struct pvp_elf *e)
{
	size_t kept = 0;
	for (size_t i = 0; i < e->n; i++) {
		struct pvp_elf_symbol s = e->symbols[i];
		if (s.name >= e->strings_len || !e->strings[s.name])
			continue;
		if (s.file >= e->strings_len)
			s.file = 0;
		e->symbols[kept++] = s;
	}
	e->n = kept;
}

/* Stubs of functions in other files: their names go after the table's own. Without memory: none. */
static void add_stubs(struct pvp_elf *e, const struct pvp_elf_stubs *stubs)
{
	size_t extra = stubs->names.n, n = e->n + stubs->list.n;
	if (!extra || e->strings_len + extra > UINT32_MAX)
		return;
	char *strings = realloc(e->strings, e->strings_len + extra);
	if (!strings)
		return;
	e->strings = strings;
	struct pvp_elf_symbol *symbols = realloc(e->symbols, n * sizeof *symbols);
	if (!symbols)
		return;
	e->symbols = symbols;
	memcpy(strings + e->strings_len, stubs->names.v, extra);
	for (size_t i = 0; i < stubs->list.n; i++)
		symbols[e->n++] = (struct pvp_elf_symbol){ .start = stubs->list.v[i].start,
			.size = stubs->list.v[i].size,
			.name = (uint32_t)(e->strings_len + stubs->list.v[i].name),
			.rank = RANK_STUB };
	e->strings_len += extra;
}

static bool has_debug_information(
	const struct pvp_elf_file *f, const Elf64_Ehdr *h, const Elf64_Shdr *sections)
{
	static const char *const named[] = { ".debug_info", ".zdebug_info", ".gnu_debuglink" };
	const Elf64_Shdr *names = h->e_shstrndx < h->e_shnum ? &sections[h->e_shstrndx] : NULL;
	char *text = names ? pvp_elf_read_new(f, names->sh_size, names->sh_offset) : NULL;
	bool found = false;
	for (size_t i = 0; text && i < h->e_shnum && !found; i++) {
		size_t at = sections[i].sh_name,
		       left = at < names->sh_size ? names->sh_size - at : 0;
		for (size_t k = 0; k < PV_COUNT_OF(named) && !found; k++)
			found = left > strlen(named[k]) && strcmp(text + at, named[k]) == 0;
	}
	free(text);
	return found;
}

static bool load_table(struct pvp_elf *e, const struct pvp_elf_file *f, const Elf64_Ehdr *h,
	const Elf64_Shdr *sections)
{
	const size_t n = h->e_shnum;
	struct pvp_elf_stubs stubs = { 0 };
	const Elf64_Shdr *table = symbol_table(sections, n);
	struct collected c = { .source = 0 };
	if (!table || !read_symbols(f, table, &c)) {
		pv_array_finish(&c.list);
		return false;
	}
	const Elf64_Shdr *names = &sections[table->sh_link];
	*e = (struct pvp_elf){ .symbols = c.list.v,
		.n = c.list.n,
		.strings = pvp_elf_read_new(f, names->sh_size, names->sh_offset),
		.strings_len = names->sh_size + 1,
		.debug = has_debug_information(f, h, sections) };
	if (!e->strings)
		return false;
	e->strings[names->sh_size] = 0;
	if (pvp_elf_stubs(&stubs, f, h, sections))
		add_stubs(e, &stubs);
	pvp_elf_stubs_finish(&stubs);
	drop_nameless(e);
	if (e->n)
		qsort_r(e->symbols, e->n, sizeof *e->symbols, compare_symbols, e->strings);
	return true;
}

static bool load_open(
	struct pvp_elf *e, const struct pvp_elf_file *f, const ElfW(Phdr) * headers, size_t n)
{
	Elf64_Ehdr h;
	if (!pvp_elf_read(f, &h, sizeof h, 0) || !usable(&h) || !same_headers(f, &h, headers, n))
		return false;
	Elf64_Shdr *sections = pvp_elf_read_new(f, h.e_shnum * sizeof *sections, h.e_shoff);
	bool ok = sections && load_table(e, f, &h, sections);
	free(sections);
	return ok;
}

bool pvp_elf_load_from(struct pvp_elf *ret, int fd, const ElfW(Phdr) * headers, size_t n)
{
	*ret = (struct pvp_elf){ 0 };
	struct pvp_elf_file f = { .fd = fd };
	struct stat st;
	bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	f.size = ok ? (uint64_t)st.st_size : 0;
	ok = ok && load_open(ret, &f, headers, n);
	if (!ok)
		pvp_elf_finish(ret);
	return ok;
}

bool pvp_elf_load(struct pvp_elf *ret, const char *path, const ElfW(Phdr) * headers, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	*ret = (struct pvp_elf){ 0 };
	if (fd < 0)
		return false;
	bool ok = pvp_elf_load_from(ret, fd, headers, n);
	close(fd);
	return ok;
}

bool pvp_elf_load_image(
	struct pvp_elf *ret, const void *image, size_t bytes, const ElfW(Phdr) * headers, size_t n)
{
	const struct pvp_elf_file f = { .image = image, .fd = -1, .size = bytes };
	*ret = (struct pvp_elf){ 0 };
	bool ok = load_open(ret, &f, headers, n);
	if (!ok)
		pvp_elf_finish(ret);
	return ok;
}

void pvp_elf_finish(struct pvp_elf *e)
{
	free(e->symbols);
	free(e->strings);
	*e = (struct pvp_elf){ 0 };
}

const struct pvp_elf_symbol *pvp_elf_find(const struct pvp_elf *e, uint64_t address)
{
	size_t low = 0, high = e->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (e->symbols[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	uint64_t start = e->symbols[low - 1].start;
	while (low > 1 && e->symbols[low - 2].start == start)
		low--;
	const struct pvp_elf_symbol *s = &e->symbols[low - 1];
	return address == start || address - start < s->size ? s : NULL;
}
