/* SPDX-License-Identifier: MIT */
/* A host without a program, for tests: methods are numbers, "fake.method_7" is number 7. */
#ifndef PV_PROBE_HOST_FAKE_H
#define PV_PROBE_HOST_FAKE_H

#include "probe/ground/host.h"

/* The key of a method; its code address is the same. */
uint64_t pvp_fake_key(unsigned number);

/* From now on these methods are others: their names get a "#1", "#2" ... */
void pvp_fake_unload(unsigned first, unsigned last);

/* Of the recording that begins next: its time runs so many times as fast; 0 and 1: it does not. */
void pvp_fake_speed(unsigned times);

/* The beginning of children of fork, where they may; borrowed. */
void pvp_fake_again(const char *options);

#endif
