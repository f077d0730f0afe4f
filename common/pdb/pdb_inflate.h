/* SPDX-License-Identifier: MIT */
/* Deflate without a header, the packing of embedded PDBs and sources. Any thread. */
#ifndef PV_PDB_INFLATE_H
#define PV_PDB_INFLATE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

/*
 * Exactly `size` bytes with a 0 at the end, to free(). NULL: PV_ECORRUPT, also for fewer or more
 * bytes, or PV_ENOMEM.
 */
uint8_t *pv_pdb_inflate(const uint8_t *packed, size_t n, size_t size, struct pv_error *reterr);

#endif
