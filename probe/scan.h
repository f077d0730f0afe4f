/* Reads what a thread has published, to learn the running state behind it and the methods used. */
#ifndef PV_PROBE_SCAN_H
#define PV_PROBE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct pv_batch;

struct pvp_scan {
	uint64_t time, method; /* in: before the first event; out: behind the last */
	struct pv_batch *scratch; /* for events that are not hot; kept by the caller */
	uint64_t until;        /* stops before the first later event, 0: never */
	const uint8_t *behind; /* out: the last event read */
	uint64_t events;       /* added to */
	void (*use)(void *ctx, uint64_t method); /* for each method named; neighbours once */
	void *ctx;
};

/* False when the bytes are not what emit.h writes (memory was overwritten). */
bool pvp_scan(struct pvp_scan *s, const uint8_t *at, const uint8_t *end);

#endif
