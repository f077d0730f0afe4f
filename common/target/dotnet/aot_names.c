/* SPDX-License-Identifier: MIT */
/*
 * Names of a NativeAOT program's methods from the symbols of its ELF file, written as a .nettrace
 * stream.
 */
#include "common/target/dotnet/aot_names.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/cursor.h"
#include "common/base/system/proc_file.h"
#include "common/io/fd.h"
#include "common/target/dotnet/event_write.h"
#include "common/target/foreign/foreign.h"

enum {
	MOST = 64 << 20, /* bytes of the stream */
	BLOCK = 60 << 10,
	NAME = 400, /* bytes of a symbol; what is longer is cut */
	MAPS = 1 << 20,
	SYMBOLS = 4 << 20, /* of a table, at most: further symbols do not fit into the stream */
	METHOD = 8 + 8 + 8 + 4 + 4 + 4
};

/* --- the file is read, never mapped: a user can cut a file, or leave a hole of any size */

struct elf {
	int fd;
	Elf64_Shdr code, symbols, names;
};

static bool read_elf_at(int fd, void *to, size_t n, uint64_t at)
{
	return at <= INT64_MAX && pv_fd_pread(fd, to, n, at) == (ssize_t)n;
}

/* A string of a table, cut to the room; "": the table has none there. */
static void read_string(int fd, const Elf64_Shdr *table, uint32_t at, char *to, size_t room)
{
	uint64_t left = at < table->sh_size ? table->sh_size - at : 0;
	size_t n = left < room - 1 ? (size_t)left : room - 1;
	ssize_t got = n ? pv_fd_pread(fd, to, n, table->sh_offset + at) : 0;
	to[got > 0 ? got : 0] = 0;
}

static bool find_sections(struct elf *e)
{
	Elf64_Ehdr head;
	Elf64_Shdr texts, s;
	char name[sizeof "__managedcode" + 1];
	if (!read_elf_at(e->fd, &head, sizeof head, 0) ||
		memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof s ||
		head.e_shstrndx >= head.e_shnum ||
		!read_elf_at(
			e->fd, &texts, sizeof texts, head.e_shoff + head.e_shstrndx * sizeof texts))
		return false;
	for (unsigned i = 0; i < head.e_shnum; i++) {
		if (!read_elf_at(e->fd, &s, sizeof s, head.e_shoff + i * sizeof s))
			return false;
		read_string(e->fd, &texts, s.sh_name, name, sizeof name);
		if (strcmp(name, "__managedcode") == 0)
			e->code = s;
		if (s.sh_type == SHT_SYMTAB && s.sh_link < head.e_shnum)
			e->symbols = s;
	}
	return e->code.sh_size && e->symbols.sh_size &&
	       read_elf_at(e->fd, &e->names, sizeof e->names,
		       head.e_shoff + e->symbols.sh_link * sizeof e->names);
}

static bool take_elf(struct elf *e, int fd)
{
	struct stat st;
	*e = (struct elf){ .fd = fd };
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && find_sections(e))
		return true;
	pv_fd_close(&e->fd);
	return false;
}

/* The .dbg file of a program, with the symbols, in the same folder. */
static int open_symbols(pid_t pid, const char *exe)
{
	char path[PV_FOREIGN_LONG + 8];
	struct pv_foreign f;
	snprintf(path, sizeof path, "%s.dbg", exe);
	int found = pv_foreign_look(&f, pid) ? pv_foreign_find(&f, path) : -1;
	int fd = found >= 0 ? pv_fd_reopen(found) : -1;
	pv_fd_close(&found);
	return fd;
}

/*
 * The program's file, or the .dbg file with the symbols; *ret_exe: the program's path as the
 * process sees it.
 */
static bool open_either(struct elf *e, pid_t pid, char *ret_exe, size_t room)
{
	char link[64];
	snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
	ssize_t n = readlink(link, ret_exe, room - 1);
	ret_exe[n > 0 ? n : 0] = 0;
	return n > 0 && (take_elf(e, open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) ||
				take_elf(e, open_symbols(pid, ret_exe)));
}

