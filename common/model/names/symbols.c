/* SPDX-License-Identifier: MIT */
/*
 * Opens the files of native code by elfutils, if they can be believed, and finds functions and
 * lines.
 */
#include "common/model/names/symbols.h"

#include <stdlib.h>

#include "common/base/build_id.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/base/text/unversioned.h"

#ifdef PV_ELFUTILS

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/model/names/inlined.h"

struct module {
	uint64_t from, size;
	char *path;
	uint8_t id[PV_BUILD_ID_MAX]; /* build id */
	size_t id_n;                 /* 0: not known */
	bool tried, codeless;        /* codeless: the debug file was opened */
	Dwfl *dwfl;                  /* NULL: not opened, or not believed */
	Dwfl_Module *in;
	struct pv_inlined *inlined; /* NULL: not asked about yet */
	struct pv_map lines;        /* of units asked for: 1, or 0 where the budget had no room */
};

struct pv_symbols {
	PV_ARRAY(struct module) module;
	uint64_t before_ms, generation;
	struct pv_inlined_budget budget;
	bool lines_refused;  /* of the last question */
	PV_ARRAY(char) name; /* the last versioned name, without its version */
};

static void close_module(struct module *m)
{
	pv_inlined_free(m->inlined);
	pv_map_finish(&m->lines);
	if (m->dwfl)
		dwfl_end(m->dwfl);
	free(m->path);
}

void pv_symbols_destroy(struct pv_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->module.n; i++)
		close_module(&s->module.v[i]);
	pv_array_finish(&s->module);
	pv_array_finish(&s->name);
	free(s);
}

