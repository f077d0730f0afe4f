/* SPDX-License-Identifier: MIT */
/*
 * Stubs by which an x86-64 file calls functions of other files: "memcmp@plt". A stub jumps to the
 * address in a slot of the global offset table (`ff 25`, after an endbr64 or not), and a relocation
 * names the function of the slot; so .plt, .plt.sec and .plt.got are read alike (psABI x86-64,
 * 5.2). Any thread.
 */
#ifndef PV_PROBE_ELF_PLT_H
#define PV_PROBE_ELF_PLT_H

#include <elf.h>

#include "common/base/mem.h"
#include "probe/code/elf_file.h"

struct pvp_elf_stub {
	uint64_t start;
	uint32_t size, name; /* in names */
};

/* Valid when zeroed. */
struct pvp_elf_stubs {
	PV_ARRAY(struct pvp_elf_stub) list;
	PV_ARRAY(char) names;
};

/* False: not all could be read; finish is fine then too. None on other machines. */
bool pvp_elf_stubs(struct pvp_elf_stubs *ret, const struct pvp_elf_file *f, const Elf64_Ehdr *h,
	const Elf64_Shdr *sections);
void pvp_elf_stubs_finish(struct pvp_elf_stubs *s);

#endif
