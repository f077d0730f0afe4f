/* SPDX-License-Identifier: MIT */
/* Follows the loader's list of files, and names functions by their symbol tables. */
#include "probe/code/modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "common/base/build_id.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/text/unversioned.h"
#include "probe/code/elf_syms.h"
#include "probe/unwind/own_memory.h"
#include "probe/unwind/target.h"
#include "probe/unwind/unwind_set.h"

#define OWN_FILE "/proc/self/exe"

enum { NAME_ROOM = 8192, PATH_ROOM = 4096, NOTES_ROOM = 4096 };

struct module {
	char *path, *shown;                                      /* to be opened; its base name */
	char *full;                                              /* its name in the log */
	char build_id[sizeof PV_BUILD_ID + 2 * PV_BUILD_ID_MAX]; /* as the log says it */
	bool main, written;
	uint64_t bias, from, to;
	ElfW(Phdr) * headers; /* a copy */
	size_t n_headers;
	bool tried, there;
	struct pvp_elf elf;
	struct pv_map twins; /* hash of a function's name -> functions of this name, up to 2 */
};

static struct {
	PV_ARRAY(struct module) list;
	unsigned long long adds, subs; /* the loader's counts when last looked at */
	bool changed;
	struct pv_map named; /* hash of a given name -> low bits of the address */
	char name[NAME_ROOM];
} loaded;

static uint64_t hash_text(const char *text)
{
	uint64_t h = 0;
	for (; *text; text++)
		h = h * 31 + (unsigned char)*text;
	return pv_hash(h);
}

static bool own_path(char to[PATH_ROOM])
{
	if (pvp_target)
		return pvp_target->own_path(to, PATH_ROOM);
	ssize_t n = readlink(OWN_FILE, to, PATH_ROOM - 1);
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* The loader gives no name for the main program. */
static void set_paths(struct module *m, const char *name)
{
	char own[PATH_ROOM];
	m->main = !*name;
	m->path = strdup(m->main ? OWN_FILE : name);
	if (m->main && own_path(own))
		name = own;
	m->full = strdup(name);
	const char *slash = strrchr(name, '/');
	m->shown = strdup(slash ? slash + 1 : name);
}

static void free_module(struct module *m)
{
	free(m->path);
	free(m->shown);
	free(m->full);
	free(m->headers);
	pvp_elf_finish(&m->elf);
	pv_map_finish(&m->twins);
}

/* ---- loaded modules */

static int look_at_counts(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)arg;
	if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
		return 1;
	loaded.changed = info->dlpi_adds != loaded.adds || info->dlpi_subs != loaded.subs;
	loaded.adds = info->dlpi_adds;
	loaded.subs = info->dlpi_subs;
	return 1;
}

static bool is_this(const struct module *m, const struct dl_phdr_info *info)
{
	return m->bias == info->dlpi_addr && m->n_headers == info->dlpi_phnum &&
	       memcmp(m->headers, info->dlpi_phdr, m->n_headers * sizeof *m->headers) == 0 &&
	       (m->main ? !*info->dlpi_name : strcmp(m->path, info->dlpi_name) == 0);
}

/* Sets the range of the module's segments. */
static void set_range(struct module *m)
{
	m->from = UINT64_MAX;
	for (size_t i = 0; i < m->n_headers; i++) {
		uint64_t start = m->bias + m->headers[i].p_vaddr;
		uint64_t end = start + m->headers[i].p_memsz;
		if (m->headers[i].p_type != PT_LOAD)
			continue;
		m->from = start < m->from ? start : m->from;
		m->to = end > m->to ? end : m->to;
	}
}

/* Whether the bytes lie in a readable segment, mapped from the file. */
static bool is_mapped(const struct module *m, uint64_t start, uint64_t bytes)
{
	for (size_t i = 0; i < m->n_headers; i++) {
		const ElfW(Phdr) *p = &m->headers[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_R && start >= p->p_vaddr &&
			start - p->p_vaddr <= p->p_filesz &&
			bytes <= p->p_filesz - (start - p->p_vaddr))
			return true;
	}
	return false;
}

