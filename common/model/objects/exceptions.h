/* SPDX-License-Identifier: MIT */
/*
 * Exceptions: throws per (class, stack), clauses entered in all and by method. The sum of a class
 * is that of its sites. Part of the model: written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_EXCEPTIONS_H
#define PV_MODEL_EXCEPTIONS_H

#include "common/model/objects/unresolved.h"
#include "common/model/objects/messages.h"
#include "common/model/objects/catches.h"
#include "common/model/calls/sites.h"

enum pv_clause {
	PV_CLAUSE_CATCH,
	PV_CLAUSE_FILTER,
	PV_CLAUSE_FINALLY,
	PV_CLAUSE_FAULT,
	PV_CLAUSE_OTHER,
	PV_CLAUSES
};

enum { PV_CLAUSE_METHODS_CAP = 65536 };

struct pv_clause_method {
	uint32_t method; /* id in names; 0 = methods beyond the cap */
	uint64_t clauses[PV_CLAUSES];
};

struct pv_exceptions {
	uint64_t thrown;
	uint64_t clauses[PV_CLAUSES];
	struct pv_sites sites; /* count = throws; amount unused */
	PV_ARRAY(struct pv_clause_method) by_method;
	struct pv_map by_method_of;   /* method id -> index */
	int64_t open_ns;              /* from throws to their catches, in all */
	uint64_t unknown_class;       /* throws whose object is in no allocation, move or shot */
	struct pv_unresolved waiting; /* for their class; what: class so far, stack */
	struct pv_messages messages;
	struct pv_catches catches;
};

void pv_exceptions_finish(struct pv_exceptions *t); /* frees the store */

#endif
