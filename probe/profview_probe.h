/* SPDX-License-Identifier: MIT */
/*
 * profview's probe: writes what a program does into a log, which profview follows while it grows.
 *
 * The probe never harms its host: no call here prints, exits, aborts or waits for a reader, except
 * where stated. Every call may come from any thread at any time, before start and after stop too
 * (without effect then), but not from a signal handler, unless stated. Calls that fail return an
 * errno value, 0 is success.
 *
 * With PROFVIEW_OFF defined every call is an empty inline function. With PROFVIEW_WEAK the
 * functions are weak: a program that may run without the library asks `if (profview_start)` once
 * and leaves the calls out if NULL.
 */
#ifndef PROFVIEW_PROBE_H
#define PROFVIEW_PROBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function's address, or a value from profview_region(). 0 is nothing: calls are ignored. */
typedef uint64_t profview_method;

/* A value from profview_class(); 0 is nothing, as above. */
typedef uint32_t profview_class_id;

/* A named value that the log follows. NULL is nothing. Lives as long as the process. */
struct profview_counter;

/* clang-format off */
enum profview_unit { PROFVIEW_RAW, PROFVIEW_BYTES, PROFVIEW_TIME_100NS, PROFVIEW_COUNT,
	PROFVIEW_PERCENT };

#ifdef PROFVIEW_OFF
#define PROFVIEW_CALL(type, call, result) \
	static inline type call { return result; }
#define PROFVIEW_DO(call) static inline void call { }
#elif defined(PROFVIEW_WEAK)
#define PROFVIEW_CALL(type, call, result) __attribute__((weak)) type call;
#define PROFVIEW_DO(call) __attribute__((weak)) void call;
/* clang-format on */
#else
#define PROFVIEW_CALL(type, call, result) type call;
#define PROFVIEW_DO(call)                 void call;
#endif
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

/*
 * Starts recording. `options` is "key=value,key,..." or NULL for the defaults; the last of a key
 * counts, and values hold no comma:
 *   output=PATH   a file, made anew, or a named pipe, whose reader may come later, leave and come
 *                 back; #N: an open descriptor; |COMMAND: run by the shell, reads the log.
 *                 %p is the pid, %t the time, +PATH is PATH.pid. Default: output.mlpd. After exec()
 *                 the process's next image writes PATH-2 (12-2.mlpd after 12.mlpd), then PATH-3
 *   zip           gzip, readable at any moment
 *   maxsize=SIZE  the log's most; recording ends there, and the log says so (counter "log full")
 *   ring=SIZE     the newest SIZE / 2 to SIZE of the log, names besides, in two files, each a log:
 *                 PATH, and the older PATH.1 (cat PATH.1 PATH | profview -)
 *   calls=on|off  function calls; default on
 *   alloc=on|off  profview_alloc(); default on
 *   marks=on|off  profview_mark(); default off, because stock mprof-report stops at a mark
 *   malloc[=SIZE] all blocks of malloc, new and their kin, or a sample each SIZE bytes on average
 *                 (alloc=SIZE is the same); class=site: by caller, not by size; maxframes=N: with
 *                 stacks, by frame pointers; free: frees too, at which stock mprof-report stops
 *   heapshot      blocks alive are followed, shots by the control socket; =2000ms: a shot each
 *                 so many ms; heapshot-on-shutdown
 *   sample[=HZ]   each thread's stack, by its processor time (100; at most at the system's
 *                 ticks, mostly 250 a second; waiting threads are never interrupted)
 *   program=PATH  nothing is recorded, and ECANCELED returned, where another file runs
 *   buffer=SIZE   memory for events not yet written, suffix k, m or g; default 64m, least 256k
 *   block=yes     the program waits when this memory is full, as long as somebody reads (a full
 *                 disk ends the waiting, too); else whole pieces are dropped and counted
 *   linger=MS     how long stop, exit and flush wait for a stuck reader (500)
 * EINVAL: an unknown key, a bad value. EALREADY: recording already. EBUSY: another process
 * writes to the output. ENOMEM, EAGAIN: no memory, no thread. Else open()'s error for the file.
 */
PROFVIEW_CALL(int, profview_start(const char *options), 0)

/*
 * Writes out what was recorded, then closes the log. The end of the process does so too. Waits
 * while the reader keeps taking, at most linger ms for a stuck reader, and 10 s + linger in all.
 * ETIMEDOUT: some was left unwritten. EALREADY: not recording. Start may be called again, with
 * another output.
 */
PROFVIEW_CALL(int, profview_stop(void), 0)

/*
 * Waits until everything recorded before the call is written (not synced to the disk). Without
 * this call events are written within 100 ms. ETIMEDOUT: not within linger ms. EALREADY: not
 * recording.
 */
PROFVIEW_CALL(int, profview_flush(void), 0)

/*
 * Calls: the thread enters and leaves a function. Each enter needs a leave. May be called from
 * signal handlers; a call that interrupts the probe itself is not recorded but counted as lost.
 */
PROFVIEW_DO(profview_enter(profview_method method))
PROFVIEW_DO(profview_leave(profview_method method))

/*
 * A method for a part of the code of this name; the same name gives the same method. Keep the
 * value. 0: out of memory, or more than 60,000 names.
 */
PROFVIEW_CALL(profview_method, profview_region(const char *name), 0)

/* A class of objects, alike; at most 1,000,000 names. */
PROFVIEW_CALL(profview_class_id, profview_class(const char *name), 0)

/* An object of `bytes` bytes was made at `object` (its low three bits are not kept). */
PROFVIEW_DO(profview_alloc(profview_class_id type, const void *object, size_t bytes))

/* A text at this moment of this thread; at most 1,000 bytes are kept. Needs marks=on. */
PROFVIEW_DO(profview_mark(const char *text))

/* Names the calling thread; 63 bytes are kept. Without this call the system's name is taken. */
PROFVIEW_DO(profview_thread_name(const char *name))

/*
 * A counter, found by name or made; the first call decides the unit. The log takes the value
 * every 100 ms, if changed. NULL: out of memory, or more than 1,024 counters.
 */
PROFVIEW_CALL(struct profview_counter *,
	profview_counter(const char *name, enum profview_unit unit), NULL)
PROFVIEW_DO(profview_counter_set(struct profview_counter *counter, int64_t value))
PROFVIEW_DO(profview_counter_add(struct profview_counter *counter, int64_t value))

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#undef PROFVIEW_CALL
#undef PROFVIEW_DO

#ifdef __cplusplus
}
#endif

#endif
