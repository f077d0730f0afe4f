/*
 * Function symbols of one ELF file (64 bit, this machine's byte order), for looking up addresses.
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
	bool debug;         /* it has debug information, or says what file does */
};

/*
 * Reads the symbols of the file, if its program headers are those of the loaded module. False:
 * another file, no symbols, out of memory; *ret is then empty. Finish with pvp_elf_finish().
 */
bool pvp_elf_load(struct pvp_elf *ret, const char *path, const ElfW(Phdr) * headers, size_t n);
/* The same of a whole file of so many bytes that lies in memory, as the vdso does. */
bool pvp_elf_load_image(
	struct pvp_elf *ret, const void *image, size_t bytes, const ElfW(Phdr) * headers, size_t n);
void pvp_elf_finish(struct pvp_elf *e);

/* The function that holds the address (as in the file), or NULL. */
const struct pvp_elf_symbol *pvp_elf_find(const struct pvp_elf *e, uint64_t address);

#endif
