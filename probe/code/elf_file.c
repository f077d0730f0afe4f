/* SPDX-License-Identifier: MIT */
/* Reads parts of an ELF file from a descriptor, or from an image in memory. */
#include "probe/code/elf_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool pvp_elf_read(const struct pvp_elf_file *f, void *to, uint64_t n, uint64_t offset)
{
	if (offset > f->size || n > f->size - offset)
		return false;
	if (f->image) {
		memcpy(to, f->image + offset, n);
		return true;
	}
	for (uint64_t done = 0; done < n;) {
		ssize_t k = pread(f->fd, (char *)to + done, n - done, (off_t)(offset + done));
		if (k <= 0)
			return false;
		done += (uint64_t)k;
	}
	return true;
}

void *pvp_elf_read_new(const struct pvp_elf_file *f, uint64_t n, uint64_t offset)
{
	if (n > PVP_ELF_MAX || n > f->size)
		return NULL;
	void *at = malloc(n + 1);
	if (at && !pvp_elf_read(f, at, n, offset)) {
		free(at);
		at = NULL;
	}
	return at;
}
