#include "common/report/report_sections.h"
#include "common/base/utf8.h"

#include <stdio.h>
#include <string.h>

const struct pv_section pv_sections[] = {
	{ .name = "coverage",
		.title = "What the log can say",
		.view = PV_VIEW_COVERAGE,
		.keys = { "what", "state", "detail" },
		.flags = PV_SECTION_FACT },
	{ .name = "findings",
		.title = "What is wrong",
		.view = PV_VIEW_FINDINGS,
		.keys = { "finding", "score", "verdict", "text", "subject", "view", "advice" },
		.flags = PV_SECTION_EXTRA | PV_SECTION_FACT },
	{ .name = "events",
		.title = "Events",
		.view = PV_VIEW_EVENTS,
		.keys = { "name", "count" } },
	{ .name = "methods",
		.title = "Methods",
		.view = PV_VIEW_METHODS,
		.keys = { "name", "calls", "total_ns", "self_ns", "max_ns", "exceptional_leaves",
			"samples_self", "samples_total", "cpu_user_ns", "cpu_kernel_ns", "kind" },
		.group = PV_GROUP_CALLS | PV_GROUP_SAMPLES },
	{ .name = "callers",
		.title = "Callers of the method",
		.view = PV_VIEW_CALLERS,
		.keys = { "name", "calls", "total_ns", "samples" },
		.group = PV_GROUP_CALLS | PV_GROUP_SAMPLES,
		.flags = PV_SECTION_EXTRA | PV_SECTION_METHOD },
	{ .name = "callees",
		.title = "Callees of the method",
		.view = PV_VIEW_CALLEES,
		.keys = { "name", "calls", "total_ns", "samples" },
		.group = PV_GROUP_CALLS | PV_GROUP_SAMPLES,
		.flags = PV_SECTION_EXTRA | PV_SECTION_METHOD },
	{ .name = "call_tree",
		.title = "Call tree",
		.view = PV_VIEW_CALL_TREE,
		.keys = { "method", "calls", "total_ns", "self_ns", "max_ns", "samples", "kind" },
		.group = PV_GROUP_CALLS | PV_GROUP_SAMPLES,
		.flags = PV_SECTION_EXTRA },
	{ .name = "flame",
		.title = "Flame",
		.view = PV_VIEW_FLAME,
		.keys = { "frame", "weight", "weight_self", "unit", "kind" },
		.group = PV_GROUP_CALLS | PV_GROUP_SAMPLES | PV_GROUP_ALLOC | PV_GROUP_LOCKS |
			 PV_GROUP_EXCEPTIONS,
		.flags = PV_SECTION_EXTRA },
	{ .name = "classes",
		.title = "Allocations by class",
		.view = PV_VIEW_CLASSES,
		.keys = { "name", "allocations", "allocated_bytes", "estimated", "error_bytes" },
		.group = PV_GROUP_ALLOC },
	{ .name = "held",
		.title = "Memory held, by allocation stack",
		.view = PV_VIEW_HELD,
		.keys = { "stack", "held_bytes", "held_blocks", "most_bytes",
			"growth_bytes_per_minute", "allocated_bytes", "allocations", "temporary" },
		.group = PV_GROUP_HELD },
	{ .name = "allocation_sites",
		.title = "Allocation sites",
		.view = PV_VIEW_ALLOCATION_SITES,
		.keys = { "class", "stack", "allocations", "allocated_bytes" },
		.group = PV_GROUP_ALLOC,
		.flags = PV_SECTION_EXTRA },
	{ .name = "throw_sites",
		.title = "Throw sites",
		.view = PV_VIEW_THROW_SITES,
		.keys = { "class", "stack", "thrown" },
		.group = PV_GROUP_EXCEPTIONS,
		.flags = PV_SECTION_EXTRA },
	{ .name = "wait_sites",
		.title = "Wait sites",
		.view = PV_VIEW_WAIT_SITES,
		.keys = { "class", "stack", "contentions", "wait_ns" },
		.group = PV_GROUP_LOCKS,
		.flags = PV_SECTION_EXTRA },
	{ .name = "gc.collections",
		.title = "Collections",
		.view = PV_VIEW_COLLECTIONS,
		.keys = { "generation", "start_ns", "duration_ns", "pause_ns", "concurrent",
			"heap_before", "heap_after", "allocated_since_last", "mark_ns", "sweep_ns",
			"number", "to_stop_ns", "moved_objects", "promoted_bytes", "reason" },
		.group = PV_GROUP_GC },
	{ .name = "gc.pauses",
		.title = "Pauses: how long the world was stopped",
		.view = PV_VIEW_PAUSES,
		.keys = { "start_ns", "duration_ns" },
		.group = PV_GROUP_PAUSES },
	{ .name = "gc.generations",
		.title = "Generations: how long collections lasted, start to end",
		.view = PV_VIEW_GENERATIONS,
		.keys = { "generation", "count", "total_ns", "max_ns" },
		.group = PV_GROUP_GC },
	{ .name = "gc.percentiles",
		.title = "Pauses by how long they were",
		.view = PV_VIEW_PAUSE_SPREAD,
		.keys = { "what", "count", "total_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns",
			"exact" },
		.group = PV_GROUP_PAUSES },
	{ .name = "gc_cause",
		.title = "The collection with the longest pause",
		.view = PV_VIEW_GC_CAUSE,
		.keys = { "what", "detail", "value", "unit", "known" },
		.group = PV_GROUP_GC,
		.flags = PV_SECTION_EXTRA },
	{ .name = "handles",
		.title = "GC handles",
		.view = PV_VIEW_HANDLES,
		.keys = { "type", "live", "most_live", "created", "destroyed" },
		.group = PV_GROUP_HANDLES },
	{ .name = "handle_sites",
		.title = "GC handles by who made them",
		.view = PV_VIEW_HANDLE_SITES,
		.keys = { "type", "class", "stack", "created", "live" },
		.group = PV_GROUP_HANDLES,
		.flags = PV_SECTION_EXTRA },
	{ .name = "finalizers",
		.title = "Finalized objects by class",
		.view = PV_VIEW_FINALIZERS,
		.keys = { "class", "objects", "total_ns", "max_ns" },
		.group = PV_GROUP_FINALIZERS },
	{ .name = "roots",
		.title = "Roots by source",
		.view = PV_VIEW_ROOTS,
		.keys = { "source", "roots", "roots_total", "areas", "area_bytes", "registered",
			"unregistered", "pinning", "weak", "interior" },
		.group = PV_GROUP_ROOTS },
	{ .name = "root_areas",
		.title = "Areas of roots",
		.view = PV_VIEW_ROOT_AREAS,
		.keys = { "name", "source", "start", "bytes", "key", "owner", "registered_ns",
			"unregistered_ns", "roots", "roots_total" },
		.group = PV_GROUP_ROOTS,
		.flags = PV_SECTION_EXTRA },
	{ .name = "heap_shots",
		.title = "Heap shots",
		.view = PV_VIEW_SHOTS,
		.keys = { "index", "time_ns", "objects", "bytes", "references", "roots",
			"dead_objects", "dead_bytes", "collection", "state" },
		.group = PV_GROUP_SHOTS },
	{ .name = "heap_shots.classes",
		.title = "Heap shot by class",
		.view = PV_VIEW_SHOT_CLASSES,
		.keys = { "name", "objects", "bytes", "dead_objects", "dead_bytes", "young_objects",
			"young_bytes" },
		.group = PV_GROUP_SHOTS },
	{ .name = "heap_classes",
		.title = "Heap shot by class, with what they keep",
		.view = PV_VIEW_HEAP_CLASSES,
		.keys = { "name", "objects", "bytes", "retained_bytes" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH },
	{ .name = "heap_objects",
		.title = "Objects of the heap shot",
		.view = PV_VIEW_HEAP_OBJECTS,
		.keys = { "address", "class", "bytes", "retained_bytes", "dominator", "text",
			"length" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH },
	{ .name = "heap_path",
		.title = "From the object to a root",
		.view = PV_VIEW_HEAP_PATH,
		.keys = { "address", "class", "offset", "field", "root", "area", "owner", "slot",
			"text", "length" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH | PV_SECTION_OBJECT },
	{ .name = "heap_references",
		.title = "What the object refers to",
		.view = PV_VIEW_HEAP_REFERENCES,
		.keys = { "offset", "address", "class", "bytes", "retained_bytes", "own",
			"preview" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH | PV_SECTION_OBJECT },
	{ .name = "heap_referrers",
		.title = "What refers to the object",
		.view = PV_VIEW_HEAP_REFERRERS,
		.keys = { "offset", "address", "class", "bytes", "retained_bytes", "own",
			"preview" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH | PV_SECTION_OBJECT },
	{ .name = "heap_dominators",
		.title = "What the object keeps alive, without one only roots do",
		.view = PV_VIEW_HEAP_KEPT,
		.keys = { "address", "class", "field", "bytes", "retained_bytes", "keeps",
			"preview" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH | PV_SECTION_CHOICE },
	{ .name = "heap_keepers",
		.title = "What roots keep alive in the heap shot",
		.view = PV_VIEW_HEAP_KEEPERS,
		.keys = { "name", "retained_bytes", "share_percent", "shared_bytes", "holds",
			"objects", "most_class", "most_objects", "most_bytes" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH },
	{ .name = "heap_duplicates",
		.title = "Strings of the heap shot that say the same",
		.view = PV_VIEW_HEAP_DUPLICATES,
		.keys = { "text", "count", "bytes", "wasted_bytes", "share_percent", "length" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH },
	{ .name = "heap_awaits",
		.title = "Async methods that wait in the heap shot",
		.view = PV_VIEW_HEAP_AWAITS,
		.keys = { "name", "objects", "chains", "ends", "bytes" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH },
	{ .name = "heap_merged_paths",
		.title = "Paths from roots to the class, merged",
		.view = PV_VIEW_HEAP_MERGED,
		.keys = { "name", "bytes", "through", "objects", "ends" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH | PV_SECTION_CLASS },
	{ .name = "heap_sets",
		.title = "Sets of objects",
		.view = PV_VIEW_HEAP_SETS,
		.keys = { "set", "objects", "bytes", "retained_objects", "retained_bytes" },
		.flags = PV_SECTION_EXTRA | PV_SECTION_GRAPH | PV_SECTION_SETS },
	{ .name = "heap_diff",
		.title = "Objects new, dead and the same between two heap shots",
		.view = PV_VIEW_HEAP_DIFF,
		.keys = { "name", "new_objects", "new_bytes", "died_objects", "died_bytes",
			"survived_objects", "survived_bytes", "objects_change", "bytes_change",
			"uncertain_objects", "age_collections" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_IDENTITY },
	{ .name = "heap_diff_sites",
		.title = "The same by where they were born",
		.view = PV_VIEW_HEAP_DIFF_SITES,
		.keys = { "class", "stack", "new_objects", "new_bytes", "died_objects",
			"died_bytes", "survived_objects", "survived_bytes", "uncertain_objects",
			"age_collections" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_IDENTITY },
	{ .name = "heap_diff_threads",
		.title = "The same by the thread that made them",
		.view = PV_VIEW_HEAP_DIFF_THREADS,
		.keys = { "name", "new_objects", "new_bytes", "died_objects", "died_bytes",
			"survived_objects", "survived_bytes", "uncertain_objects",
			"age_collections" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_IDENTITY },
	{ .name = "heap_ladder",
		.title = "Classes whose young do not die",
		.view = PV_VIEW_HEAP_LADDER,
		.keys = { "name", "score", "shape", "objects", "bytes", "bytes_growth",
			"young_survival_percent", "alive_bytes" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_IDENTITY },
	{ .name = "heap_cohorts",
		.title = "Who was born between two shots, and is alive at each",
		.view = PV_VIEW_HEAP_COHORTS,
		.keys = { "class", "born_after", "born_before", "born_objects", "born_bytes",
			"objects", "bytes", "survivors" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_IDENTITY },
	{ .name = "heap_births",
		.title = "Where objects that are alive at the last shot were born",
		.view = PV_VIEW_HEAP_COHORT_SITES,
		.keys = { "class", "stack", "objects", "bytes" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_IDENTITY | PV_SECTION_CHOICE },
	{ .name = "heap_flame",
		.title = "Bytes alive at the heap shot, by the stacks that allocated them",
		.view = PV_VIEW_FLAME,
		.keys = { "frame", "weight", "weight_self", "unit", "kind" },
		.group = PV_GROUP_SHOTS,
		.flags = PV_SECTION_EXTRA | PV_SECTION_IDENTITY | PV_SECTION_SINGLE },
	{ .name = "exceptions.clauses",
		.title = "Exception clauses",
		.view = PV_VIEW_CLAUSES,
		.keys = { "name", "count" },
		.group = PV_GROUP_EXCEPTIONS,
		.flags = PV_SECTION_FACT },
	{ .name = "exceptions.clause_methods",
		.title = "Exception clauses by method",
		.view = PV_VIEW_CLAUSE_METHODS,
		.keys = { "method", "count", "catch", "filter", "finally", "fault", "other" },
		.group = PV_GROUP_EXCEPTIONS },
	{ .name = "exceptions.classes",
		.title = "Exceptions by class",
		.view = PV_VIEW_EXCEPTIONS,
		.keys = { "name", "thrown", "message" },
		.group = PV_GROUP_EXCEPTIONS },
	{ .name = "locks.objects",
		.title = "Locks",
		.view = PV_VIEW_LOCKS,
		.keys = { "object", "class", "contentions", "wait_ns", "max_wait_ns" },
		.group = PV_GROUP_LOCKS },
	{ .name = "samples", .title = "Samples", .view = PV_VIEW_COUNT, .group = PV_GROUP_SAMPLES },
	{ .name = "code_kinds",
		.title = "Time by whose code it is",
		.view = PV_VIEW_CODE_KINDS,
		.keys = { "kind", "self_ns", "samples_self" },
		.group = PV_GROUP_CALLS | PV_GROUP_SAMPLES,
		.flags = PV_SECTION_EXTRA },
	{ .name = "samples.states",
		.title = "What threads did at samples",
		.view = PV_VIEW_SAMPLE_STATES,
		.keys = { "state", "samples", "known" },
		.group = PV_GROUP_SAMPLES },
	{ .name = "threads",
		.title = "Threads",
		.view = PV_VIEW_THREADS,
		.keys = { "id", "name", "start_ns", "end_ns", "events", "allocated_bytes",
			"owner" },
		.group = PV_GROUP_THREADS },
	{ .name = "timeline",
		.title = "Timeline of threads",
		.view = PV_VIEW_TIMELINE,
		.keys = { "id", "name", "samples", "running", "runnable", "lock", "poll", "io",
			"sleep", "stopped", "unknown", "gc", "from_ns", "cell_ns", "lane" },
		.group = PV_GROUP_SAMPLES,
		.flags = PV_SECTION_EXTRA },
	{ .name = "jit.methods",
		.title = "Compiled methods",
		.view = PV_VIEW_JIT_METHODS,
		.keys = { "name", "count", "code_bytes", "code", "time_ns", "jit_ns", "max_ns",
			"failed" },
		.group = PV_GROUP_JIT },
	{ .name = "jit.helpers",
		.title = "Compiled helpers",
		.view = PV_VIEW_JIT_HELPERS,
		.keys = { "name", "of", "count", "bytes" },
		.group = PV_GROUP_JIT },
	{ .name = "native",
		.title = "Native symbols and binaries",
		.view = PV_VIEW_NATIVE,
		.keys = { "kind", "name", "address", "size", "file_offset", "time_ns" },
		.group = PV_GROUP_NATIVE },
	{ .name = "marks",
		.title = "Marks",
		.view = PV_VIEW_MARKS,
		.keys = { "time_ns", "thread", "text" },
		.group = PV_GROUP_MARKS },
	{ .name = "sample_lines",
		.title = "Samples by source line",
		.view = PV_VIEW_SAMPLE_LINES,
		.keys = { "method", "file", "line", "samples" },
		.group = PV_GROUP_LINES },
	{ .name = "loads",
		.title = "Loads and unloads",
		.view = PV_VIEW_LOADS,
		.keys = { "time_ns", "took_ns", "what", "unload", "failed", "name" },
		.group = PV_GROUP_LOADS },
	{ .name = "jit.bodies",
		.title = "Bodies of methods",
		.view = PV_VIEW_BODIES,
		.keys = { "method", "tier", "version", "code", "bytes", "time_ns" },
		.group = PV_GROUP_BODIES },
	{ .name = "gc.survived",
		.title = "What collections left",
		.view = PV_VIEW_SURVIVED,
		.keys = { "time_ns", "generation", "survived_bytes", "ranges", "moved_bytes",
			"moved_ranges" },
		.group = PV_GROUP_SURVIVED },
	{ .name = "suspensions",
		.title = "Stops of all threads by reason",
		.view = PV_VIEW_STOPS,
		.keys = { "reason", "count", "stopped_ns", "max_ns", "wait_ns", "wait_max_ns",
			"failed" },
		.group = PV_GROUP_STOPS },
	{ .name = "transitions",
		.title = "Calls between managed and native code",
		.view = PV_VIEW_TRANSITIONS,
		.keys = { "method", "native_calls", "native_ns", "native_max_ns", "managed_calls",
			"managed_ns", "managed_max_ns" },
		.group = PV_GROUP_TRANSITIONS },
	{ .name = "spans",
		.title = "Spans",
		.view = PV_VIEW_SPANS,
		.keys = { "start_ns", "took_ns", "what", "name", "thread", "failed", "stack" },
		.group = PV_GROUP_SPANS },
	{ .name = "routes",
		.title = "Requests by route",
		.view = PV_VIEW_ROUTES,
		.keys = { "name", "count", "errors", "mean_ns", "p50_ns", "p95_ns", "p99_ns" },
		.group = PV_GROUP_SPANS },
	{ .name = "images",
		.title = "Images",
		.view = PV_VIEW_IMAGES,
		.keys = { "id", "name", "load_ns", "unload_ns", "load_took_ns", "failed", "mvid" },
		.group = PV_GROUP_IMAGES },
	{ .name = "assemblies",
		.title = "Assemblies",
		.view = PV_VIEW_ASSEMBLIES,
		.keys = { "id", "name", "load_ns", "unload_ns", "load_took_ns", "failed", "of" },
		.group = PV_GROUP_ASSEMBLIES },
	{ .name = "domains",
		.title = "Domains",
		.view = PV_VIEW_DOMAINS,
		.keys = { "id", "name", "load_ns", "unload_ns", "load_took_ns", "failed" },
		.group = PV_GROUP_DOMAINS },
	{ .name = "contexts",
		.title = "Contexts",
		.view = PV_VIEW_CONTEXTS,
		.keys = { "id", "name", "load_ns", "unload_ns", "failed", "of" },
		.group = PV_GROUP_CONTEXTS },
	{ .name = "counters",
		.title = "Counters",
		.view = PV_VIEW_COUNTERS,
		.keys = { "section", "name", "type", "unit", "variance" },
		.group = PV_GROUP_COUNTERS },
	{ .name = "counters.samples",
		.title = "Counter samples",
		.view = PV_VIEW_COUNTER_SAMPLES,
		.keys = { "time_ns", "value" },
		.group = PV_GROUP_COUNTERS,
		.flags = PV_SECTION_CSV },
	{ .name = "code_coverage",
		.title = "Code coverage",
		.view = PV_VIEW_CODE_COVERAGE,
		.keys = { "assembly", "class", "method", "signature", "file", "statements",
			"covered", "token" },
		.group = PV_GROUP_CODE_COVERAGE },
	{ .name = "code_coverage.lines",
		.title = "Statements",
		.view = PV_VIEW_CODE_COVERAGE_LINES,
		.keys = { "il", "hits", "line", "column" },
		.group = PV_GROUP_CODE_COVERAGE,
		.flags = PV_SECTION_CSV },
	{ .name = "coverage_assemblies",
		.title = "Code coverage by assembly",
		.view = PV_VIEW_COVERAGE_ASSEMBLIES,
		.keys = { "assembly", "guid", "file", "methods", "full", "partial" },
		.group = PV_GROUP_CODE_COVERAGE },
	{ .name = "coverage_classes",
		.title = "Code coverage by class",
		.view = PV_VIEW_COVERAGE_CLASSES,
		.keys = { "assembly", "class", "methods", "full", "partial" },
		.group = PV_GROUP_CODE_COVERAGE },
	{ .name = "processes",
		.title = "Processes",
		.view = PV_VIEW_PROCESSES,
		.keys = { "pid", "ppid", "image", "program", "exe", "command", "host", "state",
			"log", "reason", "cpu_ns", "tree_cpu_ns", "start_ns", "end_ns", "exit_code",
			"signal", "events", "lost", "memory_bytes" },
		.flags = PV_SECTION_EXTRA | PV_SECTION_FOLDER },
	{ .name = "source.header",
		.title = "The log itself",
		.view = PV_VIEW_SOURCE,
		.keys = { "name", "value" },
		.flags = PV_SECTION_FACT | PV_SECTION_EXTRA },
	{ .name = "source.damage",
		.title = "Damage",
		.view = PV_VIEW_DAMAGE,
		.keys = { "offset", "bytes", "reason" },
		.flags = PV_SECTION_FACT },
};

const size_t pv_section_count = PV_COUNT_OF(pv_sections);

_Static_assert(PV_COUNT_OF(pv_sections) <= PV_SECTIONS_MAX, "chosen sections are bits");

size_t pv_section_set_size(const struct pv_section_set *s, size_t *ret_last)
{
	size_t n = 0;
	for (size_t i = 0; i < pv_section_count; i++) {
		if (!pv_section_in(s, i))
			continue;
		*ret_last = i;
		n++;
	}
	return n;
}

/* Parts of the report that come first whatever is asked for. */
static const char *const heads[] = { "source", "target", "duration_ns" };

const struct pv_section *pv_section_find(const char *name)
{
	for (size_t i = 0; i < pv_section_count; i++)
		if (strcmp(pv_sections[i].name, name) == 0)
			return &pv_sections[i];
	return NULL;
}

bool pv_report_match_of(const char *text, enum pv_report_match *ret)
{
	static const char *const word[] = { [PV_REPORT_IDENTITY] = "identity",
		[PV_REPORT_ADDRESS] = "address",
		[PV_REPORT_CLASS] = "class" };
	for (size_t i = 0; i < PV_COUNT_OF(word); i++) {
		if (strcmp(text, word[i]) == 0) {
			*ret = (enum pv_report_match)i;
			return true;
		}
	}
	return false;
}

static bool one_list(const struct pv_report_options *o)
{
	return o->format == PV_REPORT_CSV || o->format == PV_REPORT_MARKDOWN;
}

static bool is_word(const char *name, const char *word, size_t len)
{
	return strncmp(name, word, len) == 0 && name[len] == 0;
}

/* "gc" stands for every "gc.x"; in a format of one list a name is that list only. */
static bool matches(
	const struct pv_report_options *o, const struct pv_section *s, const char *word, size_t len)
{
	if (is_word(s->name, word, len))
		return true;
	return !one_list(o) && !(s->flags & PV_SECTION_CSV) && strncmp(s->name, word, len) == 0 &&
	       s->name[len] == '.';
}

static bool is_head(const char *word, size_t len)
{
	for (size_t i = 0; i < PV_COUNT_OF(heads); i++)
		if (is_word(heads[i], word, len))
			return true;
	return false;
}

/* Lists the sections whose names hold `word`, all for "", as far as there is room. */
static size_t list_sections(const char *word, size_t len, struct pv_error *ret)
{
	size_t n = 0;
	for (size_t i = 0; i < pv_section_count; i++) {
		const char *name = pv_sections[i].name;
		size_t at = strlen(ret->what), room = sizeof ret->what - at;
		if (!memmem(name, strlen(name), word, len))
			continue;
		n++;
		if (strlen(name) + sizeof " ..." >= room) {
			snprintf(ret->what + at, room, " ...");
			break;
		}
		snprintf(ret->what + at, room, " %s", name);
	}
	return n;
}

static bool unknown_section(const char *word, size_t len, struct pv_error *reterr)
{
	const char *shown = PV_FIT_LEN(word, len, 40);
	pv_fail(reterr, PV_EUSAGE, 0, "no section \"%s\"; there is:", shown);
	if (!reterr || (len && list_sections(word, len, reterr)))
		return false;
	pv_fail(reterr, PV_EUSAGE, 0, "no section \"%s\"; there are:", shown);
	list_sections("", 0, reterr);
	return false;
}

static bool add_word(const struct pv_report_options *o, const char *word, size_t len,
	struct pv_section_set *ret, struct pv_error *reterr)
{
	bool found = false;
	for (size_t i = 0; i < pv_section_count; i++) {
		bool all = is_word("all", word, len) &&
			   !(pv_sections[i].flags &
				   (PV_SECTION_CSV | PV_SECTION_GRAPH | PV_SECTION_IDENTITY |
					   PV_SECTION_FOLDER | PV_SECTION_METHOD));
		if (!all && !matches(o, &pv_sections[i], word, len))
			continue;
		pv_section_choose(ret, i);
		found = true;
	}
	return found || (is_head(word, len) && !one_list(o)) || unknown_section(word, len, reterr);
}

static void choose_usual(struct pv_section_set *ret)
{
	for (size_t i = 0; i < pv_section_count; i++)
		if (!(pv_sections[i].flags & (PV_SECTION_EXTRA | PV_SECTION_CSV)))
			pv_section_choose(ret, i);
}

static bool check_one_list(const struct pv_report_options *o, const struct pv_section_set *set,
	struct pv_error *reterr)
{
	size_t last;
	bool one = pv_section_set_size(set, &last) == 1;
	if (one && &pv_sections[last] == pv_section_find("samples"))
		return pv_fail(reterr, PV_EUSAGE, 0, "\"samples\" is no list");
	return one || !one_list(o) ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "this format takes exactly one list, for example "
		       "--section methods, --section gc.pauses");
}

bool pv_sections_chosen(
	const struct pv_report_options *o, struct pv_section_set *ret, struct pv_error *reterr)
{
	static const struct pv_section_set none = { { 0 } };
	const char *at = o->sections ? o->sections : "";
	*ret = none;
	if (!*at)
		choose_usual(ret);
	while (*at) {
		size_t len = strcspn(at, ",");
		if (len && !add_word(o, at, len, ret, reterr))
			return false;
		at += len + (at[len] == ',');
	}
	return !one_list(o) || check_one_list(o, o->sections ? ret : &none, reterr);
}
