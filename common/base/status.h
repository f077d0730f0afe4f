/* SPDX-License-Identifier: MIT */
/*
 * Errors are values. Nothing in common/ or probe/ prints or exits: a call that can fail returns
 * false (or NULL) and fills a struct pv_error; only tui/ turns an error into words on stderr.
 */
#ifndef PV_BASE_STATUS_H
#define PV_BASE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum pv_code {
	PV_OK,
	PV_ENOMEM,
	PV_EIO,        /* the system refused: open, read, write, lock */
	PV_ETRUNCATED, /* the input ends inside something */
	PV_ECORRUPT,   /* the bytes contradict the format */
	PV_EVERSION,   /* a format, or version of a format, not supported */
	PV_EUSAGE,     /* the caller's request makes no sense */
	PV_EBUSY,      /* in use by another process */
	PV_ECANCELLED,
	PV_EOUTPUT, /* the output cannot be written: profview's own failure */
};

/* Place of the error, in terms of the user's file. */
struct pv_error {
	enum pv_code code;
	uint64_t offset; /* in the inflated stream; 0 where no offset applies */
	char what[200];
};

/*
 * Fills *e (may be NULL) and returns false, so that callers can `return pv_fail(...)`. Too long a
 * text ends in "..." after a whole character; so should each text in it (PV_FIT() in utf8.h).
 */
bool pv_fail(struct pv_error *e, enum pv_code code, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A short noun phrase for a code: a literal, never NULL. Both functions: any thread. */
const char *pv_code_text(enum pv_code code);

#define PV_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
/* The structure with *p as its member m. */
#define PV_OF(p, type, m) ((type *)(void *)((char *)(p) - offsetof(type, m)))

#endif
