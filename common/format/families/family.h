/* Which of the families an input is of, by its first bytes. Pure: any thread. */
#ifndef PV_FORMAT_FAMILIES_FAMILY_H
#define PV_FORMAT_FAMILIES_FAMILY_H

#include "common/format/block07/block07.h"

enum pv_family {
	PV_FAMILY_UNSURE, /* more bytes are needed */
	PV_FAMILY_MLPD,   /* or nothing that is known: its framer says so */
	PV_FAMILY_2007,
	PV_FAMILY_STACKS, /* a text of stacks */
	PV_FAMILY_NETTRACE
};

/* `ended`: no more bytes will come, so that it is not UNSURE. */
enum pv_family pv_family_of(const uint8_t *bytes, size_t n, bool ended);

/*
 * The stream reads an input of that family, one of those that are framed and decoded in one, from
 * now on. b07_finish() ends it. False: out of memory.
 */
bool pv_family_init(enum pv_family family, struct b07_stream *s);

#endif
