/* SPDX-License-Identifier: MIT */
/* Functions that are compiled with -finstrument-functions, for test_probe_native. */
#ifndef PV_TESTS_PROBE_WORLD_H
#define PV_TESTS_PROBE_WORLD_H

/* Calls world_leaf() n times, through a static function. */
void world_calls(int n);
int world_leaf(int x);

/* Each calls a static function named `twin` of its own file n times. */
void world_twins(int n);
void world_other_twins(int n);

/* n calls that end by longjmp(), from the same place; then one more call. */
void world_jumps(int n);

/* A jump over three calls into the first; then a call from there. n times. */
void world_deep_jumps(int n);

/* Recursion of this depth. */
int world_recursion(int depth);

/* Calls through functions that the compiler has put into their callers. */
int world_inlined(int n);

/* The depth at which this is called is left by a jump from a signal handler's own stack. */
void world_jump_from_handler(int n);

#endif
