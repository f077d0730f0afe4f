/* SPDX-License-Identifier: MIT */
/* Finds inlined functions in DWARF: lists of units and functions, then down through the blocks. */
#ifdef PV_ELFUTILS

#include "common/model/names/inlined.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

/* A unit's or function's addresses as the file has them, and the place of the description. */
struct range {
	uint64_t from, to;
	Dwarf_Off die;
};

struct range_list {
	struct range *v;
	size_t n, room;
};

struct unit {
	Dwarf_Off die;
	size_t first, n; /* in function; sorted */
	bool listed;
};

struct pv_inlined {
	Dwarf *dwarf; /* NULL: none */
	uint64_t bias;
	PV_ARRAY(struct unit) unit;
	struct range_list covers; /* units; `die` is an index in `unit`; sorted */
	struct range_list function;
};

void pv_inlined_free(struct pv_inlined *x)
{
	if (!x)
		return;
	pv_array_finish(&x->unit);
	pv_array_finish(&x->covers);
	pv_array_finish(&x->function);
	free(x);
}

/* ---- passing over debug information */

static bool pay_budget(uint64_t *left, uint64_t cost)
{
	*left = *left > cost ? *left - cost : 0;
	return *left != 0;
}

/* libdw goes through all attributes to find one. */
static bool pay_for_attributes(struct pv_inlined_budget *b, Dwarf_Die *die)
{
	size_t n;
	if (dwarf_tag(die) == DW_TAG_invalid || dwarf_getattrcnt(die->abbrev, &n) != 0)
		return false;
	return pay_budget(&b->bytes, 1 + n);
}

/* Goes to the next sibling. Without a pointer to the sibling libdw goes through all in between. */
static bool next_die(struct pv_inlined_budget *b, Dwarf_Die *die)
{
	Dwarf_Off from = dwarf_dieoffset(die);
	Dwarf_Die next;
	if (dwarf_siblingof(die, &next) != 0 || dwarf_dieoffset(&next) <= from)
		return false;
	uint64_t passed = dwarf_dieoffset(&next) - from;
	*die = next;
	return pay_budget(&b->bytes, passed);
}

static int by_address(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
				  : (x->to > y->to) - (x->to < y->to);
}

/* The range with the address that begins last; NULL: none. */
static const struct range *range_at(const struct range *v, size_t n, uint64_t address)
{
	enum { BACK = 64 }; /* overlapping ranges compared: only damaged files have any */
	size_t least = 0, most = n;
	while (least < most) {
		size_t middle = least + (most - least) / 2;
		if (v[middle].from <= address)
			least = middle + 1;
		else
			most = middle;
	}
	for (size_t i = least; i > 0 && least - i < BACK; i--)
		if (address < v[i - 1].to)
			return &v[i - 1];
	return NULL;
}

/* Adds the ranges of the description, as `means`. False: the budget is used up, or no memory. */
static bool add_ranges(
	struct range_list *to, struct pv_inlined_budget *b, Dwarf_Die *die, Dwarf_Off means)
{
	Dwarf_Addr base, from, end;
	ptrdiff_t at = 0;
	while ((at = dwarf_ranges(die, at, &base, &from, &end)) > 0) {
		if (!pay_budget(&b->bytes, sizeof(struct range)))
			return false;
		if (from == 0 || from >= end) /* 0: the linker dropped it */
			continue;
		if (!pay_budget(&b->ranges, 1) || !pv_reserve(to, 1))
			return false;
		to->v[to->n++] = (struct range){ from, end, means };
	}
	return true;
}

/* ---- units and their functions */

static bool list_units(struct pv_inlined *x, struct pv_inlined_budget *b)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;
	while (dwarf_get_units(x->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type != DW_UT_compile)
			continue;
		if (!pay_for_attributes(b, &die) || !pv_reserve(&x->unit, 1))
			return false;
		x->unit.v[x->unit.n++] = (struct unit){ .die = dwarf_dieoffset(&die) };
		if (!add_ranges(&x->covers, b, &die, x->unit.n - 1))
			return false;
	}
	if (x->covers.n)
		qsort(x->covers.v, x->covers.n, sizeof *x->covers.v, by_address);
	return true;
}

/* True if functions may be described inside a description of this kind. */
static bool holds_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type;
}

