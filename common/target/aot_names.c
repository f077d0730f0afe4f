#include "common/target/aot_names.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cursor.h"
#include "common/base/proc_file.h"
#include "common/target/dotnet_ipc.h"
#include "common/target/event_write.h"

enum {
	MOST = 64 << 20, /* bytes of the stream */
	BLOCK = 60 << 10,
	NAME = 400, /* bytes of a symbol; what is longer is cut */
	MAPS = 1 << 20,
	METHOD = 8 + 8 + 8 + 4 + 4 + 4
};

/* --- the file */

struct elf {
	const uint8_t *at;
	size_t n;
	const Elf64_Shdr *section, *code, *symbols;
	unsigned sections;
};

static bool inside(const struct elf *e, uint64_t at, uint64_t n)
{
	return at <= e->n && n <= e->n - at;
}

static const char *string(const struct elf *e, const Elf64_Shdr *table, uint32_t at)
{
	if (at >= table->sh_size || !inside(e, table->sh_offset, table->sh_size))
		return "";
	const char *text = (const char *)e->at + table->sh_offset + at;
	return memchr(text, 0, table->sh_size - at) ? text : "";
}

static bool find_sections(struct elf *e)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)e->at;
	if (!inside(e, 0, sizeof *head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
		head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof *e->section ||
		head->e_shstrndx >= head->e_shnum || head->e_shoff % 8 ||
		!inside(e, head->e_shoff, (uint64_t)head->e_shnum * sizeof *e->section))
		return false;
	e->section = (const Elf64_Shdr *)(e->at + head->e_shoff);
	e->sections = head->e_shnum;
	for (unsigned i = 0; i < e->sections; i++) {
		const Elf64_Shdr *s = &e->section[i];
		if (strcmp(string(e, &e->section[head->e_shstrndx], s->sh_name), "__managedcode") ==
			0)
			e->code = s;
		if (s->sh_type == SHT_SYMTAB && s->sh_link < e->sections && s->sh_offset % 8 == 0 &&
			inside(e, s->sh_offset, s->sh_size))
			e->symbols = s;
	}
	return e->code && e->symbols;
}

static bool open_elf(struct elf *e, const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	*e = (struct elf){ 0 };
	void *at = MAP_FAILED;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (at == MAP_FAILED)
		return false;
	e->at = at;
	e->n = (size_t)st.st_size;
	if (find_sections(e))
		return true;
	munmap(at, e->n);
	return false;
}

/* The program's own file, or the one with its symbols; *ret_exe: its path as the process sees it. */
static bool open_either(struct elf *e, pid_t pid, char *ret_exe, size_t room)
{
	char link[64], path[4096 + 64];
	snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
	ssize_t n = readlink(link, ret_exe, room - 1);
	ret_exe[n > 0 ? n : 0] = 0;
	if (n <= 0)
		return false;
	if (open_elf(e, link))
		return true;
	snprintf(path, sizeof path, "/proc/%ld/root%s.dbg", (long)pid, ret_exe);
	return open_elf(e, path);
}

/* Added to a symbol's value it is its address: the file's first page lies there. */
static bool bias_of(pid_t pid, const char *exe, uint64_t *ret)
{
	char *maps = malloc(MAPS);
	bool found = false;
	ssize_t n = maps ? pv_proc_read(pid, "maps", maps, MAPS) : -1;
	for (char *line = maps; n > 0 && line && *line && !found;) {
		char *end = strchr(line, '\n');
		unsigned long long start = 0, offset = 0;
		int path = 0;
		if (end)
			*end = 0;
		found = sscanf(line, "%llx-%*x %*s %llx %*s %*s %n", &start, &offset, &path) == 2 &&
			path && offset == 0 && strcmp(line + path, exe) == 0;
		*ret = found ? start : 0;
		line = end ? end + 1 : NULL;
	}
	free(maps);
	return found;
}

/* --- the stream */

struct writer {
	struct pv_aot_names *to;
	uint8_t block[BLOCK + METHOD + 3 * 2 * NAME + 64];
	size_t n;
	uint64_t time;
	bool failed;
};

static void put(struct writer *w, const void *bytes, size_t n)
{
	w->failed |= w->to->stream.n + n > MOST || !pv_reserve(&w->to->stream, n);
	if (w->failed)
		return;
	memcpy(w->to->stream.v + w->to->stream.n, bytes, n);
	w->to->stream.n += n;
}

static void put_object(
	struct writer *w, const char *name, int version, const uint8_t *body, size_t n)
{
	uint8_t head[PV_EVENT_OBJECT];
	const uint8_t end = PV_EVENT_OBJECT_END;
	put(w, head, (size_t)(pv_event_put_object(head, name, version, n, w->to->stream.n) - head));
	put(w, body, n);
	put(w, &end, 1);
}

static void put_beginning(struct writer *w, uint32_t inner)
{
	uint8_t body[PV_EVENT_OBJECT + 48 + 1] = { 0 }, *at = pv_event_put_type(body, "Trace", 4);
	struct timespec now;
	struct tm day;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &day);
	const int part[] = { day.tm_year + 1900, day.tm_mon + 1, day.tm_wday, day.tm_mday,
		day.tm_hour, day.tm_min, day.tm_sec, (int)(now.tv_nsec / 1000000) };
	for (size_t i = 0; i < PV_COUNT_OF(part); i++)
		at = pv_put_u16(at, (uint16_t)part[i]);
	clock_gettime(CLOCK_MONOTONIC, &now);
	w->time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	at = pv_put_u64(at, w->time);
	at = pv_put_u64(at, 1000000000);
	at = pv_put_u32(at, 8);
	at = pv_put_u32(at, inner);
	at = pv_put_u32(at, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	at = pv_put_u32(at, 1000000);
	*at++ = PV_EVENT_OBJECT_END;
	put(w, "Nettrace\x14\0\0\0!FastSerialization.1", 32);
	put(w, body, (size_t)(at - body));
}

