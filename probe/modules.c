#include "probe/modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "probe/elf_syms.h"

enum { NAME_ROOM = 8192, MAX_HEADERS = 256 };

struct module {
	char *path;
	uint64_t bias, from, to;
	ElfW(Phdr) *headers; /* a copy */
	size_t n_headers;
	bool tried, there;
	struct pvp_elf elf;
	struct pv_map twins; /* hash of a function's name -> how many have it, up to 2 */
};

static struct {
	PV_ARRAY(struct module) list;
	unsigned long long adds, subs; /* the loader's counts when last looked at */
	bool changed;
	struct pv_map named; /* hash of a name given -> low bits of its address */
	char name[NAME_ROOM];
} loaded;

static uint64_t hash_text(const char *text)
{
	uint64_t h = 0;
	for (; *text; text++)
		h = h * 31 + (unsigned char)*text;
	return pv_hash(h);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void free_module(struct module *m)
{
	free(m->path);
	free(m->headers);
	pvp_elf_finish(&m->elf);
	pv_map_finish(&m->twins);
}

/* ---- what is loaded */

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

static struct module *known(uint64_t bias, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < loaded.list.n; i++) {
		struct module *m = &loaded.list.v[i];
		if (m->bias == bias && m->from == from && m->to == to)
			return m;
	}
	return NULL;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	uint64_t from = UINT64_MAX, to = 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		if (h->p_type != PT_LOAD)
			continue;
		uint64_t start = info->dlpi_addr + h->p_vaddr;
		from = start < from ? start : from;
		to = start + h->p_memsz > to ? start + h->p_memsz : to;
	}
	struct module *m = known(info->dlpi_addr, from, to);
	if (!m && from < to && info->dlpi_phnum <= MAX_HEADERS && pv_reserve(&loaded.list, 1)) {
		m = &loaded.list.v[loaded.list.n];
		size_t bytes = info->dlpi_phnum * sizeof *m->headers;
		*m = (struct module){ .bias = info->dlpi_addr, .from = from, .to = to,
			.path = strdup(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe"),
			.headers = malloc(bytes), .n_headers = info->dlpi_phnum };
		if (!m->path || !m->headers) {
			free_module(m);
			return 1;
		}
		memcpy(m->headers, info->dlpi_phdr, bytes);
		loaded.list.n++;
	}
	if (m)
		m->there = true;
	return 0;
}

void pvp_modules_refresh(void (*gone)(void *ctx, uint64_t from, uint64_t to), void *ctx)
{
	loaded.changed = true;
	dl_iterate_phdr(look_at_counts, NULL);
	if (!loaded.changed)
		return;
	for (size_t i = 0; i < loaded.list.n; i++)
		loaded.list.v[i].there = false;
	dl_iterate_phdr(look_at, NULL);
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

static struct module *module_of(uint64_t address)
{
	for (size_t i = 0; i < loaded.list.n; i++) {
		struct module *m = &loaded.list.v[i];
		if (address < m->from || address >= m->to)
			continue;
		if (!m->tried && pvp_elf_load(&m->elf, m->path, m->headers, m->n_headers))
			count_twins(m);
		m->tried = true;
		return m;
	}
	return NULL;
}

/* False when another address has this name. */
static bool claim(uint64_t address)
{
	uint64_t h = hash_text(loaded.name);
	uint32_t low = (uint32_t)address & INT32_MAX, holder = pv_map_get(&loaded.named, h);
	if (holder == PV_MAP_NONE)
		pv_map_set(&loaded.named, h, low);
	return holder == PV_MAP_NONE || holder == low;
}

static void name_symbol(struct module *m, const struct pvp_elf_symbol *s, uint64_t address)
{
	const char *name = m->elf.strings + s->name, *file = m->elf.strings + s->file;
	bool twin = s->file && *file && pv_map_get(&m->twins, hash_text(name)) == 2;
	int n = twin ? snprintf(loaded.name, NAME_ROOM, "%s (%s)", name, file)
		     : snprintf(loaded.name, NAME_ROOM, "%s", name);
	if (n < 0 || n >= NAME_ROOM || claim(address))
		return;
	snprintf(loaded.name + n, NAME_ROOM - (size_t)n, " [%s]", base_name(m->path));
	if (!claim(address))
		snprintf(loaded.name + n, NAME_ROOM - (size_t)n, " 0x%" PRIx64, address);
}

bool pvp_modules_method(uint64_t address, struct pvp_method *ret)
{
	struct module *m = module_of(address);
	if (!m)
		return false;
	const struct pvp_elf_symbol *s = pvp_elf_find(&m->elf, address - m->bias);
	if (s && s->start == address - m->bias)
		name_symbol(m, s, address);
	else if (s)
		snprintf(loaded.name, NAME_ROOM, "%s+0x%" PRIx64, m->elf.strings + s->name,
			address - m->bias - s->start);
	else
		snprintf(loaded.name, NAME_ROOM, "%s+0x%" PRIx64, base_name(m->path),
			address - m->bias);
	*ret = (struct pvp_method){ .code = address, .size = s ? s->size : 0,
		.name = loaded.name, .name_len = strlen(loaded.name) };
	return true;
}

void pvp_modules_finish(void)
{
	for (size_t i = 0; i < loaded.list.n; i++)
		free_module(&loaded.list.v[i]);
	pv_array_finish(&loaded.list);
	pv_map_finish(&loaded.named);
	loaded.adds = loaded.subs = 0;
}
