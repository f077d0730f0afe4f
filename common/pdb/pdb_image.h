/* SPDX-License-Identifier: MIT */
/*
 * A module (PE file) and its own PDB, from the entries of the debug directory ("PE/COFF", Debug
 * Directory, of the runtime's documentation). Reads a few hundred bytes of the file, and of its
 * metadata (ECMA-335 II.25.3.3, II.24.2) for the identity; regular files only. Any thread.
 */
#ifndef PV_PDB_IMAGE_H
#define PV_PDB_IMAGE_H

#include "common/pdb/pdb_tables.h"

struct pv_pdb_image {
	uint8_t id[PV_PDB_ID]; /* of the PDB */
	uint8_t mvid
		[PV_PDB_GUID]; /* of the module itself: another one for each build; zeros: it has none */
	bool portable;
	char path[4096];    /* of the PDB at the build; "": none */
	uint32_t packed_at; /* in the file: the embedded PDB */
	uint32_t packed;    /* bytes; 0: none embedded */
};

/* Reads the identities of module and PDB. False: PV_EIO, PV_ECORRUPT. */
bool pv_pdb_image(const char *module, struct pv_pdb_image *ret, struct pv_error *reterr);

/* The embedded PDB, to free(). NULL: PV_EIO, PV_ECORRUPT, PV_ENOMEM. */
uint8_t *pv_pdb_embedded(const char *module, const struct pv_pdb_image *image, size_t *ret_len,
	struct pv_error *reterr);

#endif
