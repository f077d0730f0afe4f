/* SPDX-License-Identifier: MIT */
/* Reads /proc/kallsyms, sorts the functions, and finds the name of an address. */
#include "probe/code/kernel_names.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "probe/code/kernel_stack.h"
#include "probe/ground/probe_clock.h"

enum {
	MOST = 1 << 18,      /* functions */
	MOST_TEXT = 8 << 20, /* bytes of their names */
	FARTHEST = 1 << 20,  /* from a function's start */
	CHUNK = 1 << 14,     /* read at once */
	LINE = 1 << 10,      /* no line is longer */
	NAME = LINE + 16,
};
static const uint64_t again_ns = 10000000000;

struct function {
	uint64_t start;
	uint32_t name, len; /* in `text`; the module's name follows, if any, up to the next NUL */
};

static PV_ARRAY(struct function) list; /* by start */
static PV_ARRAY(char) text;
static uint64_t read_at; /* ns; 0: never */

/* ---- reading the file */

static void add_kernel_function(uint64_t start, const char *name)
{
	size_t len = strcspn(name, " \t"), all = strlen(name);
	const char *module = memchr(name, '[', all);
	size_t more = module ? strlen(module) : 0;
	if (list.n >= MOST || text.n + len + more + 1 > MOST_TEXT || !pv_reserve(&list, 1) ||
		!pv_reserve(&text, len + more + 1))
		return;
	list.v[list.n++] = (struct function){ start, (uint32_t)text.n, (uint32_t)len };
	memcpy(text.v + text.n, name, len);
	memcpy(text.v + text.n + len, module ? module : "", more);
	text.v[text.n + len + more] = 0;
	text.n += len + more + 1;
}

/* "ffffffff81a2b3c0 T vfs_read" or "ffffffffc0a01000 t ext4_read  [ext4]" */
static void take_symbol_line(const char *line)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16);
	if (start && *end == ' ' && strchr("tTwW", end[1]) && end[1] && end[2] == ' ')
		add_kernel_function(start, end + 3);
}

static void take_all(int fd)
{
	char room[CHUNK + LINE + 1];
	size_t n = 0;
	for (ssize_t got; (got = read(fd, room + n, CHUNK)) > 0;) {
		char *at = room, *end;
		n += (size_t)got;
		while ((end = memchr(at, '\n', n - (size_t)(at - room)))) {
			*end = 0;
			take_symbol_line(at);
			at = end + 1;
		}
		n -= (size_t)(at - room);
		n = n <= LINE ? n : 0;
		memmove(room, at, n);
	}
}

/* Of two functions at the same address the first in the file comes first. */
static int by_function_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->name < y->name) - (x->name > y->name);
}

static void read_names(void)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	read_at = pvp_monotonic();
	list.n = text.n = 0;
	if (fd < 0)
		return;
	take_all(fd);
	close(fd);
	if (list.n)
		qsort(list.v, list.n, sizeof *list.v, by_function_start);
}

/* ---- asking */

static const struct function *search_functions(uint64_t address)
{
	size_t low = 0, high = list.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (list.v[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	const struct function *f = low ? &list.v[low - 1] : NULL;
	return f && address - f->start < FARTHEST ? f : NULL;
}

static const struct function *find_function(uint64_t address)
{
	const struct function *f = read_at ? search_functions(address) : NULL;
	if (f || (read_at && pvp_monotonic() - read_at < again_ns))
		return f;
	read_names();
	return search_functions(address);
}

const char *pvp_kernel_name(uint64_t address)
{
	static char name[NAME];
	const struct function *f = find_function(address);
	if (!f)
		return "[kernel]";
	const char *at = text.v + f->name, *module = at + f->len;
	snprintf(name, sizeof name, "%.*s %s", (int)f->len, at, *module ? module : "[kernel]");
	return name;
}

static bool is_tick(uint64_t address)
{
	static const char tick[] = "asm_sysvec_apic_timer_interrupt";
	const struct function *f = find_function(address);
	return f && f->len == sizeof tick - 1 && memcmp(text.v + f->name, tick, f->len) == 0;
}

uint32_t pvp_kernel_without_tick(uint64_t *at, uint32_t n)
{
	uint32_t kernel = 0;
	while (kernel < n && pvp_is_kernel(at[kernel]))
		kernel++;
	if (!kernel || kernel == n || !is_tick(at[kernel - 1] - (kernel > 1)))
		return n;
	memmove(at, at + kernel, (n - kernel) * sizeof *at);
	at[0]--;
	return n - kernel;
}

void pvp_kernel_names_finish(void)
{
	pv_array_finish(&list);
	pv_array_finish(&text);
	read_at = 0;
}
