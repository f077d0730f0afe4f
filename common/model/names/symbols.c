#include "common/model/names/symbols.h"

#include <stdlib.h>

#include "common/base/build_id.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/base/unversioned.h"

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
	uint8_t id[PV_BUILD_ID_MAX]; /* its build id */
	size_t id_n;                 /* 0: not known */
	bool tried;
	Dwfl *dwfl; /* NULL: not opened, or not believed */
	Dwfl_Module *in;
	struct pv_inlined *inlined; /* NULL: not asked about yet */
};

struct pv_symbols {
	PV_ARRAY(struct module) module;
	uint64_t before_ms, generation;
	struct pv_inlined_budget budget;
	PV_ARRAY(char) name; /* the last one that had a version */
};

static void close_module(struct module *m)
{
	pv_inlined_free(m->inlined);
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

/* It is the user's or the system's, and others cannot write to it. */
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

/* Its checksum is no proof: it must have the module's build id. */
static bool is_of_module(Dwfl_Module *mod, int fd)
{
	const unsigned char *wanted;
	GElf_Addr at;
	struct stat st;
	int n = dwfl_module_build_id(mod, &wanted, &at);
	return n > 0 && is_safe(fd, &st) && has_id(fd, wanted, (size_t)n);
}

/* As .gnu_debuglink has it: in the file's folder, below that in .debug, below /usr/lib/debug. */
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

/* The library's other ways may ask servers on the network. .gnu_debugdata it reads by itself. */
static int find_debug_file(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
	const char *file, const char *link, GElf_Word crc, char **ret_name)
{
	int fd = dwfl_build_id_find_debuginfo(mod, user, name, base, file, link, crc, ret_name);
	return fd >= 0 ? fd : find_linked_file(mod, file, link, ret_name);
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

/* A segment that the file asks the loader to map. */
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

/* The file that is named so. False: it is another. */
static bool open_as(const struct pv_symbols *s, struct module *m, const char *path)
{
	uint64_t least, size;
	int fd = open_file(path);
	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	bool same = trusted(s, m, fd) && span(fd, &least, &size) && size == m->size;
	m->dwfl = same ? dwfl_begin(&callbacks) : NULL;
	if (m->dwfl) {
		dwfl_report_begin(m->dwfl);
		m->in = dwfl_report_elf(m->dwfl, path, path, fd, m->from - least, true);
		if (m->in) /* the holder of the file closes it */
			fd = -1;
		dwfl_report_end(m->dwfl, NULL, NULL);
	}
	if (fd >= 0)
		close(fd);
	return m->in;
}

static void open_module(const struct pv_symbols *s, struct module *m)
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
	open_as(s, m, path);
}

/* The file that holds the address and could be opened. */
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

const char *pv_symbols_lines(struct pv_symbols *s, uint64_t start, uint64_t size,
	bool (*each)(void *ctx, uint64_t offset, uint32_t line), void *ctx)
{
	Dwarf_Addr bias, at;
	Dwarf_Lines *lines;
	size_t n;
	int number;
	const char *file = NULL;
	struct module *m = holder_of(s, start);
	Dwarf_Die found, *unit = m ? dwfl_module_addrdie(m->in, start, &bias) : NULL;
	/* clang writes no list of addresses */
	if (m && !unit && pv_inlined_unit(&m->inlined, m->in, start, &s->budget, &found, &bias))
		unit = &found;
	if (!unit || dwarf_getsrclines(unit, &lines, &n) != 0)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		const char *in_file = dwarf_linesrc(line, NULL, NULL);
		if (!in_file || dwarf_lineaddr(line, &at) != 0 || at + bias < start ||
			at + bias - start >= size || dwarf_lineno(line, &number) != 0)
			continue;
		file = file ? file : in_file;
		if (number > 0 && strcmp(in_file, file) == 0 &&
			!each(ctx, at + bias - start, (uint32_t)number))
			return NULL;
	}
	return file;
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

const char *pv_symbols_lines(struct pv_symbols *s, uint64_t start, uint64_t size,
	bool (*each)(void *ctx, uint64_t offset, uint32_t line), void *ctx)
{
	(void)s, (void)start, (void)size, (void)each, (void)ctx;
	return NULL;
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

uint64_t pv_symbols_generation(const struct pv_symbols *s)
{
	(void)s;
	return 0;
}

#endif
