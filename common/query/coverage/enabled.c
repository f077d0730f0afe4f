/* SPDX-License-Identifier: MIT */
/* Groups of events that a log's header asks for, and groups met in the events. */
#include <string.h>

#include "common/model/names/place_lines.h"
#include "common/base/status.h"
#include "common/model/time/counters.h"
#include "common/model/ground/request_times.h"
#include "common/model/model.h"
#include "common/model/calls/threads.h"
#include "common/query/groups/specs.h"

/* Events switched on by an option of the profiler (formats.md 1.12, and our probes' options). */
struct option {
	const char *word;
	unsigned groups;
};

#define ALIAS_LEGACY                                                                               \
	(PV_GROUP_EXCEPTIONS | PV_GROUP_LOCKS | PV_GROUP_GC | PV_GROUP_MOVES | PV_GROUP_ROOTS |    \
		PV_GROUP_HANDLES | PV_GROUP_FINALIZERS | PV_GROUP_COUNTERS)

static const struct option options[] = {
	{ "alloc=", PV_GROUP_ALLOC }, /* some of them */
	{ "alloc", PV_GROUP_ALLOC | PV_GROUP_GC | PV_GROUP_MOVES },
	{ "blocks", PV_GROUP_SHOTS }, /* of a native program */
	{ "calls", PV_GROUP_CALLS },
	{ "calltree", PV_GROUP_CALLS },
	{ "counter", PV_GROUP_COUNTERS },
	{ "counters", PV_GROUP_COUNTERS },
	{ "coverage", PV_GROUP_CODE_COVERAGE },
	{ "exception", PV_GROUP_EXCEPTIONS },
	{ "finalization", PV_GROUP_FINALIZERS },
	{ "gc", PV_GROUP_GC },
	{ "gcalloc", PV_GROUP_ALLOC },
	{ "gchandle", PV_GROUP_HANDLES },
	{ "gcmove", PV_GROUP_MOVES },
	{ "gcroot", PV_GROUP_ROOTS },
	{ "heapshot", PV_GROUP_SHOTS | PV_GROUP_GC | PV_GROUP_ROOTS },
	{ "heapshot-on-shutdown", PV_GROUP_SHOTS | PV_GROUP_GC | PV_GROUP_ROOTS },
	{ "held", PV_GROUP_HELD },
	{ "jit", PV_GROUP_JIT },
	{ "legacy", ALIAS_LEGACY },
	{ "lines", PV_GROUP_LINES },
	{ "marks", PV_GROUP_MARKS },
	{ "monitor", PV_GROUP_LOCKS },
	{ "pages", PV_GROUP_ALLOC }, /* of a process watched from outside */
	{ "reported-allocations", PV_GROUP_ALLOC },
	{ "sample", PV_GROUP_SAMPLES },
	{ "sample-real", PV_GROUP_SAMPLES },
	{ "spans", PV_GROUP_SPANS },
	{ "suspend", PV_GROUP_STOPS },
	{ "transitions", PV_GROUP_TRANSITIONS },
};

static unsigned groups_of(const char *word, size_t len)
{
	for (size_t i = 0; i < PV_COUNT_OF(options); i++)
		if (strlen(options[i].word) == len && memcmp(options[i].word, word, len) == 0)
			return options[i].groups;
	return 0;
}

/* "heapshot=ondemand" counts as heapshot; "nogc" undoes a gc before. */
static unsigned apply_option(unsigned groups, const char *word, size_t len)
{
	unsigned on = groups_of(word, len);
	if (on)
		return groups | on;
	if (len > 2 && memcmp(word, "no", 2) == 0)
		groups &= ~groups_of(word + 2, len - 2);
	return groups;
}

/*
 * Groups in the event mask of a 2007 log. Compiling and loads of classes do not count: both are in
 * the mask but written only with an option of their own. Locks are written from stage D on.
 */
