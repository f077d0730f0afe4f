/* SPDX-License-Identifier: MIT */
/* Reads memory, mappings and ELF files of the target process, as struct pvp_target. */
#include "probe/outside/files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/target/foreign/foreign.h"
#include "probe/code/elf_file.h"
#include "probe/unwind/target.h"

enum {
	MOST_HEADERS = 64,
	MOST_FILES = 4096,
	MOST_MAPPINGS = 1 << 16,
	MOST_SECTIONS = 4096,
	LINE = 4400, /* a path and the columns before */
	PAGE = 4096,
};

/* A mapping of a file or of the vdso; other mappings are of no use here. */
struct mapping {
	uint64_t from, to, offset, inode;
	uint32_t name; /* in `names` */
	bool runs;
};

struct file {
	uint64_t from, bias, inode;
	uint32_t name;
	bool own; /* the program itself */
	uint16_t n;
	Elf64_Phdr header[MOST_HEADERS];
};

struct list {
	PV_ARRAY(struct mapping) mappings; /* by address */
	PV_ARRAY(struct file) files;
	PV_ARRAY(char) names;
	unsigned long long number; /* of the reading */
};

static pid_t process;
static struct list now;
static pthread_mutex_t lock;  /* recursive: functions that are shown a file read memory */
static _Atomic bool by_files; /* process_vm_readv(2) is refused */
static struct {
	int fd;
	uint64_t inode;
} opened = { .fd = -1 }; /* the file read in place of memory last; under the lock */

/* ---- files */

/*
 * Opens the file of descriptor `found` for reading, and closes `found`. -1 for any but regular
 * files: to open a pipe or a device may wait, or set something in motion.
 */
