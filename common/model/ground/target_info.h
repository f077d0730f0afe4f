/* SPDX-License-Identifier: MIT */
/* The profiled process, from the log's header. Part of the model: read under its lock. */
#ifndef PV_MODEL_TARGET_INFO_H
#define PV_MODEL_TARGET_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct pv_target_info { /* in the model, text is interned in names.text */
	bool logging2007;
	const char
		*text; /* of another family: "perf script", "folded stacks", "nettrace"; or NULL */
	bool promises_end;   /* complete logs have a farewell */
	const char *stage;   /* of a 2007 log, a constant: "draft", "A" ... "D"; else NULL */
	uint64_t event_mask; /* of a 2007 log from stage A on: bits of enum pv_mask07 */
	uint8_t data_version, header_major, header_minor, pointer_size;
	uint8_t rules; /* data version whose rules the events follow; 0: data_version's */
	uint64_t start_time_ms, startup_ns;
	uint32_t timer_overhead_ns, pid;
	uint16_t port;
	const char *args, *arch, *os;
	const char *command; /* of the process, its words with a blank between; "" not known */
	bool joined;         /* the stream's beginning was missed */
};

/* True if the runtime samples all threads, whatever they do, as .NET's own event stream does. */
static inline bool pv_target_is_event_stream(const struct pv_target_info *t)
{
	return t->text && strcmp(t->text, "nettrace") == 0;
}

/* Recorded by our own program, of native code: from within, or from outside of the process. */
static inline bool pv_target_is_native(const struct pv_target_info *t)
{
	static const char within[] = "profview:native", outside[] = "profview:outside";
	return t->args && (strncmp(t->args, within, sizeof within - 1) == 0 ||
				  strncmp(t->args, outside, sizeof outside - 1) == 0);
}

/* A text of `perf script`: native code, of the files named there. */
static inline bool pv_target_is_perf_text(const struct pv_target_info *t)
{
	return t->text && strcmp(t->text, "perf script") == 0;
}

#endif