/* Difference between a symbol's value and its address: where the file's first page is mapped. */
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

static void put_stream_bytes(struct writer *w, const void *bytes, size_t n)
{
	w->failed |= w->to->stream.n + n > MOST || !pv_reserve(&w->to->stream, n);
	if (w->failed)
		return;
	memcpy(w->to->stream.v + w->to->stream.n, bytes, n);
	w->to->stream.n += n;
}

static void put_stream_object(
	struct writer *w, const char *name, int version, const uint8_t *body, size_t n)
{
	uint8_t head[PV_EVENT_OBJECT];
	const uint8_t end = PV_EVENT_OBJECT_END;
	put_stream_bytes(w, head,
		(size_t)(pv_event_put_object(head, name, version, n, w->to->stream.n) - head));
	put_stream_bytes(w, body, n);
	put_stream_bytes(w, &end, 1);
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
	put_stream_bytes(w, "Nettrace\x14\0\0\0!FastSerialization.1", 32);
	put_stream_bytes(w, body, (size_t)(at - body));
}

/* Events have number 144 of the rundown, methods that are there, without fields. */
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
	put_stream_object(w, "MetadataBlock", 2, body, (size_t)(at + n - body));
}

static void flush_event_block(struct writer *w)
{
	if (w->n)
		put_stream_object(w, "EventBlock", 2, w->block, w->n);
	w->n = 0;
}

/*
 * Splits "app_Space_Class__Method" into Space.Class and Method of assembly app as well as possible:
 * an underscore of a name reads as a dot.
 */
static void split_symbol(const char *symbol, char class[NAME], const char **ret_method)
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

static void put_method_event(struct writer *w, uint64_t start, uint32_t size, const char *symbol)
{
	char class[NAME];
	const char *method;
	uint8_t payload[METHOD + 3 * 2 * NAME], *at = payload;
	split_symbol(symbol, class, &method);
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
	at = pv_put_uleb(at, 1); /* the writing thread */
	at = pv_put_uleb(at, 0);
	at = pv_put_uleb(at, w->n == PV_EVENT_HEAD ? w->time : 0);
	at = pv_put_uleb(at, n);
	memcpy(at, payload, n);
	w->n = (size_t)(at + n - w->block);
	w->to->methods++;
	if (w->n >= BLOCK)
		flush_event_block(w);
}

static void put_symbols(struct writer *w, const struct elf *e, uint64_t bias)
{
	enum { AT_ONCE = 1024 };
	Elf64_Sym part[AT_ONCE];
	char name[2 * NAME];
	uint64_t all = e->symbols.sh_size / sizeof *part;
	all = all < SYMBOLS ? all : SYMBOLS;
	for (uint64_t at = 0; at < all && !w->failed; at += AT_ONCE) {
		uint64_t n = all - at < AT_ONCE ? all - at : AT_ONCE;
		if (!read_elf_at(e->fd, part, n * sizeof *part,
			    e->symbols.sh_offset + at * sizeof *part))
			return;
		for (uint64_t i = 0; i < n && !w->failed; i++) {
			const Elf64_Sym *s = &part[i];
			if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || !s->st_size ||
				s->st_value - e->code.sh_addr >= e->code.sh_size)
				continue;
			read_string(e->fd, &e->names, s->st_name, name, sizeof name);
			put_method_event(w, bias + s->st_value, (uint32_t)s->st_size, name);
		}
	}
}

bool pv_aot_names(struct pv_aot_names *ret, pid_t pid, uint32_t inner)
{
	char exe[PV_FOREIGN_LONG];
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
		put_symbols(w, &e, bias);
		flush_event_block(w);
		put_stream_bytes(w, "\1", 1);
	}
	bool ok = w && !w->failed && ret->methods;
	free(w);
	pv_fd_close(&e.fd);
	if (!ok)
		pv_array_finish(&ret->stream);
	return ok;
}