/* Depth first; `path`: the next sibling in each level above. */
static bool list_functions(struct pv_inlined *x, struct pv_inlined_budget *b, Dwarf_Die *unit)
{
	Dwarf_Die path[PV_INLINED_LEVELS], below;
	size_t depth = 0;
	if (dwarf_child(unit, &path[0]) != 0)
		return true;
	for (;;) {
		Dwarf_Die *die = &path[depth];
		int tag = dwarf_tag(die);
		if (!pay_for_attributes(b, die))
			return false;
		if (tag == DW_TAG_subprogram &&
			!add_ranges(&x->function, b, die, dwarf_dieoffset(die)))
			return false;
		if (holds_functions(tag) && depth + 1 < PV_INLINED_LEVELS &&
			dwarf_child(die, &below) == 0) {
			path[++depth] = below;
			continue;
		}
		while (!next_die(b, &path[depth])) {
			if (!b->bytes)
				return false;
			if (depth-- == 0)
				return true;
		}
	}
}

static const struct range *function_at(
	struct pv_inlined *x, struct pv_inlined_budget *b, uint64_t address)
{
	const struct range *in = range_at(x->covers.v, x->covers.n, address);
	Dwarf_Die die;
	if (!in)
		return NULL;
	struct unit *u = &x->unit.v[in->die];
	if (!u->listed) {
		u->listed = true;
		u->first = x->function.n;
		if (!dwarf_offdie(x->dwarf, u->die, &die) || !list_functions(x, b, &die))
			x->function.n = u->first;
		u->n = x->function.n - u->first;
		if (u->n)
			qsort(x->function.v + u->first, u->n, sizeof *x->function.v, by_address);
	}
	return u->n ? range_at(x->function.v + u->first, u->n, address) : NULL;
}

/* ---- inlined functions of one */

static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &a));
	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a));
	return name ? name : dwarf_diename(die);
}

/* Goes to the child with the address: a block or an inlined function. */
static bool go_down(struct pv_inlined_budget *b, Dwarf_Die *die, uint64_t address)
{
	Dwarf_Die at;
	if (dwarf_child(die, &at) != 0)
		return false;
	do {
		int tag = dwarf_tag(&at);
		if (!pay_for_attributes(b, &at))
			return false;
		if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
			dwarf_haspc(&at, address) > 0) {
			*die = at;
			return true;
		}
	} while (next_die(b, &at));
	return false;
}

static struct pv_inlined *begin_inlined(Dwfl_Module *in, struct pv_inlined_budget *b)
{
	Dwarf_Addr bias = 0;
	struct pv_inlined *x = calloc(1, sizeof *x);
	if (!x)
		return NULL;
	x->dwarf = dwfl_module_getdwarf(in, &bias);
	x->bias = bias;
	if (x->dwarf && !list_units(x, b))
		x->covers.n = 0;
	return x;
}

/* DIEs of named functions inlined at the address, outermost first; *ret_in: the function around. */
static size_t dies_at(struct pv_inlined **px, Dwfl_Module *in, uint64_t address,
	struct pv_inlined_budget *b, Dwarf_Die ret[PV_INLINED_DEPTH], Dwarf_Die *ret_in)
{
	struct pv_inlined *x = *px ? *px : begin_inlined(in, b);
	Dwarf_Die die;
	size_t n = 0;
	*px = x;
	*ret_in = (Dwarf_Die){ 0 };
	if (!x || !x->covers.n || !b->bytes || !b->ranges)
		return 0;
	address -= x->bias;
	const struct range *function = function_at(x, b, address);
	if (!function || !dwarf_offdie(x->dwarf, function->die, &die))
		return 0;
	*ret_in = die;
	for (size_t i = 0; i < PV_INLINED_LEVELS && go_down(b, &die, address); i++) {
		if (dwarf_tag(&die) != DW_TAG_inlined_subroutine)
			continue;
		const char *name = die_name(&die);
		if (name && *name && n < PV_INLINED_DEPTH)
			ret[n++] = die;
	}
	return n;
}

size_t pv_inlined_find(struct pv_inlined **px, Dwfl_Module *in, uint64_t address,
	struct pv_inlined_budget *b, const char *ret_names[PV_INLINED_DEPTH])
{
	Dwarf_Die die[PV_INLINED_DEPTH], function;
	size_t n = dies_at(px, in, address, b, die, &function);
	for (size_t i = 0; i < n; i++)
		ret_names[i] = die_name(&die[i]);
	return n;
}

