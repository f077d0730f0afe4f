/* SPDX-License-Identifier: MIT */
/* Reads /proc/self/maps to tell the files of an interrupted place and of its allocator. */
#include "probe/native/safe_place.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/base/status.h"
#include "probe/native/native_next.h"

/* Asked once: in a child of fork, where no lookup is possible, the answer is unchanged. */
bool pvp_safe_known(void)
{
	static enum { ASKED_NEVER, KNOWN, UNKNOWN } known;
	if (known != ASKED_NEVER)
		return known == KNOWN;
	void *(*ours)(size_t) = malloc;
	void *first = dlsym(RTLD_DEFAULT, "malloc"), *mine;
	memcpy(&mine, &ours, sizeof mine);
	known = first == mine && pvp_next_ready() ? KNOWN : UNKNOWN;
	return known == KNOWN;
}

static uintptr_t address_of(const void *context)
{
	const ucontext_t *u = context;
#if defined(__x86_64__)
	return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)u->uc_mcontext.pc;
#else
	(void)u;
	return 0;
#endif
}

/* ---- a line of /proc/self/maps */

struct mapping {
	uintptr_t from, to;
	const char *file; /* "": no file */
};

static uintptr_t hexadecimal(const char **at)
{
	uintptr_t n = 0;
	for (;; ++*at) {
		char c = **at;
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;
		if (digit == 16)
			return n;
		n = n << 4 | digit;
	}
}

static struct mapping parse(const char *text)
{
	struct mapping m = { .file = "" };
	m.from = hexadecimal(&text);
	text += *text == '-';
	m.to = hexadecimal(&text);
	const char *path = strchr(text, '/');
	m.file = path ? path : "";
	return m;
}

/* Whether the file holds locks needed for making a thread. */
static bool is_unsafe(const char *file)
{
	static const char *const names[] = { "libc.so", "libc-2", "ld-", "ld.so", "libpthread",
		"libprofview", "libasan", "libtsan", "libubsan", "liblsan", "libclang_rt" };
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	for (size_t i = 0; i < PV_COUNT_OF(names); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* ---- */

enum { LINE = 4096 + 128, MAPPINGS = 65536 };

struct look {
	uintptr_t at, allocator;
	char here[LINE], there[LINE]; /* the files at these; "?": not found yet */
};

static void take_mapping(struct look *l, const char *line)
{
	struct mapping m = parse(line);
	if (l->at >= m.from && l->at < m.to)
		strcpy(l->here, m.file);
	if (l->allocator >= m.from && l->allocator < m.to)
		strcpy(l->there, m.file);
}

static bool found(const struct look *l)
{
	return *l->here != '?' && *l->there != '?';
}

static void read_lines(struct look *l, int fd)
{
	static char text[LINE];
	size_t n = 0;
	for (int i = 0; i < MAPPINGS && !found(l); i++) {
		ssize_t got = read(fd, text + n, sizeof text - 1 - n);
		if (got <= 0)
			return;
		n += (size_t)got;
		text[n] = 0;
		char *at = text, *end;
		while ((end = strchr(at, '\n')) && !found(l)) {
			*end = 0;
			take_mapping(l, at);
			at = end + 1;
		}
		n = (size_t)(text + n - at);
		memmove(text, at, n);
		if (n >= sizeof text - 1)
			return; /* no line is as long as this */
	}
}

bool pvp_safe_place(const void *context)
{
	static struct look look;
	void *allocator;
	memcpy(&allocator, &pvp_next.malloc, sizeof allocator);
	look.at = address_of(context);
	look.allocator = (uintptr_t)allocator;
	strcpy(look.here, "?");
	strcpy(look.there, "?");
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	read_lines(&look, fd);
	close(fd);
	return found(&look) && !is_unsafe(look.here) &&
	       (!*look.here || strcmp(look.here, look.there) != 0);
}
