/* SPDX-License-Identifier: MIT */
/* Names of native functions as their sources have them. */
#ifndef PV_BASE_DEMANGLE_H
#define PV_BASE_DEMANGLE_H

#include <stddef.h>

/*
 * Writes a name with its symbol of C++ or Rust (at the beginning, or after a space) in plain form:
 * "_ZN1a1bEv+0x10" is "a::b()+0x10", "_RNvC1a1b" is "a::b". The hash at the end of Rust's older
 * symbols is left out. Returns the length, without a NUL; 0: no symbol, no room, too slow, or built
 * without libiberty. libiberty's work may be a power of the name's length: names with more than a
 * few references (C++) or with lifetimes (Rust) get 20 ms of processor time each and 0.5 s in all
 * (cpu_limit.h). Any thread.
 */
size_t pv_demangle(const char *name, size_t len, char *to, size_t room);

#endif