bool pv_symbols_module(struct pv_symbols **ps, uint64_t from, uint64_t size, const char *path)
{
	struct pv_symbols *s = *ps ? *ps : calloc(1, sizeof *s);
	if (!s)
		return false;
	if (!*ps)
		s->budget = PV_INLINED_BUDGET;
	*ps = s;
	size_t i = 0;
	while (i < s->module.n && s->module.v[i].from != from)
		i++;
	bool there = i < s->module.n;
	if (there && s->module.v[i].size == size && strcmp(s->module.v[i].path, path) == 0)
		return true;
	if (!there && s->module.n >= PV_MODULES_CAP)
		return true;
	struct module m = { .from = from, .size = size, .path = strdup(path) };
	if (!m.path || (!there && !pv_reserve(&s->module, 1))) {
		free(m.path);
		return false;
	}
	if (there)
		close_module(&s->module.v[i]);
	s->module.v[i] = m;
	s->module.n += !there;
	s->generation++;
	return true;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void pv_symbols_build_id(struct pv_symbols *s, uint64_t from, const char *hex)
{
	struct module *m = NULL;
	for (size_t i = 0; s && i < s->module.n && !m; i++)
		m = s->module.v[i].from == from ? &s->module.v[i] : NULL;
	if (!m || m->tried)
		return;
	m->id_n = 0;
	for (size_t i = 0; hex[2 * i] && i < PV_BUILD_ID_MAX; i++) {
		int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
		if (high < 0 || low < 0) {
			m->id_n = 0;
			return;
		}
		m->id[i] = (uint8_t)(high << 4 | low);
		m->id_n = i + 1;
	}
}

void pv_symbols_before(struct pv_symbols *s, uint64_t ms)
{
	if (s)
		s->before_ms = ms;
}

/* ---- files */

static int open_file(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* True if the file is the user's or the system's, and not writable by others. */
static bool is_safe(int fd, struct stat *ret)
{
	return fstat(fd, ret) == 0 && S_ISREG(ret->st_mode) &&
	       (ret->st_uid == 0 || ret->st_uid == geteuid()) && !(ret->st_mode & S_IWOTH);
}

static bool has_id(int fd, const uint8_t *id, size_t n)
{
	const void *found = NULL;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool same = elf && dwelf_elf_gnu_build_id(elf, &found) == (ssize_t)n &&
		    memcmp(found, id, n) == 0;
	elf_end(elf);
	return same;
}

/* A .gnu_debuglink checksum is no proof: the file must have the module's build id. */
static bool is_of_module(Dwfl_Module *mod, int fd)
{
	const unsigned char *wanted;
	GElf_Addr at;
	struct stat st;
	int n = dwfl_module_build_id(mod, &wanted, &at);
	return n > 0 && is_safe(fd, &st) && has_id(fd, wanted, (size_t)n);
}

/* Size in a section that begins with "ZLIB" and the size: GNU's form before there was a flag. */
static uint64_t old_size(Elf_Scn *section)
{
	const Elf_Data *d = elf_rawdata(section, NULL);
	uint64_t size = 0;
	for (size_t i = 4; d && d->d_buf && d->d_size >= 12 && i < 12; i++)
		size = size << 8 | ((const uint8_t *)d->d_buf)[i];
	return size;
}

/* Bytes that libdw unpacks from the section; 0: it is not packed. */
static uint64_t unpacked_size(Elf *elf, size_t names, Elf_Scn *section)
{
	enum { XZ = 64 }; /* times: symbols of libraries are packed to a third or less */
	GElf_Shdr head;
	GElf_Chdr packed;
	if (!gelf_getshdr(section, &head))
		return 0;
	const char *name = elf_strptr(elf, names, head.sh_name);
	if (head.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &packed) ? packed.ch_size : 0;
	if (name && strncmp(name, ".zdebug", 7) == 0)
		return old_size(section);
	if (name && strcmp(name, ".gnu_debugdata") == 0)
		return head.sh_size > UINT64_MAX / XZ ? UINT64_MAX : head.sh_size * XZ;
	return 0;
}

/* False: the file's sections would become larger than the rest of the budget. */
static bool pay_unpacked(int fd, struct pv_inlined_budget *b)
{
	uint64_t sum = 0;
	size_t names = 0;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_getshdrstrndx(elf, &names) != 0)
		names = 0;
	for (Elf_Scn *at = NULL; elf && (at = elf_nextscn(elf, at));) {
		uint64_t size = unpacked_size(elf, names, at);
		sum = size > UINT64_MAX - sum ? UINT64_MAX : sum + size;
	}
	elf_end(elf);
	if (sum > b->unpacked)
		return false;
	b->unpacked -= sum;
	return true;
}

/*
 * Opens the file of .gnu_debuglink: in the file's folder, in .debug below, or below /usr/lib/debug.
 */
static int find_linked_file(Dwfl_Module *mod, const char *file, const char *link, char **ret_name)
{
	static const char *const places[] = { "%.*s/%s", "%.*s/.debug/%s",
		"/usr/lib/debug%.*s/%s" };
	const char *slash = file ? strrchr(file, '/') : NULL;
	if (!slash || !link || !*link || strchr(link, '/'))
		return -1;
	for (size_t i = 0; i < PV_COUNT_OF(places); i++) {
		char *path;
		if (asprintf(&path, places[i], (int)(slash - file), file, link) < 0)
			return -1;
		int fd = open_file(path);
		if (fd >= 0 && is_of_module(mod, fd)) {
			*ret_name = path;
			return fd;
		}
		if (fd >= 0)
			close(fd);
		free(path);
	}
	return -1;
}

/*
 * Finds debug files on this machine only: the library's other ways may ask servers on the network.
 * The library reads .gnu_debugdata itself.
 */
static int find_debug_file(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
	const char *file, const char *link, GElf_Word crc, char **ret_name)
{
	int fd = dwfl_build_id_find_debuginfo(mod, user, name, base, file, link, crc, ret_name);
	if (fd < 0)
		fd = find_linked_file(mod, file, link, ret_name);
	if (fd < 0 || pay_unpacked(fd, *user))
		return fd;
	close(fd);
	free(*ret_name);
	*ret_name = NULL;
	return -1;
}

static int find_no_file(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
	char **ret_name, Elf **ret_elf)
{
	(void)mod, (void)user, (void)name, (void)base, (void)ret_name, (void)ret_elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_elf = find_no_file,
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address };

/* The range of the segments that the loader is asked to map. */
static bool span(int fd, uint64_t *ret_least, uint64_t *ret_size)
{
	uint64_t least = UINT64_MAX, most = 0;
	size_t n = 0;
	GElf_Phdr p;
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		least = p.p_vaddr < least ? p.p_vaddr : least;
		most = p.p_vaddr + p.p_memsz > most ? p.p_vaddr + p.p_memsz : most;
	}
	elf_end(elf);
	*ret_least = least;
	*ret_size = most - least;
	return least < most;
}

