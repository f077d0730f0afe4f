/* SPDX-License-Identifier: MIT */
/*
 * How much memory the probe holds, seen from outside of it: preloaded together with a probe's
 * library, this counts what that library takes from malloc() and mmap() and has not given back, and
 * shows it in the file that PROBE_MEMORY names: two numbers of 8 bytes, from malloc and mapped.
 *
 * The caller is known by the return address. PROBE_MEMORY_OF is a part of the library's name.
 */
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FROM_MALLOC, MAPPED, COUNTS };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *at, size_t size);
void __libc_free(void *at);

static uintptr_t from, to;
static _Atomic int64_t nowhere[COUNTS], *counts = nowhere;

static bool ours(const void *caller)
{
	return (uintptr_t)caller >= from && (uintptr_t)caller < to;
}

static void count(int which, int64_t bytes)
{
	atomic_fetch_add_explicit(&counts[which], bytes, memory_order_relaxed);
}

static int find(struct dl_phdr_info *info, size_t size, void *name)
{
	(void)size;
	if (!strstr(info->dlpi_name, name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		from = info->dlpi_addr + p->p_vaddr;
		to = from + p->p_memsz;
	}
	return 1;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("PROBE_MEMORY"), *of = getenv("PROBE_MEMORY_OF");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (fd < 0)
		return;
	if (ftruncate(fd, sizeof nowhere) == 0) {
		void *at = mmap(NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at != MAP_FAILED)
			counts = at;
	}
	close(fd);
	dl_iterate_phdr(find, (void *)(of ? of : "libprofview-"));
}

void *malloc(size_t size)
{
	void *at = __libc_malloc(size);
	if (ours(__builtin_return_address(0)))
		count(FROM_MALLOC, (int64_t)malloc_usable_size(at));
	return at;
}

void *calloc(size_t n, size_t size)
{
	void *at = __libc_calloc(n, size);
	if (ours(__builtin_return_address(0)))
		count(FROM_MALLOC, (int64_t)malloc_usable_size(at));
	return at;
}

void *realloc(void *old, size_t size)
{
	bool mine = ours(__builtin_return_address(0));
	int64_t before = mine ? (int64_t)malloc_usable_size(old) : 0;
	void *at = __libc_realloc(old, size);
	if (mine && (at || !size))
		count(FROM_MALLOC, (int64_t)malloc_usable_size(at) - before);
	return at;
}

void free(void *at)
{
	if (ours(__builtin_return_address(0)))
		count(FROM_MALLOC, -(int64_t)malloc_usable_size(at));
	__libc_free(at);
}

char *strdup(const char *s)
{
	size_t size = strlen(s) + 1;
	void *at = __libc_malloc(size);
	if (at && ours(__builtin_return_address(0)))
		count(FROM_MALLOC, (int64_t)malloc_usable_size(at));
	return at ? memcpy(at, s, size) : NULL;
}

void *mmap(void *hint, size_t size, int access, int flags, int fd, off_t offset)
{
	/* errno and MAP_FAILED are made by syscall(). */
	void *at = (void *)syscall(SYS_mmap, hint, size, access, flags, fd, offset);
	if (at != MAP_FAILED && ours(__builtin_return_address(0)))
		count(MAPPED, (int64_t)size);
	return at;
}

void *mmap64(void *hint, size_t size, int access, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

int munmap(void *at, size_t size)
{
	int failed = (int)syscall(SYS_munmap, at, size);
	if (!failed && ours(__builtin_return_address(0)))
		count(MAPPED, -(int64_t)size);
	return failed;
}