static int open_found(int found)
{
	struct stat st;
	char again[40];
	int fd = -1;
	if (found < 0)
		return -1;
	snprintf(again, sizeof again, "/proc/self/fd/%d", found);
	if (fstat(found, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	close(found);
	return fd;
}

/*
 * Opens a file by its name in the process, with the rights of the process's user; "" is the program
 * itself, by /proc/PID/exe.
 */
static int open_file(const char *name)
{
	char path[32];
	struct pv_foreign of;
	snprintf(path, sizeof path, "/proc/%ld/exe", (long)process);
	if (!*name)
		return open_found(open(path, O_PATH | O_CLOEXEC));
	return *name == '/' && pv_foreign_look(&of, process)
		       ? open_found(pv_foreign_find(&of, name))
		       : -1;
}

static bool own_path(char *to, size_t room)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%ld/exe", (long)process);
	ssize_t n = readlink(path, to, room - 1);
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* ---- memory */

static const struct mapping *mapping_at(const struct list *l, uint64_t address)
{
	size_t low = 0, high = l->mappings.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (l->mappings.v[middle].from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < l->mappings.v[low - 1].to ? &l->mappings.v[low - 1] : NULL;
}

static bool is_own_file(const struct mapping *m)
{
	struct stat st;
	char path[32];
	snprintf(path, sizeof path, "/proc/%ld/exe", (long)process);
	return stat(path, &st) == 0 && (uint64_t)st.st_ino == m->inode;
}

/* Reads the mapped file in place of memory: the same bytes in code and in read-only data. */
static ssize_t read_mapped(const struct list *l, void *to, uint64_t from, size_t n)
{
	const struct mapping *m = mapping_at(l, from);
	if (!m || !m->inode)
		return -1;
	if (opened.fd < 0 || opened.inode != m->inode) {
		if (opened.fd >= 0)
			close(opened.fd);
		opened.fd = open_file(is_own_file(m) ? "" : l->names.v + m->name);
		opened.inode = m->inode;
	}
	size_t left = m->to - from < n ? (size_t)(m->to - from) : n;
	return opened.fd < 0 ? -1
			     : pread(opened.fd, to, left, (off_t)(m->offset + (from - m->from)));
}

static ssize_t read_from(const struct list *l, void *to, uintptr_t from, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)from, n };
	if (!atomic_load(&by_files)) {
		ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
		if (got >= 0 || (errno != EPERM && errno != ENOSYS))
			return got;
		atomic_store(&by_files, true);
	}
	pthread_mutex_lock(&lock);
	ssize_t got = read_mapped(l, to, from, n);
	pthread_mutex_unlock(&lock);
	return got;
}

static ssize_t read_memory(void *to, uintptr_t from, size_t n)
{
	return read_from(&now, to, from, n);
}

/* ---- the list of mappings */

static bool add_name(struct list *l, const char *name, uint32_t *ret)
{
	size_t n = strlen(name) + 1;
	const struct mapping *last = l->mappings.n ? &l->mappings.v[l->mappings.n - 1] : NULL;
	if (last && strcmp(l->names.v + last->name, name) == 0) {
		*ret = last->name;
		return true;
	}
	if (l->names.n > UINT32_MAX - n || !pv_reserve(&l->names, n))
		return false;
	*ret = (uint32_t)l->names.n;
	memcpy(l->names.v + l->names.n, name, n);
	l->names.n += n;
	return true;
}

/* False: too many mappings, or out of memory. */
static bool add_mapping(struct list *l, const char *line)
{
	static const char gone[] = " (deleted)";
	unsigned long from, to, offset, inode;
	char rights[8], *name;
	int at = 0;
	if (sscanf(line, "%lx-%lx %7s %lx %*x:%*x %lu %n", &from, &to, rights, &offset, &inode,
		    &at) < 5 ||
		!at || from >= to)
		return true;
	name = strdup(line + at);
	if (!name)
		return false;
	size_t len = strlen(name), tail = sizeof gone - 1;
	if (len > tail && strcmp(name + len - tail, gone) == 0)
		name[len - tail] = 0;
	bool vdso = strcmp(name, "[vdso]") == 0, ok = true;
	struct mapping m = { .from = from,
		.to = to,
		.offset = offset,
		.inode = inode,
		.runs = strchr(rights, 'x') };
	if (vdso || (*name == '/' && inode))
		ok = l->mappings.n < MOST_MAPPINGS && pv_reserve(&l->mappings, 1) &&
		     add_name(l, vdso ? PVP_TARGET_VDSO : name, &m.name);
	if (ok && (vdso || (*name == '/' && inode)))
		l->mappings.v[l->mappings.n++] = m;
	free(name);
	return ok;
}

static bool read_maps(struct list *l)
{
	char path[32], *line = malloc(LINE);
	snprintf(path, sizeof path, "/proc/%ld/maps", (long)process);
	FILE *f = line ? fopen(path, "re") : NULL;
	bool any = false;
	while (f && fgets(line, LINE, f)) {
		line[strcspn(line, "\n")] = 0;
		any = true;
		if (!add_mapping(l, line))
			break;
	}
	if (f)
		fclose(f);
	free(line);
	return any;
}

/* ---- ELF files among the mappings */

/* The mapping of the first byte of the file mapped at index `i`. NULL: none. */
static const struct mapping *beginning_of(const struct list *l, size_t i)
{
	const struct mapping *m = &l->mappings.v[i];
	for (size_t k = i + 1; k-- > 0;) {
		const struct mapping *b = &l->mappings.v[k];
		if (b->inode != m->inode || b->name != m->name)
			return NULL;
		if (b->offset == 0)
			return b;
	}
	return NULL;
}

static bool read_headers(const struct list *l, const struct mapping *m, struct file *f)
{
	Elf64_Ehdr e;
	uint64_t least = UINT64_MAX;
	if (read_from(l, &e, m->from, sizeof e) != (ssize_t)sizeof e ||
		memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_ident[EI_CLASS] != ELFCLASS64 ||
		e.e_phentsize != sizeof f->header[0] || !e.e_phnum || e.e_phnum > MOST_HEADERS)
		return false;
	size_t bytes = e.e_phnum * sizeof f->header[0];
	if (read_from(l, f->header, m->from + e.e_phoff, bytes) != (ssize_t)bytes)
		return false;
	f->n = e.e_phnum;
	for (size_t i = 0; i < f->n; i++)
		if (f->header[i].p_type == PT_LOAD && f->header[i].p_vaddr < least)
			least = f->header[i].p_vaddr;
	if (least == UINT64_MAX)
		return false;
	f->from = m->from;
	f->bias = m->from - least / PAGE * PAGE;
	return true;
}

static bool is_listed(const struct list *l, uint64_t from)
{
	for (size_t i = l->files.n; i-- > 0;)
		if (l->files.v[i].from == from)
			return true;
	return false;
}

static void find_files(struct list *l)
{
	struct stat st = { 0 };
	char path[32];
	snprintf(path, sizeof path, "/proc/%ld/exe", (long)process);
	bool known = stat(path, &st) == 0, own = false;
	for (size_t i = 0; i < l->mappings.n && l->files.n < MOST_FILES; i++) {
		const struct mapping *m = l->mappings.v[i].runs ? beginning_of(l, i) : NULL;
		struct file f;
		if (!m || is_listed(l, m->from) || !read_headers(l, m, &f) ||
			!pv_reserve(&l->files, 1))
			continue;
		f.name = m->name;
		f.inode = m->inode;
		f.own = known && !own && m->inode && m->inode == (uint64_t)st.st_ino;
		own |= f.own;
		l->files.v[l->files.n++] = f;
	}
}

static void free_list(struct list *l)
{
	pv_array_finish(&l->mappings);
	pv_array_finish(&l->files);
	pv_array_finish(&l->names);
}

bool pvo_files_read(void)
{
	struct list next = { .number = now.number + 1 };
	bool ok = read_maps(&next);
	if (ok)
		find_files(&next);
	if (!ok) {
		free_list(&next);
		return false;
	}
	pthread_mutex_lock(&lock);
	struct list before = now;
	now = next;
	pthread_mutex_unlock(&lock);
	free_list(&before);
	return true;
}

/* ---- struct pvp_target */

static const char *mapped_name(const struct file *f)
{
	return f->own ? "" : now.names.v + f->name;
}

static int each_file(pvp_look_at_file *look, void *arg)
{
	int stop = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < now.files.n && !stop; i++) {
		struct file *f = &now.files.v[i];
		struct dl_phdr_info info = { .dlpi_addr = f->bias,
			.dlpi_name = mapped_name(f),
			.dlpi_phdr = f->header,
			.dlpi_phnum = f->n,
			.dlpi_adds = now.number };
		stop = look(&info, sizeof info, arg);
	}
	pthread_mutex_unlock(&lock);
	return stop;
}

