/* SPDX-License-Identifier: MIT */
/*
 * Every question that panes and reports ask of a model, by name. A view takes the model's lock
 * while copying; the caller must not hold the lock. Any thread may ask. Returned tables and series
 * are the caller's, outlive any change of the model, and are NULL when out of memory only.
 *
 * A view reads the fields of pv_query for its question and ignores all others:
 *     all                    sort, invert, filter, limit, inner, readable, groups
 *     methods and the like   window_ns, from_ns and to_ns, bucketed, net, waits, my_code, group,
 *                            split, in_by with in, hide_internal
 *     trees                  open, opens, open_all; about one row: select (its row id); SHOT_DIFF: base
 *     HEAP_DIFF              identity, matched_by_class
 *     HEAP_*                 heap, set, sets; STREAM: page; PROCESSES: processes, select
 * All pointers of a query are borrowed for the call. Times: ns since the recording's zero.
 */
#ifndef PV_QUERY_VIEWS_H
#define PV_QUERY_VIEWS_H

#include "common/base/filter/filter.h"
#include "common/query/log_end.h"
#include "common/query/recorder.h"
#include "common/query/series.h"
#include "common/query/running.h"
#include "common/query/table.h"
#include "common/query/view_row.h"

struct pv_identity;
struct pv_heap;
struct pv_heap_set;
struct pv_event_page;
struct pv_processes;
struct pv_source_wish;
struct pv_groups_cache;
struct pv_model;
/* Attributes by which rows of methods and classes can be grouped or split. */
/* clang-format off */
enum pv_by { PV_BY_NAME, PV_BY_NAMESPACE, PV_BY_CLASS, PV_BY_IMAGE, PV_BY_ASSEMBLY, PV_BY_DOMAIN,
	PV_BY_CONTEXT, PV_BY_COUNT };
/* clang-format on */
const char *pv_by_name(enum pv_by by); /* a literal */
/* "namespace", "image" ...; false for other words. */
bool pv_by_of(const char *text, size_t len, enum pv_by *ret);

enum pv_counted { PV_COUNTED_ALL, PV_COUNTED_CALLS, PV_COUNTED_SAMPLES };
/* A named set of heap objects: all that the filter lets through. */
struct pv_named_set {
	const char *name, *filter; /* borrowed; a valid filter for PV_VIEW_HEAP_OBJECTS */
};

struct pv_query {
	struct pv_groups_cache *groups; /* the caller's; NULL: nothing is kept for the next query */
	const char *sort;               /* column id; NULL = the view's own order */
	bool invert;                    /* of the column's natural direction */
	const char *filter;             /* base/filter.h: rows wanted; NULL or "": all */
	enum pv_filter_way filter_way;  /* how `filter` is read */
	size_t limit;                   /* 0 = all rows */
	uint64_t window_ns;     /* 0 = since the start, else figures of the rolling window only */
	int64_t from_ns, to_ns; /* since zero; with `bucketed`: from time buckets, the rest pends */
	bool bucketed, pools;   /* pools: THREADS of a name, FINDINGS that are fine */
	bool inner; /* one of very many, within another view's row: without coverage line */
	uint64_t select, base; /* row ids, for views that use them; SHOT_DIFF: the base shot */
	const struct pv_identity *
		identity; /* HEAP_DIFF and others, FLAME of what is alive; of this model; borrowed */
	bool matched_by_class; /* HEAP_DIFF: pairs objects of a class by number, not identity */
	const struct pv_heap *heap;      /* HEAP_*: of the shot; NULL: empty tables */
	const struct pv_heap_set *set;   /* HEAP_*: only these objects; NULL: as `select` says */
	const struct pv_named_set *sets; /* HEAP_SETS: the rows */
	size_t sets_n;
	const struct pv_event_page *page;     /* STREAM: the rows; NULL: none */
	const struct pv_processes *processes; /* PROCESSES: the rows; NULL: none */
	bool together;                        /* likewise, rows to choose all of them by */
	const struct pv_source_wish *source;  /* SOURCE_LINES: the file; NULL: the hottest file */
	const uint64_t *only, *open; /* sorted ids: the only rows wanted, 0 = any; unfolded rows */
	size_t onlys, opens;
	bool open_all; /* trees: everything is unfolded (reports) */
	bool net;      /* METHODS and the like: times without the cost of the probe */
	bool waits;    /* likewise: waiting time counts, too, not only running time (lanes.h) */
	bool readable; /* cells get readable names, too (pv_cell_shown()) */
	enum pv_counted counted; /* likewise: only these figures, and rows with some */
	double least; /* likewise: percent; rows with less are only counted (pv_table.hidden) */
	bool callers; /* CALL_TREE: from the nodes with figures to their callers */
	bool physical; /* likewise: callers as they were recorded, async methods below what they awaited */
	bool my_code; /* METHODS and the like: only the user's code (code_kind.h), the rest folded */
	bool hide_internal; /* leave out the profiler's own threads */
	enum pv_by group;   /* a row for each of these; PV_BY_NAME: for each name */
	enum pv_by split;   /* rows of one name are split by this; PV_BY_NAME: not split */
	enum pv_by in_by;   /* with `in`: the attribute to match */
	const char *in;     /* case-insensitive substring; NULL: all rows */
};