static bool trusted(const struct pv_symbols *s, const struct module *m, int fd)
{
	struct stat st;
	if (!is_safe(fd, &st))
		return false;
	return m->id_n ? has_id(fd, m->id, m->id_n)
		       : (uint64_t)st.st_mtim.tv_sec * 1000 <= s->before_ms;
}

/* Opens a file as the module's. False: another file. */
static bool open_as(struct pv_symbols *s, struct module *m, const char *path)
{
	uint64_t least, size;
	int fd = open_file(path);
	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	bool same = trusted(s, m, fd) && span(fd, &least, &size) && size == m->size &&
		    pay_unpacked(fd, &s->budget);
	m->dwfl = same ? dwfl_begin(&callbacks) : NULL;
	if (m->dwfl) {
		dwfl_report_begin(m->dwfl);
		m->in = dwfl_report_elf(m->dwfl, path, path, fd, m->from - least, true);
		void **user;
		if (m->in && dwfl_module_info(m->in, &user, NULL, NULL, NULL, NULL, NULL, NULL))
			*user = &s->budget;
		if (m->in) /* the holder of the file closes it */
			fd = -1;
		dwfl_report_end(m->dwfl, NULL, NULL);
	}
	if (fd >= 0)
		close(fd);
	return m->in;
}

static void open_module(struct pv_symbols *s, struct module *m)
{
	static const char place[] = "/usr/lib/debug/.build-id/";
	char path[sizeof place + 2 * PV_BUILD_ID_MAX + sizeof "/.debug"], *to = path;
	m->tried = true;
	if (open_as(s, m, m->path) || m->id_n < 2)
		return;
	if (m->dwfl)
		dwfl_end(m->dwfl);
	to += sprintf(to, "%s%02x/", place, m->id[0]);
	for (size_t i = 1; i < m->id_n; i++)
		to += sprintf(to, "%02x", m->id[i]);
	memcpy(to, ".debug", sizeof ".debug");
	m->codeless = true;
	open_as(s, m, path);
}

/* The module around the address, if its file could be opened. */
static struct module *holder_of(struct pv_symbols *s, uint64_t address)
{
	for (size_t i = 0; s && i < s->module.n; i++) {
		struct module *m = &s->module.v[i];
		if (address < m->from || address - m->from >= m->size)
			continue;
		if (!m->tried)
			open_module(s, m);
		return m->in ? m : NULL;
	}
	return NULL;
}

static Dwfl_Module *module_at(struct pv_symbols *s, uint64_t address)
{
	const struct module *m = holder_of(s, address);
	return m ? m->in : NULL;
}

/* ---- look-up */

/* "spin@@V_2" is spin. NULL: out of memory. */
static const char *without_version(struct pv_symbols *s, const char *symbol)
{
	size_t n = pv_unversioned(symbol);
	if (!symbol[n])
		return symbol;
	s->name.n = 0;
	if (!pv_reserve(&s->name, n + 1))
		return NULL;
	memcpy(s->name.v, symbol, n);
	s->name.v[n] = 0;
	return s->name.v;
}

bool pv_symbols_find(struct pv_symbols *s, uint64_t address, struct pv_symbol *ret)
{
	GElf_Off offset;
	GElf_Sym sym;
	Dwfl_Module *in = module_at(s, address);
	const char *name =
		in ? dwfl_module_addrinfo(in, address, &offset, &sym, NULL, NULL, NULL) : NULL;
	if (!name || !*name || (sym.st_size && offset >= sym.st_size))
		return false;
	name = without_version(s, name);
	if (!name)
		return false;
	*ret = (struct pv_symbol){ address - offset, sym.st_size, name };
	return true;
}

bool pv_symbols_file(
	struct pv_symbols *s, uint64_t address, const char **ret_path, uint64_t *ret_in_file)
{
	GElf_Addr bias;
	struct module *m = holder_of(s, address);
	if (!m || m->codeless || !dwfl_module_getelf(m->in, &bias))
		return false;
	*ret_path = m->path;
	*ret_in_file = address - bias;
	return true;
}

/* True if libdw may run the unit's line program. libdw keeps the results. */
static bool may_read_lines(struct pv_symbols *s, struct module *m, Dwarf_Die *unit)
{
	Dwarf_Off wanted = dwarf_dieoffset(unit);
	uint32_t known = pv_map_get(&m->lines, wanted);
	if (known == PV_MAP_NONE) {
		known = pv_inlined_pay_lines(unit, &s->budget);
		if (!pv_map_set(&m->lines, wanted, known))
			known = 0;
	}
	s->lines_refused = !known;
	return known;
}