/* A section by name, from the file: static programs may lack the program header for .eh_frame. */
static bool section(const struct pvp_elf_file *f, const char *wanted, Elf64_Shdr *ret)
{
	Elf64_Ehdr e;
	bool found = false;
	if (!pvp_elf_read(f, &e, sizeof e, 0) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
		e.e_shentsize != sizeof *ret || e.e_shnum > MOST_SECTIONS ||
		e.e_shstrndx >= e.e_shnum)
		return false;
	Elf64_Shdr *all = pvp_elf_read_new(f, e.e_shnum * sizeof *all, e.e_shoff);
	const Elf64_Shdr *names = all ? &all[e.e_shstrndx] : NULL;
	char *text = names ? pvp_elf_read_new(f, names->sh_size, names->sh_offset) : NULL;
	for (size_t i = 0; text && i < e.e_shnum && !found; i++) {
		uint64_t left =
			all[i].sh_name < names->sh_size ? names->sh_size - all[i].sh_name : 0;
		found = left > strlen(wanted) && strcmp(text + all[i].sh_name, wanted) == 0;
		*ret = all[i];
	}
	free(text);
	free(all);
	return found;
}

static bool frames(uint64_t from, uint64_t *ret_address, uint64_t *ret_bytes)
{
	struct stat st;
	Elf64_Shdr s;
	uint64_t bias = 0;
	int fd = -1;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < now.files.n; i++)
		if (now.files.v[i].from == from) {
			bias = now.files.v[i].bias;
			fd = open_file(mapped_name(&now.files.v[i]));
			break;
		}
	pthread_mutex_unlock(&lock);
	bool ok = fd >= 0 && fstat(fd, &st) == 0;
	ok = ok && section(&(struct pvp_elf_file){ .fd = fd, .size = (uint64_t)st.st_size },
			   ".eh_frame", &s);
	if (fd >= 0)
		close(fd);
	if (!ok || s.sh_type == SHT_NOBITS)
		return false;
	*ret_address = bias + s.sh_addr;
	*ret_bytes = s.sh_size;
	return true;
}

static struct pvp_target target = { .read = read_memory,
	.each_file = each_file,
	.frames = frames,
	.open = open_file,
	.own_path = own_path };

void pvo_files_begin(pid_t pid)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &a);
	pthread_mutexattr_destroy(&a);
	process = target.pid = pid;
	pvp_target = &target;
}

bool pvo_files_map(uint64_t address)
{
	pthread_mutex_lock(&lock);
	bool mapped = mapping_at(&now, address);
	pthread_mutex_unlock(&lock);
	return mapped;
}

void pvo_files_finish(void)
{
	pthread_mutex_lock(&lock);
	free_list(&now);
	now = (struct list){ .number = now.number };
	pthread_mutex_unlock(&lock);
}