/* 0: not known. */
static uint32_t declared_at(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Word line = 0;
	if (!die->cu || dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_line, &a), &line) != 0)
		return 0;
	return line <= INT32_MAX ? (uint32_t)line : 0;
}

static struct pv_source_line call_of(Dwarf_Die *die, Dwarf_Files *files, size_t n)
{
	Dwarf_Attribute a;
	Dwarf_Word file = 0, line = 0;
	if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &a), &file) != 0 || file >= n ||
		dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &a), &line) != 0 ||
		line > INT32_MAX)
		return (struct pv_source_line){ 0 };
	return (struct pv_source_line){ .file = dwarf_filesrc(files, file, NULL, NULL),
		.line = (uint32_t)line };
}

size_t pv_inlined_calls(struct pv_inlined **px, Dwfl_Module *in, Dwarf_Die *unit, uint64_t address,
	struct pv_inlined_budget *b, struct pv_source_line ret[PV_INLINED_DEPTH],
	uint32_t *ret_start)
{
	Dwarf_Die die[PV_INLINED_DEPTH], function;
	Dwarf_Files *files = NULL;
	size_t n = dies_at(px, in, address, b, die, &function), known = 0;
	if (n && dwarf_getsrcfiles(unit, &files, &known) != 0)
		known = 0;
	for (size_t i = 0; i < n; i++) {
		ret[i] = call_of(&die[i], files, known);
		ret[i].start = declared_at(i ? &die[i - 1] : &function);
	}
	*ret_start = declared_at(n ? &die[n - 1] : &function);
	return n;
}

bool pv_inlined_unit(struct pv_inlined **px, Dwfl_Module *in, uint64_t address,
	struct pv_inlined_budget *b, Dwarf_Die *ret, uint64_t *ret_bias)
{
	struct pv_inlined *x = *px ? *px : begin_inlined(in, b);
	*px = x;
	if (!x || !x->covers.n)
		return false;
	const struct range *at = range_at(x->covers.v, x->covers.n, address - x->bias);
	*ret_bias = x->bias;
	return at && dwarf_offdie(x->dwarf, x->unit.v[at->die].die, ret);
}

/* ---- lines */

/*
 * The section with the line programs, unpacked by libdw. NULL: none, or libdw's choice is not
 * certain.
 */
static const Elf_Data *line_programs(Elf *elf)
{
	const int own = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	const char *ident = elf ? elf_getident(elf, NULL) : NULL;
	const Elf_Data *found = NULL;
	size_t names;
	GElf_Shdr head;
	if (!ident || ident[EI_DATA] != own || elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	for (Elf_Scn *at = NULL; (at = elf_nextscn(elf, at));) {
		const char *name =
			gelf_getshdr(at, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;
		if (!name ||
			(strcmp(name, ".debug_line") != 0 && strcmp(name, ".zdebug_line") != 0))
			continue;
		if (found || head.sh_flags & SHF_COMPRESSED)
			return NULL;
		found = elf_rawdata(at, NULL);
	}
	return found;
}

/* Bytes of the line program at `at` (DWARF 6.2.4, unit_length). 0: none. */
static uint64_t line_program_size(Elf *elf, uint64_t at)
{
	const Elf_Data *in = line_programs(elf);
	uint32_t size = 0;
	if (!in || !in->d_buf || at > in->d_size || in->d_size - at < sizeof size)
		return 0;
	memcpy(&size, (const char *)in->d_buf + at, sizeof size);
	if (size >= 0xfffffff0) /* 64 bits of length follow: all that is left */
		return in->d_size - at;
	return size;
}

bool pv_inlined_pay_lines(const Dwarf_Die *unit, struct pv_inlined_budget *b)
{
	Dwarf_Attribute a;
	Dwarf_Word at;
	Dwarf_Die die = *unit;
	Dwarf *in = dwarf_cu_getdwarf(die.cu);
	if (dwarf_formudata(dwarf_attr(&die, DW_AT_stmt_list, &a), &at) != 0)
		return false;
	uint64_t size = line_program_size(dwarf_getelf(in), at);
	return size && pay_budget(&b->lines, size);
}

#else

typedef int pv_inlined_needs_libdw; /* a file must have something in it */

#endif