/* The unit of an address whose lines may be read; false: none. `bias`: as in pv_inlined_unit(). */
static bool unit_at(struct pv_symbols *s, struct module *m, uint64_t address, Dwarf_Die *ret,
	Dwarf_Addr *ret_bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(m->in, address, ret_bias);
	if (unit)
		*ret = *unit;
	/* clang writes no list of addresses */
	else if (!pv_inlined_unit(&m->inlined, m->in, address, &s->budget, ret, ret_bias))
		return false;
	return may_read_lines(s, m, ret);
}

static struct pv_source_line line_of(Dwarf_Die *unit, uint64_t address)
{
	int number = 0;
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(line, &number) != 0 || number <= 0)
		return (struct pv_source_line){ 0 };
	return (struct pv_source_line){ .file = file, .line = (uint32_t)number };
}

static const char *folder_of(Dwarf_Die *unit)
{
	Dwarf_Attribute at;
	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &at));
}

size_t pv_symbols_lines(
	struct pv_symbols *s, uint64_t address, struct pv_source_line ret[PV_INLINED_DEPTH + 1])
{
	Dwarf_Die unit;
	Dwarf_Addr bias;
	struct module *m = holder_of(s, address);
	if (s)
		s->lines_refused = false;
	if (!m || !unit_at(s, m, address, &unit, &bias))
		return 0;
	uint32_t start = 0;
	size_t n = pv_inlined_calls(&m->inlined, m->in, &unit, address, &s->budget, ret, &start);
	ret[n] = line_of(&unit, address - bias);
	ret[n].start = start;
	const char *folder = folder_of(&unit);
	for (size_t i = 0; i <= n; i++)
		ret[i].folder = folder;
	return n + 1;
}

size_t pv_symbols_inlined(struct pv_symbols *s, uint64_t address,
	const char *ret_names[PV_INLINED_DEPTH], const char **ret_path)
{
	struct module *m = holder_of(s, address);
	if (!m)
		return 0;
	*ret_path = m->path;
	return pv_inlined_find(&m->inlined, m->in, address, &s->budget, ret_names);
}

bool pv_symbols_inlined_all(const struct pv_symbols *s)
{
	return !s || (s->budget.bytes && s->budget.ranges);
}

bool pv_symbols_lines_all(const struct pv_symbols *s)
{
	return !s || !s->lines_refused;
}

uint64_t pv_symbols_generation(const struct pv_symbols *s)
{
	return s ? s->generation : 0;
}

#else

struct pv_symbols {
	bool unused;
};

void pv_symbols_destroy(struct pv_symbols *s)
{
	free(s);
}

bool pv_symbols_module(struct pv_symbols **s, uint64_t from, uint64_t size, const char *path)
{
	(void)s, (void)from, (void)size, (void)path;
	return true;
}

void pv_symbols_build_id(struct pv_symbols *s, uint64_t from, const char *hex)
{
	(void)s, (void)from, (void)hex;
}

void pv_symbols_before(struct pv_symbols *s, uint64_t ms)
{
	(void)s, (void)ms;
}

bool pv_symbols_find(struct pv_symbols *s, uint64_t address, struct pv_symbol *ret)
{
	(void)s, (void)address, (void)ret;
	return false;
}

bool pv_symbols_file(
	struct pv_symbols *s, uint64_t address, const char **ret_path, uint64_t *ret_in_file)
{
	(void)s, (void)address, (void)ret_path, (void)ret_in_file;
	return false;
}

size_t pv_symbols_lines(
	struct pv_symbols *s, uint64_t address, struct pv_source_line ret[PV_INLINED_DEPTH + 1])
{
	(void)s, (void)address, (void)ret;
	return 0;
}

size_t pv_symbols_inlined(struct pv_symbols *s, uint64_t address,
	const char *ret_names[PV_INLINED_DEPTH], const char **ret_path)
{
	(void)s, (void)address, (void)ret_names, (void)ret_path;
	return 0;
}

bool pv_symbols_inlined_all(const struct pv_symbols *s)
{
	(void)s;
	return true;
}

bool pv_symbols_lines_all(const struct pv_symbols *s)
{
	(void)s;
	return true;
}

uint64_t pv_symbols_generation(const struct pv_symbols *s)
{
	(void)s;
	return 0;
}

#endif