/* Reads the build id from notes, in memory while the loader's lock is held. False: none here. */
static bool read_build_id(struct module *m, const ElfW(Phdr) * notes)
{
	uint64_t left = notes->p_filesz, align = notes->p_align == 8 ? 8 : 4;
	uint8_t copy[NOTES_ROOM];
	if (!is_mapped(m, notes->p_vaddr, left))
		return false;
	const uint8_t *at = (const uint8_t *)(uintptr_t)(m->bias + notes->p_vaddr);
	if (pvp_target &&
		(left > sizeof copy || !pvp_memory_read(copy, (uintptr_t)at, (size_t)left)))
		return false;
	at = pvp_target ? copy : at;
	for (ElfW(Nhdr) note; left >= sizeof note;) {
		memcpy(&note, at, sizeof note);
		uint64_t name = sizeof note;
		uint64_t desc = (name + note.n_namesz + align - 1) & ~(align - 1);
		uint64_t next = (desc + note.n_descsz + align - 1) & ~(align - 1);
		if (desc + note.n_descsz > left)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(at + name, "GNU", 4) == 0 && note.n_descsz &&
			note.n_descsz <= PV_BUILD_ID_MAX) {
			char *to = m->build_id + sprintf(m->build_id, "%s", PV_BUILD_ID);
			for (uint32_t i = 0; i < note.n_descsz; i++)
				to += sprintf(to, "%02x", at[desc + i]);
			return true;
		}
		if (next >= left)
			return false;
		at += next;
		left -= next;
	}
	return false;
}

static void add_module(const struct dl_phdr_info *info)
{
	size_t bytes = info->dlpi_phnum * sizeof *info->dlpi_phdr;
	struct module m = { .bias = info->dlpi_addr, .n_headers = info->dlpi_phnum, .there = true };
	if (!bytes || !pv_reserve(&loaded.list, 1))
		return;
	m.headers = malloc(bytes);
	set_paths(&m, info->dlpi_name);
	if (!m.path || !m.shown || !m.full || !m.headers) {
		free_module(&m);
		return;
	}
	memcpy(m.headers, info->dlpi_phdr, bytes);
	set_range(&m);
	/* The list has it in the end. NOLINTBEGIN(clang-analyzer-unix.Malloc) */
	for (size_t i = 0; i < m.n_headers && !m.build_id[0]; i++)
		if (m.headers[i].p_type == PT_NOTE)
			read_build_id(&m, &m.headers[i]);
	loaded.list.v[loaded.list.n++] = m;
	/* NOLINTEND(clang-analyzer-unix.Malloc) */
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	for (size_t i = 0; i < loaded.list.n; i++) {
		if (is_this(&loaded.list.v[i], info)) {
			loaded.list.v[i].there = true;
			return 0;
		}
	}
	add_module(info);
	return 0;
}

void pvp_modules_refresh(void (*gone)(void *ctx, uint64_t from, uint64_t to), void *ctx)
{
	loaded.changed = true;
	pvp_target_each_file(look_at_counts, NULL);
	if (!loaded.changed)
		return;
	for (size_t i = 0; i < loaded.list.n; i++)
		loaded.list.v[i].there = false;
	pvp_target_each_file(look_at_module, NULL);
	size_t kept = 0;
	for (size_t i = 0; i < loaded.list.n; i++) {
		struct module *m = &loaded.list.v[i];
		if (m->there) {
			loaded.list.v[kept++] = *m;
			continue;
		}
		gone(ctx, m->from, m->to);
		free_module(m);
	}
	loaded.list.n = kept;
}

/* ---- names */

static void count_twins(struct module *m)
{
	for (size_t i = 0; i < m->elf.n; i++) {
		uint64_t h = hash_text(m->elf.strings + m->elf.symbols[i].name);
		uint32_t n = pv_map_get(&m->twins, h);
		if (n != 2)
			pv_map_set(&m->twins, h, n == PV_MAP_NONE ? 1 : 2);
	}
}

/* Copies the system's mapping from another process. */
static bool load_image(struct module *m)
{
	enum { MOST = 64 << 10 };
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = (m->to - m->from + page - 1) / page * page;
	uint8_t *image = m->from < m->to && bytes <= MOST ? malloc(bytes) : NULL;
	bool ok = image && pvp_memory_read(image, m->from, bytes) &&
		  pvp_elf_load_image(&m->elf, image, bytes, m->headers, m->n_headers);
	free(image);
	return ok;
}

static bool load_target(struct module *m)
{
	if (strcmp(m->path, PVP_TARGET_VDSO) == 0)
		return load_image(m);
	int fd = pvp_target->open(m->main ? "" : m->path);
	bool ok = fd >= 0 && pvp_elf_load_from(&m->elf, fd, m->headers, m->n_headers);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* The vdso is no file: the system maps the whole image, sections included. */
static bool load_symbols(struct module *m)
{
	if (pvp_target)
		return load_target(m);
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR), page = (uint64_t)sysconf(_SC_PAGESIZE);
	if (!vdso || m->from != vdso)
		return pvp_elf_load(&m->elf, m->path, m->headers, m->n_headers);
	uint64_t bytes = (m->to - m->from + page - 1) / page * page;
	return pvp_elf_load_image(
		&m->elf, (const void *)(uintptr_t)vdso, bytes, m->headers, m->n_headers);
}

