/* SPDX-License-Identifier: MIT */
/* Reads the program's memory by system calls. */
#include "probe/unwind/own_memory.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/uio.h>
#include <unistd.h>

#include "probe/unwind/target.h"

enum { HIGH = 500 }; /* out of the way of what the program opens */

/* 0: not by file. Else the process whose memory `file` is, -1: no file yet. */
static _Atomic pid_t owner;
static _Atomic int file;

const struct pvp_target *pvp_target;

void pvp_memory_by_file(bool by_file)
{
	atomic_store(&owner, by_file ? -1 : 0);
}

/* The file of a parent stays open in a child of fork, and is the parent's memory. */
static int open_file(pid_t self)
{
	int low = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, HIGH);
	if (fd >= 0)
		close(low);
	else
		fd = low;
	if (fd >= 0) {
		atomic_store(&file, fd);
		atomic_store(&owner, self);
	}
	return fd;
}

static ssize_t read_file(void *to, uintptr_t from, size_t n)
{
	pid_t self = getpid();
	int fd = atomic_load(&owner) == self ? atomic_load(&file) : open_file(self);
	return fd < 0 ? -1 : pread(fd, to, n, (off_t)from);
}

ssize_t pvp_memory_some(void *to, uintptr_t from, size_t n)
{
	struct iovec here = { to, n }, there = { (void *)from, n };
	if (__builtin_expect(pvp_target != NULL, 0))
		return pvp_target->read(to, from, n);
	if (__builtin_expect(atomic_load_explicit(&owner, memory_order_relaxed) != 0, 0))
		return read_file(to, from, n);
	return process_vm_readv(getpid(), &here, 1, &there, 1, 0);
}
