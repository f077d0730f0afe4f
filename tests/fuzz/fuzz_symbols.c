/* SPDX-License-Identifier: MIT */
/*
 * Bytes as an ELF file with symbols and debug information: any input must end, and what is found of
 * an address lies at it. The input's front is where it was loaded and how large it was: 4 bytes
 * each, little-endian.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/model/names/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void ask(struct pv_symbols *s, uint64_t at)
{
	struct pv_symbol found;
	const char *names[PV_INLINED_DEPTH], *path;
	struct pv_source_line lines[PV_INLINED_DEPTH + 1];
	if (pv_symbols_find(s, at, &found)) {
		uint64_t size = found.size ? found.size : at - found.start + 1;
		must(*found.name && at - found.start < size);
	}
	size_t count = pv_symbols_inlined(s, at, names, &path);
	must(count <= PV_INLINED_DEPTH);
	for (size_t i = 0; i < count; i++)
		must(*names[i]);
	size_t n = pv_symbols_lines(s, at, lines);
	must(n == 0 || n == count + 1);
	for (size_t i = 0; i < n; i++)
		must(!lines[i].line || *lines[i].file);
}

/* Without others' right to write: such files are believed. */
static int file_of(const uint8_t *bytes, size_t n, char path[40])
{
	int fd = memfd_create("symbols", MFD_CLOEXEC);
	must(fd >= 0 && fchmod(fd, 0600) == 0 && write(fd, bytes, n) == (ssize_t)n);
	snprintf(path, 40, "/proc/self/fd/%d", fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	enum { FRONT = 8, STEPS = 64 };
	struct pv_symbols *s = NULL;
	uint32_t from, size;
	char path[40];
	if (n < FRONT)
		return 0;
	memcpy(&from, bytes, sizeof from);
	memcpy(&size, bytes + sizeof from, sizeof size);
	int fd = file_of(bytes + FRONT, n - FRONT, path);
	must(pv_symbols_module(&s, from, size, path));
	pv_symbols_before(s, UINT64_MAX);
	for (uint64_t i = 0; i < STEPS; i++)
		ask(s, from + size * i / STEPS);
	pv_symbols_destroy(s);
	close(fd);
	return 0;
}