static unsigned groups_of_mask(const struct pv_model *m)
{
	static const struct {
		uint64_t bit;
		unsigned groups;
	} bits[] = { { PV_MASK07_DOMAINS, PV_GROUP_DOMAINS },
		{ PV_MASK07_ASSEMBLIES, PV_GROUP_ASSEMBLIES },
		{ PV_MASK07_MODULES, PV_GROUP_IMAGES },
		{ PV_MASK07_EXCEPTIONS, PV_GROUP_EXCEPTIONS },
		{ PV_MASK07_ALLOCATIONS, PV_GROUP_ALLOC }, { PV_MASK07_GC, PV_GROUP_GC },
		{ PV_MASK07_THREADS, PV_GROUP_THREADS }, { PV_MASK07_CALLS, PV_GROUP_CALLS },
		{ PV_MASK07_SAMPLES, PV_GROUP_SAMPLES }, { PV_MASK07_MONITORS, PV_GROUP_LOCKS } };
	unsigned groups = 0;
	for (size_t i = 0; i < PV_COUNT_OF(bits); i++)
		if (m->target.event_mask & bits[i].bit)
			groups |= bits[i].groups;
	return pv_stage_at_least(m, 'D') ? groups : groups & ~(unsigned)PV_GROUP_LOCKS;
}

static unsigned groups_of_words(const struct pv_model *m)
{
	const char *args = m->target.args ? m->target.args : "";
	bool stock = strncmp(args, "log:", 4) == 0;
	bool ours = strncmp(args, "profview:", 9) == 0;
	if (!stock && !ours)
		return 0; /* a bare "log" switches nothing on */
	const char *at = strchr(args, ':') + 1;
	bool defaults = stock && m->target.data_version >= 14 &&
			(strncmp(at, "nodefaults", 10) != 0 || (at[10] && at[10] != ','));
	unsigned groups = defaults ? PV_GROUP_EXCEPTIONS | PV_GROUP_COUNTERS : 0;
	bool shots = false;
	while (*at) {
		size_t len = strcspn(at, ","), word = strcspn(at, "=,");
		bool sampled = len > word + 1 && strncmp(at, "alloc=", word + 1) == 0;
		word += sampled;
		groups = apply_option(groups, at, word);
		shots |= word >= 8 && memcmp(at, "heapshot", 8) == 0;
		at += len + (at[len] == ',');
	}
	if (strncmp(args, "profview:native", 15) == 0) /* native shots are of blocks */
		groups &= ~(unsigned)(PV_GROUP_GC | PV_GROUP_ROOTS);
	return groups | (shots && defaults ? PV_GROUP_MOVES : 0);
}

/* Of what a whole log has, chosen requests may have none. */
unsigned pv_groups_enabled(const struct pv_model *m)
{
	const unsigned whole = m->only.requests ? m->only.requests->recorded : 0;
	return whole | (m->target.logging2007 ? groups_of_mask(m) : groups_of_words(m));
}

struct evidence {
	unsigned group;
	uint8_t first, last; /* kinds, in the order of the vocabulary */
};

