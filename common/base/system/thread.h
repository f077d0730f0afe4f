/* SPDX-License-Identifier: MIT */
/* Small tools for threads. */
#ifndef PV_BASE_THREAD_H
#define PV_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * Starts run(arg) on a thread without signals and with a stack of stated size: frames of libdw take
 * 152 KiB, while the default depends on `ulimit -s` and the C library (128 KiB with musl). False:
 * could not be started.
 */
bool pv_thread_start(pthread_t *ret, void *(*run)(void *), void *arg);

/*
 * Calls `run` at once, or, with a small stack (`ulimit -s`), on a thread with enough stack and with
 * the caller's signals. Returns the value of `run`. For main().
 */
int pv_thread_main(int (*run)(int argc, char *argv[]), int argc, char *argv[]);

/*
 * The calling thread yields: the screen's thread and the watched program go first when there is
 * more work than processor. Cannot be undone.
 */
void pv_thread_give_way(void);

/*
 * The calling thread has short tasks to do at once: it asks for short time slices, which come
 * sooner. Threads started by it do not. Kernels before 6.12 ignore the wish.
 */
void pv_thread_answer_soon(void);

#endif
