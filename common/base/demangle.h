/* Names of native functions as their sources have them. */
#ifndef PV_BASE_DEMANGLE_H
#define PV_BASE_DEMANGLE_H

#include <stddef.h>

/*
 * A name in which a symbol of C++ or Rust stands, at its beginning or after a space, with that put
 * plain: "_ZN1a1bEv+0x10" is "a::b()+0x10", "_RNvC1a1b" is "a::b". The hash that Rust's older
 * symbols end with is left out. Returns the length written, without a NUL; 0: there is none in
 * it, it does not fit, it takes too long, or this was built without libiberty, which can tell.
 * libiberty's work may be a power of the name's length: names with more than a few references are
 * given 20 ms of processor time each and 0.5 s in all (cpu_limit.h). Any thread.
 */
size_t pv_demangle(const char *name, size_t len, char *to, size_t room);

#endif
