/* SPDX-License-Identifier: MIT */
/*
 * Function symbols of an ELF file (64 bit, this machine's byte order), for looking up addresses.
 * The file is read, never mapped: a file that shrinks must not kill the program. Any thread.
 */
#ifndef PV_PROBE_ELF_SYMS_H
#define PV_PROBE_ELF_SYMS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pvp_elf_symbol {
	uint64_t start;
	uint32_t size;
	uint32_t name, file; /* in strings; file: the source file of a static function, or 0 */
	uint8_t rank;        /* aliases: the lowest wins */
};

/* Valid when zeroed. */
struct pvp_elf {
	struct pvp_elf_symbol *symbols; /* by start, then by rank and name */
	size_t n;
	char *strings;
	size_t strings_len; /* ends with a NUL */
	bool debug;         /* has debug information, or names a file with it */
};

/*
 * Reads the symbols of the file if its program headers equal the loaded module's. False: another
 * file, no symbols, out of memory; *ret is then empty. Finish with pvp_elf_finish().
 */
bool pvp_elf_load(struct pvp_elf *ret, const char *path, const ElfW(Phdr) * headers, size_t n);
/* The same for an open file, which stays open. */
bool pvp_elf_load_from(struct pvp_elf *ret, int fd, const ElfW(Phdr) * headers, size_t n);
/* The same for a whole file in memory, such as the vdso. */
bool pvp_elf_load_image(
	struct pvp_elf *ret, const void *image, size_t bytes, const ElfW(Phdr) * headers, size_t n);
void pvp_elf_finish(struct pvp_elf *e);

/* The function at the address (as in the file), valid until pvp_elf_finish(); NULL: none. */
const struct pvp_elf_symbol *pvp_elf_find(const struct pvp_elf *e, uint64_t address);

#endif
