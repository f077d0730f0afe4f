/* SPDX-License-Identifier: MIT */
/* The portable PDB of a module, of the same build only. Any thread. */
#ifndef PV_PDB_FIND_H
#define PV_PDB_FIND_H

#include "common/pdb/pdb.h"

/*
 * Searches the module itself, its folder, the path of the build, and the folder `symbols` (NULL:
 * none), there also in the layout of symbol servers (NAME/IDffffffff/NAME). NULL: PV_EBUSY for a
 * PDB of another build, PV_EVERSION for one that is not portable, PV_EIO for none, PV_ECORRUPT,
 * PV_ENOMEM. The caller closes the PDB.
 */
struct pv_pdb *pv_pdb_find(const char *module, const char *symbols, struct pv_error *reterr);

#endif
