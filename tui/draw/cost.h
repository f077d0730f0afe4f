/* SPDX-License-Identifier: MIT */
/*
 * Cost of recording to the program: the difference of two readings of the probe's own statistics.
 * Pure.
 */
#ifndef UI_COST_H
#define UI_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ui_cost_kind {
	UI_COST_CALLS,
	UI_COST_ALLOC,
	UI_COST_GC,
	UI_COST_EXCEPTION,
	UI_COST_MONITOR,
	UI_COST_SAMPLE,
	UI_COST_HEAPSHOT,
	UI_COST_COUNTER,
	UI_COST_NAMES,
	UI_COST_OTHER,
	UI_COST_KINDS
};

/* Names in the probe's options and answers. */
extern const char *const ui_cost_names[UI_COST_KINDS];

/* An answer to "stats". */
struct ui_stats {
	uint64_t ms, lag_ms, lost, written, call_ns, cpu_us, writer_cpu_us;
	uint64_t events[UI_COST_KINDS], bytes[UI_COST_KINDS];
	bool paused, off[UI_COST_KINDS];
};

struct ui_cost {
	bool known, paused;
	uint64_t lag_ms, lost;  /* now; of the whole session */
	uint64_t bytes_per_s;   /* into the log */
	double slower, outside; /* percent of the processor time that the program would need without
				 * a probe: on the program's threads; on the probe's own */
	size_t n;               /* kinds with events, dearest first: */
	struct ui_cost_row {
		enum ui_cost_kind kind;
		uint64_t events_per_s, bytes_per_s;
		double slower;
	} row[UI_COST_KINDS];
};

/* False: this is no such answer. */
bool ui_stats_parse(const char *answer, struct ui_stats *ret);

/*
 * `after` is a later answer of the same session. Calls cost what the probe measured at its start;
 * other kinds are not measured one by one, and get an estimate per event.
 */
void ui_cost_between(
	const struct ui_stats *before, const struct ui_stats *after, struct ui_cost *ret);

/* The dearest kind at present that can be turned off; UI_COST_KINDS: none. */
enum ui_cost_kind ui_cost_dearest_now(const struct ui_cost *c);

/*
 * The dearest kind of the whole session that can be turned off and is still on; UI_COST_KINDS:
 * none.
 */
enum ui_cost_kind ui_cost_dearest(const struct ui_stats *s);

#endif