/* NULL when out of memory only. Rows that do not exist give an empty table. */
struct pv_table *pv_view_table(struct pv_model *m, enum pv_view view, const struct pv_query *q);

/* The columns of a view, a constant, without running the view. */
const struct pv_column *pv_view_columns(enum pv_view view, size_t *ret_n);

/* `from_ns` >= `to_ns` means the whole recording. NULL when out of memory. */
struct pv_series *pv_view_series(struct pv_model *m, enum pv_series_kind kind, uint64_t id,
	int64_t from_ns, int64_t to_ns, size_t cells);

/* The first page: program, duration, highlights. Plain values, one lock. */
struct pv_summary {
	uint64_t generation;
	char format[24];  /* "mlpd 17", "logging 2007 B" */
	char runtime[64]; /* "x86-64 linux" */
	char args[200];   /* header args, cut */
	uint32_t pid, port;
	int64_t duration_ns; /* latest event minus zero */
	uint64_t start_time_ms, events, buffers, damaged, damaged_bytes, lost_events, dropped;
	double sample_weight; /* average weight of a sample */
	uint64_t calls, samples, allocations, allocated_bytes, thrown, contentions, wait_ns;
	uint64_t collections[3], pause_ns, pause_max_ns, pauses, moved_objects, recordings;
	bool logging2007, pauses_recorded; /* stages of 2007 do not record pauses */
	uint64_t heap_bytes, heap_max_bytes;
	uint64_t shots, shot_objects, shot_bytes; /* of the newest finished shot */
	uint32_t shot;                            /* number of the shot */
	bool shot_open;                           /* a further shot is being read */
	uint64_t threads, threads_ended;          /* of the program, */
	uint64_t threads_profiler;                /* and of the profiler */
	uint64_t methods_jitted, code_bytes, classes;
	unsigned recorded, enabled; /* enum pv_group: seen in the events; asked for by its args */
	enum pv_recorder recorder;
	enum pv_log_end end;       /* how far the end is known */
	uint32_t pair_ns;          /* ns to trace a call, as measured by the probe; 0: not known */
	bool joined, written;      /* the beginning was missed, the end is still being written */
	bool works;                /* the log says for which requests threads worked */
	struct pv_running running; /* processors kept busy */
};

/* clang-format off */
enum pv_group { PV_GROUP_CALLS = 1, PV_GROUP_ALLOC = 2, PV_GROUP_GC = 4, PV_GROUP_SAMPLES = 8,
	PV_GROUP_SHOTS = 16, PV_GROUP_EXCEPTIONS = 32, PV_GROUP_LOCKS = 64, PV_GROUP_COUNTERS = 128,
	PV_GROUP_JIT = 256, PV_GROUP_MOVES = 512, PV_GROUP_HANDLES = 1024, PV_GROUP_ROOTS = 2048,
	PV_GROUP_FINALIZERS = 4096, PV_GROUP_CODE_COVERAGE = 8192, PV_GROUP_THREADS = 16384,
	PV_GROUP_IMAGES = 1 << 15, PV_GROUP_ASSEMBLIES = 1 << 16, PV_GROUP_DOMAINS = 1 << 17,
	PV_GROUP_CONTEXTS = 1 << 18, PV_GROUP_LOADS = 1 << 19,
	PV_GROUP_MARKS = 1 << 23, PV_GROUP_NATIVE = 1 << 24,
	PV_GROUP_LINES = 1 << 25, PV_GROUP_STOPS = 1 << 26, PV_GROUP_BODIES = 1 << 27,
	PV_GROUP_TRANSITIONS = 1 << 28, PV_GROUP_SURVIVED = 1 << 29, PV_GROUP_SPANS = 1 << 30,
	/* of PV_GROUP_JIT: code, or (2007) durations; of PV_GROUP_GC: not in the first stages */
	PV_GROUP_CODE = 1 << 20, PV_GROUP_JIT_TIMES = 1 << 21, PV_GROUP_PAUSES = 1 << 22 };
#define PV_GROUP_HELD (1u << 31) /* likewise: too large for the enum */
/* clang-format on */
void pv_view_summary(struct pv_model *m, struct pv_summary *ret); /* takes the model's lock */

/* Changes whenever a view's answer may have changed; any thread. */
uint64_t pv_view_generation(struct pv_model *m);
/* Another for each model of this process, though it lie where one lay before; NULL: 0; any thread. */
uint64_t pv_view_model(const struct pv_model *m);

#endif