static struct module *holder_of(uint64_t address)
{
	for (size_t i = 0; i < loaded.list.n; i++)
		if (address >= loaded.list.v[i].from && address < loaded.list.v[i].to)
			return &loaded.list.v[i];
	return NULL;
}

/* The module at the address, symbols loaded. */
static struct module *module_of(uint64_t address)
{
	struct module *m = holder_of(address);
	if (m && !m->tried && load_symbols(m))
		count_twins(m);
	if (m)
		m->tried = true;
	return m;
}

/* False: another address has this name. */
static bool claim(uint64_t address)
{
	uint64_t h = hash_text(loaded.name);
	uint32_t low = (uint32_t)address & INT32_MAX, holder = pv_map_get(&loaded.named, h);
	if (holder == PV_MAP_NONE)
		pv_map_set(&loaded.named, h, low);
	return holder == PV_MAP_NONE || holder == low;
}

/*
 * Functions of the main program and exported functions of libraries keep their names, static
 * functions of libraries get the library's name: so most names do not depend on the order in which
 * functions are met.
 */
static void name_symbol(struct module *m, const struct pvp_elf_symbol *s, uint64_t address)
{
	const char *name = m->elf.strings + s->name, *file = m->elf.strings + s->file;
	bool is_static = s->file && *file;
	bool twin = is_static && pv_map_get(&m->twins, hash_text(name)) == 2;
	bool tell = is_static && !m->main;
	int len = (int)pv_unversioned(name);
	int n = twin ? snprintf(loaded.name, NAME_ROOM, "%.*s (%s)", len, name, file)
		     : snprintf(loaded.name, NAME_ROOM, "%.*s", len, name);
	if (n < 0 || n >= NAME_ROOM || (!tell && claim(address)))
		return;
	snprintf(loaded.name + n, NAME_ROOM - (size_t)n, " [%s]", m->shown);
	if (!claim(address))
		snprintf(loaded.name + n, NAME_ROOM - (size_t)n, " 0x%" PRIx64, address);
}

bool pvp_modules_method(uint64_t address, struct pvp_method *ret)
{
	struct module *m = module_of(address);
	if (!m)
		return false;
	const struct pvp_elf_symbol *s = pvp_elf_find(&m->elf, address - m->bias);
	uint64_t start = s ? m->bias + s->start : address, size = s ? s->size : 0;
	if (!s && !pvp_unwind_function_at(address, &start, &size))
		start = address;
	if (s)
		name_symbol(m, s, start);
	else if (start == m->from)
		snprintf(loaded.name, NAME_ROOM, "unresolved in %s", m->shown);
	else
		snprintf(loaded.name, NAME_ROOM, "%s+0x%" PRIx64, m->shown, start - m->bias);
	*ret = (struct pvp_method){
		.code = start, .size = size, .name = loaded.name, .name_len = strlen(loaded.name)
	};
	return true;
}

const char *pvp_modules_file(uint64_t address)
{
	const struct module *m = holder_of(address);
	return m ? m->shown : NULL;
}

bool pvp_modules_library(uint64_t address, uint64_t *ret_from, uint64_t *ret_to)
{
	const struct module *m = holder_of(address);
	if (!m || m->main)
		return false;
	*ret_from = m->from;
	*ret_to = m->to;
	return true;
}

uint64_t pvp_modules_start(uint64_t address)
{
	struct module *m = module_of(address);
	if (!m)
		return 0;
	const struct pvp_elf_symbol *s = pvp_elf_find(&m->elf, address - m->bias);
	uint64_t start, size;
	if (s)
		return m->bias + s->start;
	return pvp_unwind_function_at(address, &start, &size) ? start : m->from;
}

uint64_t pvp_modules_place(uint64_t address)
{
	const struct module *m = module_of(address);
	return m && m->elf.debug && pvp_elf_find(&m->elf, address - m->bias)
		       ? address
		       : pvp_modules_start(address);
}

bool pvp_modules_next(size_t *at, bool again, struct pvp_method *ret)
{
	while (*at < loaded.list.n && !again && loaded.list.v[*at].written)
		++*at;
	if (*at >= loaded.list.n)
		return false;
	struct module *m = &loaded.list.v[(*at)++];
	m->written = true;
	*ret = (struct pvp_method){ .code = m->from,
		.size = m->to - m->from,
		.name = m->full,
		.name_len = strlen(m->full) };
	return true;
}

const char *pvp_modules_build_id(size_t at)
{
	return loaded.list.v[at].build_id[0] ? loaded.list.v[at].build_id : NULL;
}

void pvp_modules_finish(void)
{
	for (size_t i = 0; i < loaded.list.n; i++)
		free_module(&loaded.list.v[i]);
	pv_array_finish(&loaded.list);
	pv_map_finish(&loaded.named);
	loaded.adds = loaded.subs = 0;
}
