/* SPDX-License-Identifier: MIT */
/*
 * LD_PRELOAD lists with the probe, and the libraries of a program that decide whether the probe can
 * load.
 */
#include "common/target/process/preload.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/status.h"

static bool comes_first(const char *at, size_t len)
{
	static const char *const names[] = { "libasan.", "libtsan.", "libubsan.", "liblsan.",
		"libclang_rt." };
	for (size_t i = 0; i < PV_COUNT_OF(names); i++)
		if (memmem(at, len, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Appends the names of one kind, separated by colons. */
static void append(char *to, const char *list, bool first)
{
	static const char between[] = ": ";
	for (const char *at = list; *at;) {
		size_t len = strcspn(at, between), n = strlen(to);
		if (len && comes_first(at, len) == first) {
			if (n)
				to[n++] = ':';
			memcpy(to + n, at, len);
			to[n + len] = 0;
		}
		at += len + strspn(at + len, between);
	}
}

char *pv_preload_with(const char *before, const char *library)
{
	before = before ? before : "";
	char *to = calloc(1, strlen(before) + strlen(library) + 3);
	if (!to)
		return NULL;
	append(to, before, true);
	if (*to)
		strcat(to, ":");
	strcat(to, library);
	append(to, before, false);
	return to;
}

/* ---- the library's name */

#if defined(__aarch64__)
#define PLATFORM "aarch64"
#else
#define PLATFORM "x86_64"
#endif

/* A folder of the user's own that stays: programs may be started long after profview has ended. */
static bool private_folder(char *to, size_t room)
{
	struct stat st;
	snprintf(to, room, "/tmp/profview-%u", (unsigned)geteuid());
	if (mkdir(to, 0700) != 0 && errno != EEXIST)
		return false;
	return lstat(to, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & 077) == 0;
}

static bool link_to(const char *folder, char *to, size_t room)
{
	char own[64], now[PATH_MAX];
	uint32_t hash = 2166136261; /* FNV-1a */
	for (const char *c = folder; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619;
	if (!private_folder(own, sizeof own))
		return false;
	snprintf(to, room, "%s/probe-%08x", own, (unsigned)hash);
	if (symlink(folder, to) == 0)
		return true;
	ssize_t n = readlink(to, now, sizeof now - 1);
	now[n > 0 ? n : 0] = 0;
	return strcmp(now, folder) == 0;
}

bool pv_preload_path(const char *library, char *to, size_t room)
{
	char folder[PATH_MAX], link[128], there[PATH_MAX];
	const char *slash = strrchr(library, '/'), *at = folder;
	if (!slash || (size_t)(slash - library) >= sizeof folder)
		return false;
	memcpy(folder, library, (size_t)(slash - library));
	folder[slash - library] = 0;
	if (strpbrk(folder, " :$")) {
		if (!link_to(folder, link, sizeof link))
			return false;
		at = link;
	}
	int n = snprintf(there, sizeof there, "%s/platforms/" PLATFORM "%s", at, slash);
	bool all = n > 0 && n < (int)sizeof there && access(there, R_OK) == 0;
	n = snprintf(to, room, "%s%s%s", at, all ? "/platforms/$PLATFORM" : "", slash);
	return n > 0 && (size_t)n < room;
}

/* ---- libraries of a program */

enum { SEGMENTS = 256, ENTRIES = 1024 }; /* looked at, at most */

static bool read_library_at(int fd, uint64_t at, void *to, size_t n)
{
	return at <= INT64_MAX && pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

struct file {
	int fd;
	Elf64_Ehdr head;
};

/* The first segment of this type, or the first of this type around the address. */
static bool segment(const struct file *f, uint32_t type, uint64_t address, Elf64_Phdr *ret)
{
	for (unsigned i = 0; i < f->head.e_phnum && i < SEGMENTS; i++) {
		if (!read_library_at(
			    f->fd, f->head.e_phoff + (uint64_t)i * sizeof *ret, ret, sizeof *ret))
			return false;
		bool holds = address >= ret->p_vaddr && address - ret->p_vaddr < ret->p_filesz;
		if (ret->p_type == type && (type == PT_DYNAMIC || holds))
			return true;
	}
	return false;
}

/* The first entry of this kind in the dynamic section. */
static bool entry(const struct file *f, const Elf64_Phdr *dynamic, int64_t kind, uint64_t *ret)
{
	Elf64_Dyn d = { 0 };
	for (uint64_t i = 0; i < ENTRIES && (i == 0 || d.d_tag != DT_NULL); i++) {
		if (!read_library_at(f->fd, dynamic->p_offset + i * sizeof d, &d, sizeof d))
			return false;
		if (d.d_tag != kind)
			continue;
		*ret = d.d_un.d_val;
		return true;
	}
	return false;
}

/* Offset in the file of the dynamic section's names. */
static bool names_at(const struct file *f, const Elf64_Phdr *dynamic, uint64_t *ret)
{
	Elf64_Phdr in;
	uint64_t address;
	if (!entry(f, dynamic, DT_STRTAB, &address) || !segment(f, PT_LOAD, address, &in))
		return false;
	*ret = address - in.p_vaddr + in.p_offset;
	return true;
}

static bool find_sanitizer(const struct file *f, char to[PV_PRELOAD_NAME])
{
	Elf64_Phdr dynamic;
	Elf64_Dyn d = { 0 };
	uint64_t names;
	if (!segment(f, PT_DYNAMIC, 0, &dynamic) || !names_at(f, &dynamic, &names))
		return false;
	for (uint64_t i = 0; i < ENTRIES && (i == 0 || d.d_tag != DT_NULL); i++) {
		if (!read_library_at(f->fd, dynamic.p_offset + i * sizeof d, &d, sizeof d))
			return false;
		if (d.d_tag != DT_NEEDED || d.d_un.d_val > UINT32_MAX ||
			!read_library_at(f->fd, names + d.d_un.d_val, to, PV_PRELOAD_NAME))
			continue;
		size_t len = strnlen(to, PV_PRELOAD_NAME);
		if (len < PV_PRELOAD_NAME && !strpbrk(to, ": ") && comes_first(to, len))
			return true;
	}
	return false;
}

/* Opens a 64-bit ELF file; the caller closes f->fd, -1 after false. */
static bool open_file(struct file *f, const char *path)
{
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool ok = f->fd >= 0 && read_library_at(f->fd, 0, &f->head, sizeof f->head) &&
		  memcmp(f->head.e_ident, ELFMAG, SELFMAG) == 0 &&
		  f->head.e_ident[EI_CLASS] == ELFCLASS64 &&
		  f->head.e_phentsize == sizeof(Elf64_Phdr);
	if (!ok && f->fd >= 0)
		close(f->fd);
	f->fd = ok ? f->fd : -1;
	return ok;
}

bool pv_preload_sanitizer(const char *program, char to[PV_PRELOAD_NAME])
{
	struct file f;
	if (!open_file(&f, program))
		return false;
	bool found = find_sanitizer(&f, to);
	close(f.fd);
	return found;
}

/* ---- versions of the C library */

enum { NAMES = 1 << 20 /* bytes, at most */ };

/* The names of versions stand among the others, whether they are asked for or given. */
static unsigned newest_glibc(const char *names, size_t n)
{
	static const char glibc[] = "GLIBC_2.";
	unsigned most = 0;
	for (size_t at = 0; at < n; at += strlen(names + at) + 1) {
		unsigned long minor = strncmp(names + at, glibc, sizeof glibc - 1) == 0
					      ? strtoul(names + at + sizeof glibc - 1, NULL, 10)
					      : 0;
		if (minor > most && minor < 1000)
			most = (unsigned)minor;
	}
	return most;
}

unsigned pv_preload_glibc(const char *path)
{
	struct file f;
	Elf64_Phdr dynamic;
	uint64_t at, n;
	unsigned ret = 0;
	if (!open_file(&f, path))
		return 0;
	char *names = NULL;
	if (segment(&f, PT_DYNAMIC, 0, &dynamic) && names_at(&f, &dynamic, &at) &&
		entry(&f, &dynamic, DT_STRSZ, &n) && n <= NAMES)
		names = calloc(1, (size_t)n + 1);
	if (names && read_library_at(f.fd, at, names, (size_t)n))
		ret = newest_glibc(names, (size_t)n);
	free(names);
	close(f.fd);
	return ret;
}

/* libc.so.6 is in the loader's folder on all distributions. */
static bool libc_of(const char *program, char to[PATH_MAX])
{
	static const char name[] = "libc.so.6";
	struct file f;
	Elf64_Phdr p = { 0 };
	char loader[PATH_MAX];
	bool found = false;
	if (!open_file(&f, program))
		return false;
	for (unsigned i = 0; !found && i < f.head.e_phnum && i < SEGMENTS; i++)
		found = read_library_at(
				f.fd, f.head.e_phoff + (uint64_t)i * sizeof p, &p, sizeof p) &&
			p.p_type == PT_INTERP && p.p_filesz && p.p_filesz < sizeof loader &&
			read_library_at(f.fd, p.p_offset, loader, (size_t)p.p_filesz);
	close(f.fd);
	if (!found)
		return false;
	loader[p.p_filesz] = 0;
	char *slash = realpath(loader, to) ? strrchr(to, '/') : NULL;
	if (!slash || slash + 1 - to + (long)sizeof name > PATH_MAX)
		return false;
	memcpy(slash + 1, name, sizeof name);
	return true;
}

bool pv_preload_loads(
	const char *library, const char *program, unsigned *ret_asks, unsigned *ret_has)
{
	char libc[PATH_MAX];
	*ret_asks = pv_preload_glibc(library);
	*ret_has = libc_of(program, libc) ? pv_preload_glibc(libc) : 0;
	return !*ret_has || *ret_asks <= *ret_has;
}
