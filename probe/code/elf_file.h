/* Parts of an ELF file that may be anything: read, never mapped. Any thread. */
#ifndef PV_PROBE_ELF_FILE_H
#define PV_PROBE_ELF_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define PVP_ELF_MAX ((uint64_t)1 << 30) /* bytes of one table */

struct pvp_elf_file {
	const uint8_t *image; /* in memory; NULL: fd it is */
	int fd;
	uint64_t size;
};

/* `n` bytes at `offset`. False: they are not all there. */
bool pvp_elf_read(const struct pvp_elf_file *f, void *to, uint64_t n, uint64_t offset);
/* Into memory for the caller to free, with room for one byte more; NULL: not there, too many. */
void *pvp_elf_read_new(const struct pvp_elf_file *f, uint64_t n, uint64_t offset);

#endif
