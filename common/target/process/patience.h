/* SPDX-License-Identifier: MIT */
/* Waiting for a peer that may never answer. Any thread. */
#ifndef PV_TARGET_PATIENCE_H
#define PV_TARGET_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds on the monotonic clock. */
int64_t pv_patience_now_ms(void);

/*
 * Waits until the descriptor has one of poll()'s `events` (or an error, for the next call to
 * return), at most to `end_ms`. False with errno, ETIMEDOUT when the time is over.
 */
bool pv_patience_wait(int fd, short events, int64_t end_ms);

#endif
