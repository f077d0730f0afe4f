/* SPDX-License-Identifier: MIT */
/* Finds the stubs of an x86-64 file (.plt and its kin), and names them by relocations. */
#include "probe/code/elf_plt.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 /* relocations read at once */, STUB = 16, STUB_GOT = 8, MOST_NAME = 4096 };

/* A slot of the global offset table, filled by a relocation with a function's address. */
struct slot {
	uint64_t at;
	uint32_t symbol;
};

struct reading {
	const struct pvp_elf_file *f;
	PV_ARRAY(struct slot) slot; /* by place */
	Elf64_Sym *symbols;
	uint64_t n_symbols;
	char *strings;
	uint64_t strings_len;
	struct pvp_elf_stubs *to;
};

static bool add_slots(struct reading *r, const Elf64_Shdr *table)
{
	Elf64_Rela block[BLOCK];
	uint64_t n = table->sh_size / sizeof *block;
	if (table->sh_size > PVP_ELF_MAX)
		return false;
	for (uint64_t at = 0; at < n;) {
		uint64_t k = n - at < BLOCK ? n - at : BLOCK;
		if (!pvp_elf_read(r->f, block, k * sizeof *block,
			    table->sh_offset + at * sizeof *block) ||
			!pv_reserve(&r->slot, k))
			return false;
		for (uint64_t i = 0; i < k; i++) {
			uint64_t type = ELF64_R_TYPE(block[i].r_info);
			if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT)
				r->slot.v[r->slot.n++] = (struct slot){ block[i].r_offset,
					(uint32_t)ELF64_R_SYM(block[i].r_info) };
		}
		at += k;
	}
	return true;
}

static int compare_slots(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;
	return (a->at > b->at) - (a->at < b->at);
}

static const char *slot_name(const struct reading *r, uint64_t at)
{
	const struct slot key = { .at = at };
	const struct slot *s =
		r->slot.n ? bsearch(&key, r->slot.v, r->slot.n, sizeof key, compare_slots) : NULL;
	if (!s || s->symbol >= r->n_symbols || r->symbols[s->symbol].st_name >= r->strings_len)
		return "";
	return r->strings + r->symbols[s->symbol].st_name;
}

/* The slot used by the jump in `code`; 0: no jump. */
static uint64_t jump_slot(const uint8_t *code, size_t n, uint64_t address)
{
	int32_t distance;
	for (size_t i = 0; i + 6 <= n; i++) {
		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&distance, code + i + 2, sizeof distance);
		return address + i + 6 + (uint64_t)(int64_t)distance;
	}
	return 0;
}

static bool add_stub(struct reading *r, uint64_t start, uint32_t size, const char *name)
{
	static const char suffix[] = "@plt";
	size_t n = strnlen(name, MOST_NAME);
	if (!n || r->to->names.n > PVP_ELF_MAX)
		return true;
	if (!pv_reserve(&r->to->list, 1) || !pv_reserve(&r->to->names, n + sizeof suffix))
		return false;
	r->to->list.v[r->to->list.n++] =
		(struct pvp_elf_stub){ start, size, (uint32_t)r->to->names.n };
	memcpy(r->to->names.v + r->to->names.n, name, n);
	memcpy(r->to->names.v + r->to->names.n + n, suffix, sizeof suffix);
	r->to->names.n += n + sizeof suffix;
	return true;
}

static bool add_stubs(struct reading *r, const Elf64_Shdr *code, uint32_t size)
{
	uint8_t *at = pvp_elf_read_new(r->f, code->sh_size, code->sh_offset);
	bool ok = at != NULL;
	for (uint64_t i = 0; ok && i + size <= code->sh_size; i += size)
		ok = add_stub(r, code->sh_addr + i, size,
			slot_name(r, jump_slot(at + i, size, code->sh_addr + i)));
	free(at);
	return ok;
}

/* Reads the dynamic symbols, which relocations refer to. */
static bool read_symbols(struct reading *r, const Elf64_Ehdr *h, const Elf64_Shdr *s)
{
	size_t i = 0;
	while (i < h->e_shnum && s[i].sh_type != SHT_DYNSYM)
		i++;
	if (i == h->e_shnum || s[i].sh_link >= h->e_shnum)
		return false;
	const Elf64_Shdr *names = &s[s[i].sh_link];
	r->symbols = pvp_elf_read_new(r->f, s[i].sh_size, s[i].sh_offset);
	r->n_symbols = s[i].sh_size / sizeof *r->symbols;
	r->strings = pvp_elf_read_new(r->f, names->sh_size, names->sh_offset);
	r->strings_len = names->sh_size;
	if (r->strings)
		r->strings[names->sh_size] = 0;
	for (size_t k = 0; r->strings && k < h->e_shnum; k++)
		if (s[k].sh_type == SHT_RELA && s[k].sh_link == i && !add_slots(r, &s[k]))
			return false;
	if (r->slot.n)
		qsort(r->slot.v, r->slot.n, sizeof *r->slot.v, compare_slots);
	return r->symbols && r->strings;
}

static uint32_t stub_size(const char *section)
{
	if (strcmp(section, ".plt") == 0 || strcmp(section, ".plt.sec") == 0)
		return STUB;
	return strcmp(section, ".plt.got") == 0 ? STUB_GOT : 0;
}

bool pvp_elf_stubs(struct pvp_elf_stubs *ret, const struct pvp_elf_file *f, const Elf64_Ehdr *h,
	const Elf64_Shdr *sections)
{
	struct reading r = { .f = f, .to = ret };
	if (h->e_machine != EM_X86_64 || h->e_shstrndx >= h->e_shnum)
		return true;
	const Elf64_Shdr *titles = &sections[h->e_shstrndx];
	char *title = pvp_elf_read_new(f, titles->sh_size, titles->sh_offset);
	bool ok = title && read_symbols(&r, h, sections);
	if (title)
		title[titles->sh_size] = 0;
	for (size_t i = 0; ok && i < h->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i];
		uint32_t size = s->sh_type == SHT_PROGBITS && s->sh_name < titles->sh_size
					? stub_size(title + s->sh_name)
					: 0;
		ok = !size || add_stubs(&r, s, size);
	}
	free(title);
	free(r.symbols);
	free(r.strings);
	pv_array_finish(&r.slot);
	return ok;
}

void pvp_elf_stubs_finish(struct pvp_elf_stubs *s)
{
	pv_array_finish(&s->list);
	pv_array_finish(&s->names);
}