/* The events are number 144 of the rundown, methods that are there, without fields. */
static void put_description(struct writer *w)
{
	static const char provider[] = "Microsoft-Windows-DotNETRuntimeRundown";
	uint8_t payload[256], body[400], *at = pv_put_u32(payload, 1);
	at = pv_event_put_wide(at, provider, sizeof provider - 1);
	at = pv_put_u32(at, 144);
	at = pv_event_put_wide(at, "", 0);
	at = pv_put_u64(at, 0x10);
	at = pv_put_u32(at, 1);
	at = pv_put_u32(at, 4);
	at = pv_put_u32(at, 0);
	size_t n = (size_t)(at - payload);
	at = pv_event_put_head(body, w->time, 0);
	*at++ = 0x80;
	*at++ = 0; /* time */
	at = pv_put_uleb(at, n);
	memcpy(at, payload, n);
	put_object(w, "MetadataBlock", 2, body, (size_t)(at + n - body));
}

static void flush(struct writer *w)
{
	if (w->n)
		put_object(w, "EventBlock", 2, w->block, w->n);
	w->n = 0;
}

/*
 * "app_Space_Class__Method" is Space.Class and Method of assembly app, as far as that can be seen:
 * an underscore of a name is the same as that for a dot.
 */
static void split(const char *symbol, char class[NAME], const char **ret_method)
{
	static const char core[] = "S_P_CoreLib_";
	const char *from = symbol, *middle = strstr(symbol, "__");
	if (!middle || middle == symbol)
		middle = symbol;
	if (strncmp(symbol, core, sizeof core - 1) == 0 && middle > symbol + sizeof core)
		from += sizeof core - 1;
	size_t n = (size_t)(middle - from) < NAME ? (size_t)(middle - from) : NAME - 1;
	for (size_t i = 0; i < n; i++)
		class[i] = from[i] == '_' ? '.' : from[i];
	class[n] = 0;
	*ret_method = middle > symbol ? middle + 2 : symbol;
}

static void put_method(struct writer *w, uint64_t start, uint32_t size, const char *symbol)
{
	char class[NAME];
	const char *method;
	uint8_t payload[METHOD + 3 * 2 * NAME], *at = payload;
	split(symbol, class, &method);
	at = pv_put_u64(at, start);
	at = pv_put_u64(at, 0);
	at = pv_put_u64(at, start);
	at = pv_put_u32(at, size);
	at = pv_put_u32(at, 0);
	at = pv_put_u32(at, 0);
	at = pv_event_put_wide(at, class, strlen(class));
	at = pv_event_put_wide(at, method, strnlen(method, NAME - 1));
	at = pv_event_put_wide(at, "", 0);
	size_t n = (size_t)(at - payload);
	if (w->n == 0)
		w->n = (size_t)(pv_event_put_head(w->block, w->time, 0) - w->block);
	at = w->block + w->n;
	*at++ = 0x81 | 2;
	at = pv_put_uleb(at, 1); /* kind */
	at = pv_put_uleb(at, w->n == PV_EVENT_HEAD ? w->to->methods : 0);
	at = pv_put_uleb(at, 1); /* the thread that writes */
	at = pv_put_uleb(at, 0);
	at = pv_put_uleb(at, w->n == PV_EVENT_HEAD ? w->time : 0);
	at = pv_put_uleb(at, n);
	memcpy(at, payload, n);
	w->n = (size_t)(at + n - w->block);
	w->to->methods++;
	if (w->n >= BLOCK)
		flush(w);
}

bool pv_aot_names(struct pv_aot_names *ret, pid_t pid, uint32_t inner)
{
	char exe[4096];
	struct elf e;
	uint64_t bias;
	*ret = (struct pv_aot_names){ .methods = 0 };
	if (!open_either(&e, pid, exe, sizeof exe))
		return false;
	struct writer *w = bias_of(pid, exe, &bias) ? calloc(1, sizeof *w) : NULL;
	if (w) {
		w->to = ret;
		put_beginning(w, inner);
		put_description(w);
		const Elf64_Sym *symbol = (const Elf64_Sym *)(e.at + e.symbols->sh_offset);
		for (size_t i = 0; i < e.symbols->sh_size / sizeof *symbol && !w->failed; i++)
			if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC && symbol[i].st_size &&
				symbol[i].st_value - e.code->sh_addr < e.code->sh_size)
				put_method(w, bias + symbol[i].st_value,
					(uint32_t)symbol[i].st_size,
					string(&e, &e.section[e.symbols->sh_link],
						symbol[i].st_name));
		flush(w);
		put(w, "\1", 1);
	}
	bool ok = w && !w->failed && ret->methods;
	free(w);
	munmap((void *)(uintptr_t)e.at, e.n);
	if (!ok)
		pv_array_finish(&ret->stream);
	return ok;
}
