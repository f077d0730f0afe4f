/* Waiting for a peer that may never answer. Any thread. */
#ifndef PV_TARGET_PATIENCE_H
#define PV_TARGET_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds on the monotonic clock. */
int64_t pv_patience_now_ms(void);

/*
 * Until the descriptor has one of poll()'s `events` (or an error, which the next call on it
 * returns), at most to `end_ms`. False with errno, ETIMEDOUT when the time is over.
 */
bool pv_patience_wait(int fd, short events, int64_t end_ms);

#endif
