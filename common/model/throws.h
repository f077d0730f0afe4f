/* Exceptions: throws per (class, stack), clauses entered. Per class: the sum of its sites. */
#ifndef PV_MODEL_THROWS_H
#define PV_MODEL_THROWS_H

#include "common/model/sites.h"

enum pv_clause { PV_CLAUSE_CATCH, PV_CLAUSE_FILTER, PV_CLAUSE_FINALLY, PV_CLAUSE_FAULT,
	PV_CLAUSE_OTHER, PV_CLAUSES };

struct pv_throws {
	uint64_t thrown;
	uint64_t clauses[PV_CLAUSES];
	struct pv_sites sites;  /* count = throws; amount unused */
	uint64_t unknown_class; /* throws whose object was in no allocation, move or shot */
};

#endif
