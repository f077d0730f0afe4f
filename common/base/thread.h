/* Small things that threads need. */
#ifndef PV_BASE_THREAD_H
#define PV_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Starts run(arg) on a thread that takes no signals and whose stack has a stated size: frames of
 * libdw take 152 KiB, and what a thread gets unasked is a matter of `ulimit -s` and of the C library
 * (128 KiB with musl). False: it could not be started.
 */
bool pv_thread_start(pthread_t *ret, void *(*run)(void *), void *arg);

/*
 * The calling thread gives way: the screen's thread and the program that is watched go first
 * where there is less processor than work. It cannot be taken back.
 */
void pv_thread_give_way(void);

/*
 * The calling thread has short things to do, at once: it asks for short turns, which come sooner.
 * Threads that it starts do not. Kernels before 6.12 do not know that, and nothing changes.
 */
void pv_thread_answer_soon(void);

#endif