static const struct evidence evidence[] = {
	{ PV_GROUP_ALLOC, PV_KIND_ALLOC, PV_KIND_ALLOC },
	{ PV_GROUP_HELD, PV_KIND_EXT_HELD, PV_KIND_EXT_HELD_ALL },
	{ PV_GROUP_CALLS, PV_KIND_METHOD_ENTER, PV_KIND_METHOD_EXC_LEAVE },
	{ PV_GROUP_CALLS, PV_KIND_EXT_TREE_CALL, PV_KIND_EXT_TREE_CALL },
	{ PV_GROUP_JIT, PV_KIND_METHOD_JIT, PV_KIND_METHOD_JIT },
	{ PV_GROUP_JIT, PV_KIND_JIT_HELPER, PV_KIND_JIT_HELPER },
	{ PV_GROUP_GC, PV_KIND_GC_EVENT, PV_KIND_GC_RESIZE },
	{ PV_GROUP_MOVES, PV_KIND_GC_MOVE, PV_KIND_GC_MOVE },
	{ PV_GROUP_HANDLES, PV_KIND_GC_HANDLE_CREATED, PV_KIND_GC_HANDLE_DESTROYED },
	{ PV_GROUP_FINALIZERS, PV_KIND_GC_FINALIZE_START, PV_KIND_GC_FINALIZE_OBJECT_END },
	{ PV_GROUP_IMAGES, PV_KIND_IMAGE_LOAD, PV_KIND_IMAGE_UNLOAD },
	{ PV_GROUP_ASSEMBLIES, PV_KIND_ASSEMBLY_LOAD, PV_KIND_ASSEMBLY_UNLOAD },
	{ PV_GROUP_DOMAINS, PV_KIND_DOMAIN_LOAD, PV_KIND_DOMAIN_NAME },
	{ PV_GROUP_CONTEXTS, PV_KIND_CONTEXT_LOAD, PV_KIND_CONTEXT_UNLOAD },
	{ PV_GROUP_EXCEPTIONS, PV_KIND_EXCEPTION_THROW, PV_KIND_EXCEPTION_CLAUSE },
	{ PV_GROUP_LOCKS, PV_KIND_MONITOR_CONTENTION, PV_KIND_MONITOR_FAIL },
	{ PV_GROUP_SHOTS, PV_KIND_HEAP_START, PV_KIND_HEAP_OBJECT },
	{ PV_GROUP_ROOTS, PV_KIND_HEAP_ROOTS, PV_KIND_HEAP_ROOT_UNREGISTER },
	{ PV_GROUP_SAMPLES, PV_KIND_SAMPLE_HIT, PV_KIND_SAMPLE_HIT },
	{ PV_GROUP_SAMPLES, PV_KIND_EXT_WAITED, PV_KIND_EXT_WAITED },
	{ PV_GROUP_NATIVE, PV_KIND_SAMPLE_SYMBOL, PV_KIND_SAMPLE_BINARY },
	{ PV_GROUP_MARKS, PV_KIND_EXT_MARK, PV_KIND_EXT_MARK },
	{ PV_GROUP_COUNTERS, PV_KIND_COUNTERS_DESCRIBE, PV_KIND_COUNTERS_SAMPLE },
	{ PV_GROUP_CODE_COVERAGE, PV_KIND_COVERAGE_ASSEMBLY, PV_KIND_COVERAGE_STATEMENT },
	{ PV_GROUP_CODE_COVERAGE, PV_KIND_EXT_COVERED_ASSEMBLY, PV_KIND_EXT_COVERED_CLASS },
	{ PV_GROUP_LINES, PV_KIND_EXT_LINES, PV_KIND_EXT_IL_MAP },
	{ PV_GROUP_STOPS, PV_KIND_EXT_SUSPENSION, PV_KIND_EXT_SUSPENSION },
	{ PV_GROUP_BODIES, PV_KIND_EXT_BODY, PV_KIND_EXT_CODE_GONE },
	{ PV_GROUP_TRANSITIONS, PV_KIND_EXT_TRANSITION, PV_KIND_EXT_TRANSITION },
	{ PV_GROUP_SURVIVED, PV_KIND_EXT_SURVIVED, PV_KIND_EXT_SURVIVED },
	{ PV_GROUP_SPANS, PV_KIND_EXT_SPAN, PV_KIND_EXT_SPAN },
	{ PV_GROUP_THREADS, PV_KIND_THREAD_START, PV_KIND_THREAD_NAME },
};

unsigned pv_groups_recorded(const struct pv_model *m)
{
	unsigned groups = m->threads.thread.n > 1 ? PV_GROUP_THREADS : 0;
	groups |= m->loads.loads ? PV_GROUP_LOADS : 0;
	groups |= m->loads.compiles ? PV_GROUP_JIT_TIMES : 0;
	bool lined = m->lines.table.n > 0 || m->lines.il.map.n > 0 || pv_place_lines_any(m);
	groups |= m->places.samples && lined ? PV_GROUP_LINES : 0;
	groups |= m->counters.routes ? PV_GROUP_SPANS : 0;
	for (size_t i = 0; i < PV_COUNT_OF(evidence); i++)
		for (unsigned k = evidence[i].first; k <= evidence[i].last; k++)
			if (m->kinds[k])
				groups |= evidence[i].group;
	return groups;
}

/* Calls are always enabled in a native program, but few programs are compiled to have some. */
static unsigned without_calls(const struct pv_model *m)
{
	const char *args = m->target.args ? m->target.args : "";
	return strncmp(args, "profview:native", 15) == 0 ? PV_GROUP_CALLS : 0;
}

unsigned pv_groups_known(const struct pv_model *m)
{
	unsigned enabled = pv_groups_enabled(m) & ~without_calls(m);
	unsigned groups = pv_groups_recorded(m) | enabled;
	if (groups & PV_GROUP_JIT)
		groups |= m->target.logging2007 ? PV_GROUP_JIT_TIMES : PV_GROUP_CODE;
	if (groups & PV_GROUP_GC && (!m->target.logging2007 || pv_stage_at_least(m, 'B')))
		groups |= PV_GROUP_PAUSES;
	return groups;
}
