/* SPDX-License-Identifier: MIT */
/* Parts of an ELF file of any content: read, never mapped. Any thread. */
#ifndef PV_PROBE_ELF_FILE_H
#define PV_PROBE_ELF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define PVP_ELF_MAX ((uint64_t)1 << 30) /* bytes of a table */

struct pvp_elf_file {
	const uint8_t *image; /* in memory; NULL: use fd */
	int fd;
	uint64_t size;
};

/* `n` bytes at `offset`. False: they are not all there. */
bool pvp_elf_read(const struct pvp_elf_file *f, void *to, uint64_t n, uint64_t offset);
/* Allocates n + 1 bytes for the caller to free, and reads n; NULL: not there, too many. */
void *pvp_elf_read_new(const struct pvp_elf_file *f, uint64_t n, uint64_t offset);

#endif
