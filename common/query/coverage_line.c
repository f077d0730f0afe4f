/* Under every table: what its figures rest on. */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/units.h"
#include "common/model/model.h"
#include "common/query/coverage.h"
#include "common/query/log_end.h"
#include "common/query/specs.h"

#define BIT(what) (1u << PV_WHAT_##what)

/* The coverage of a view's figures. Losses and damage concern all views. */
static const unsigned concerns[PV_VIEW_COUNT] = {
	[PV_VIEW_METHODS] = BIT(CALLS) | BIT(SAMPLES) | BIT(NAMES),
	[PV_VIEW_CALLERS] = BIT(CALLS) | BIT(SAMPLES) | BIT(NAMES),
	[PV_VIEW_CALLEES] = BIT(CALLS) | BIT(SAMPLES) | BIT(NAMES),
	[PV_VIEW_CALL_TREE] = BIT(CALLS) | BIT(SAMPLES) | BIT(NAMES),
	[PV_VIEW_CODE_KINDS] = BIT(CALLS) | BIT(SAMPLES) | BIT(NAMES),
	[PV_VIEW_FLAME] = BIT(CALLS) | BIT(SAMPLES) | BIT(ALLOCATIONS) | BIT(ALLOCATION_STACKS) |
			  BIT(LOCKS) | BIT(EXCEPTIONS) | BIT(NAMES),
	[PV_VIEW_CLASSES] = BIT(ALLOCATIONS) | BIT(NAMES),
	[PV_VIEW_CLASS_STACKS] = BIT(ALLOCATIONS) | BIT(ALLOCATION_STACKS) | BIT(NAMES),
	[PV_VIEW_HELD] = BIT(ALLOCATIONS) | BIT(ALLOCATION_STACKS) | BIT(NAMES),
	[PV_VIEW_ALLOCATION_SITES] = BIT(ALLOCATIONS) | BIT(ALLOCATION_STACKS) | BIT(NAMES),
	[PV_VIEW_COLLECTIONS] = BIT(GC) | BIT(ALLOCATIONS) | BIT(MOVES),
	[PV_VIEW_PAUSES] = BIT(GC),
	[PV_VIEW_GENERATIONS] = BIT(GC),
	[PV_VIEW_PAUSE_SPREAD] = BIT(GC),
	[PV_VIEW_SURVIVAL] = BIT(ALLOCATIONS) | BIT(HEAP_SHOTS) | BIT(NAMES),
	[PV_VIEW_ALLOCATION_SIZES] = BIT(ALLOCATIONS),
	[PV_VIEW_GC_CAUSE] = BIT(GC) | BIT(ALLOCATIONS) | BIT(MOVES),
	[PV_VIEW_HANDLES] = BIT(HANDLES),
	[PV_VIEW_HANDLE_SITES] = BIT(HANDLES) | BIT(NAMES),
	[PV_VIEW_FINALIZERS] = BIT(FINALIZERS) | BIT(NAMES),
	[PV_VIEW_ROOTS] = BIT(ROOTS),
	[PV_VIEW_ROOT_AREAS] = BIT(ROOTS) | BIT(NAMES),
	[PV_VIEW_SHOTS] = BIT(HEAP_SHOTS) | BIT(ROOTS),
	[PV_VIEW_SHOT_CLASSES] = BIT(HEAP_SHOTS) | BIT(NAMES),
	[PV_VIEW_SHOT_DIFF] = BIT(HEAP_SHOTS) | BIT(NAMES),
	[PV_VIEW_EXCEPTIONS] = BIT(EXCEPTIONS) | BIT(NAMES),
	[PV_VIEW_THROW_SITES] = BIT(EXCEPTIONS) | BIT(NAMES),
	[PV_VIEW_CLAUSES] = BIT(EXCEPTIONS),
	[PV_VIEW_CLAUSE_METHODS] = BIT(EXCEPTIONS) | BIT(NAMES),
	[PV_VIEW_CATCHES] = BIT(EXCEPTIONS) | BIT(NAMES),
	[PV_VIEW_LOCKS] = BIT(LOCKS) | BIT(MOVES) | BIT(NAMES),
	[PV_VIEW_WAIT_SITES] = BIT(LOCKS) | BIT(NAMES),
	[PV_VIEW_LOCK_WAITS] = BIT(LOCKS) | BIT(NAMES),
	[PV_VIEW_LOCK_SITES] = BIT(LOCKS) | BIT(NAMES),
	[PV_VIEW_LOCK_EDGES] = BIT(LOCKS) | BIT(NAMES),
	[PV_VIEW_LOCK_CYCLES] = BIT(LOCKS),
	[PV_VIEW_POOL] = BIT(COUNTERS),
	[PV_VIEW_POOL_CHANGES] = BIT(COUNTERS),
	[PV_VIEW_THREADS] = BIT(THREADS) | BIT(CALLS) | BIT(SAMPLES) | BIT(ALLOCATIONS),
	[PV_VIEW_TIMELINE] = BIT(SAMPLES) | BIT(THREADS) | BIT(GC),
	[PV_VIEW_JIT_METHODS] = BIT(JIT),
	[PV_VIEW_JIT_HELPERS] = BIT(JIT),
	[PV_VIEW_LOADS] = 0,
	[PV_VIEW_STREAM] = 0,
	[PV_VIEW_STOPS] = BIT(SUSPENSIONS),
	[PV_VIEW_BODIES] = BIT(NAMES),
	[PV_VIEW_TRANSITIONS] = BIT(TRANSITIONS) | BIT(NAMES),
	[PV_VIEW_SURVIVED] = BIT(GC),
	[PV_VIEW_SPANS] = BIT(SPANS) | BIT(NAMES),
	[PV_VIEW_ROUTES] = BIT(SPANS) | BIT(NAMES),
	[PV_VIEW_SAMPLE_STATES] = BIT(SAMPLES),
	[PV_VIEW_SAMPLE_LINES] = BIT(SAMPLES) | BIT(NAMES),
	[PV_VIEW_IMAGES] = BIT(NAMES),
	[PV_VIEW_ASSEMBLIES] = BIT(NAMES),
	[PV_VIEW_DOMAINS] = BIT(NAMES),
	[PV_VIEW_CONTEXTS] = BIT(NAMES),
	[PV_VIEW_COUNTERS] = BIT(COUNTERS),
	[PV_VIEW_COUNTER_SAMPLES] = BIT(COUNTERS),
	[PV_VIEW_EVENTS] = 0,
	[PV_VIEW_COVERAGE] = 0,
	[PV_VIEW_CODE_COVERAGE] = BIT(CODE_COVERAGE),
	[PV_VIEW_CODE_COVERAGE_LINES] = BIT(CODE_COVERAGE),
	[PV_VIEW_COVERAGE_ASSEMBLIES] = BIT(CODE_COVERAGE),
	[PV_VIEW_COVERAGE_CLASSES] = BIT(CODE_COVERAGE),
	[PV_VIEW_COVERAGE_TREE] = BIT(CODE_COVERAGE),
	[PV_VIEW_SOURCE] = BIT(NAMES),
	[PV_VIEW_LOADED] = BIT(NAMES),
	[PV_VIEW_NATIVE] = BIT(SAMPLES),
	[PV_VIEW_MARKS] = BIT(MARKS),
	[PV_VIEW_PROCESSES] = 0,
	[PV_VIEW_DAMAGE] = 0,
};

bool pv_coverage_names(enum pv_view view)
{
	return concerns[view] & BIT(NAMES) || view == PV_VIEW_COVERAGE;
}

static void append(char *buf, size_t size, const char *text)
{
	size_t at = strlen(buf);
	snprintf(buf + at, size - at, "%s%s", at ? "; " : "", text);
}

static void append_entry(const struct pv_model *m, struct pv_groups_cache *groups,
	enum pv_what what, char *buf, size_t size)
{
	struct pv_coverage c;
	char text[420];
	pv_coverage_of(m, groups, what, &c);
	pv_coverage_end(m, what, &c);
	bool quiet = what >= PV_WHAT_NAMES;
	if (quiet && c.state == PV_COMPLETE)
		return;
	if (c.state == PV_COMPLETE)
		snprintf(text, sizeof text, "%s: %s", pv_what_text(what), c.detail);
	else
		snprintf(text, sizeof text, "%s %s%s%s", pv_what_text(what),
			pv_coverage_text(c.state), c.detail[0] ? ": " : "", c.detail);
	append(buf, size, text);
}

/* Lists of events that are no figures of another view: whether there were any, and whether all are kept. */
static void append_list(const struct pv_model *m, enum pv_view view, char *buf, size_t size)
{
	static const unsigned group[PV_VIEW_COUNT] = { [PV_VIEW_LOADS] = PV_GROUP_LOADS,
		[PV_VIEW_BODIES] = PV_GROUP_BODIES,
		[PV_VIEW_SURVIVED] = PV_GROUP_SURVIVED,
		[PV_VIEW_SAMPLE_LINES] = PV_GROUP_LINES,
		[PV_VIEW_NATIVE] = PV_GROUP_NATIVE,
		[PV_VIEW_IMAGES] = PV_GROUP_IMAGES,
		[PV_VIEW_ASSEMBLIES] = PV_GROUP_ASSEMBLIES,
		[PV_VIEW_DOMAINS] = PV_GROUP_DOMAINS,
		[PV_VIEW_CONTEXTS] = PV_GROUP_CONTEXTS,
		[PV_VIEW_LOADED] = PV_GROUP_IMAGES | PV_GROUP_ASSEMBLIES | PV_GROUP_DOMAINS |
				   PV_GROUP_CONTEXTS };
	char text[100], digits[PV_UNIT_MAX];
	uint64_t left_out = 0;
	if (!group[view])
		return;
	if (!(pv_groups_recorded(m) & group[view])) {
		bool known = pv_groups_enabled(m) & group[view],
		     gaps = m->damaged || m->lost_events || pv_coverage_is_cut(m);
		snprintf(text, sizeof text, "%s%s%s", pv_view_name(view),
			!known ? " not recorded"
			: gaps ? " partial: none met in what there is"
			       : ": ",
			known && !gaps ? pv_coverage_none(m) : "");
		append(buf, size, text);
		return;
	}
	if (view == PV_VIEW_LOADS)
		left_out = m->loads.loads - m->loads.load.n;
	else if (view == PV_VIEW_BODIES)
		left_out = m->runtime.bodies - m->runtime.body.n;
	else if (view == PV_VIEW_SURVIVED)
		left_out = m->runtime.survivals - m->runtime.survived.n;
	else if (view == PV_VIEW_NATIVE)
		left_out = m->notes.symbols + m->notes.binaries - m->notes.native.n;
	if (!left_out)
		return;
	snprintf(text, sizeof text, "%s partial: %s beyond the limit, not listed",
		pv_view_name(view), pv_units_exact(digits, sizeof digits, left_out));
	append(buf, size, text);
}

/* From where it is known who had a lock, and how many waits are listed. */
static void append_holders(const struct pv_model *m, char *buf, size_t size)
{
	const struct pv_locks *l = &m->locks;
	char text[160], digits[PV_UNIT_MAX], all[PV_UNIT_MAX];
	if (!l->contentions)
		return;
	if (l->holders_said == 0)
		snprintf(text, sizeof text,
			"the log does not say who has a lock: inferred from who had to wait for it");
	else
		snprintf(text, sizeof text, "the log says who had the lock at %s of %s waits",
			pv_units_exact(digits, sizeof digits, l->holders_said),
			pv_units_exact(all, sizeof all, l->contentions));
	append(buf, size, text);
	if (!l->waits.left_out)
		return;
	snprintf(text, sizeof text, "the longest %d waits, %s shorter ones not listed",
		PV_WAITS_KEPT, pv_units_exact(digits, sizeof digits, l->waits.left_out));
	append(buf, size, text);
}

void pv_coverage_line(const struct pv_model *m, struct pv_groups_cache *groups, enum pv_view view,
	char *buf, size_t size)
{
	unsigned bits = concerns[view] | BIT(LOSSES) | BIT(DAMAGE);
	buf[0] = 0;
	if (m->cut || m->gone) {
		pv_coverage_cut_text(m, buf, size); /* first: it concerns every figure */
		bits &= m->damaged ? bits : ~BIT(DAMAGE);
	}
	if (view == PV_VIEW_ROUTES && m->counters.routes)
		bits = (m->runtime.spans ? bits : bits & ~BIT(SPANS)) | BIT(COUNTERS);
	if (view == PV_VIEW_EVENTS) {
		unsigned kinds = 0;
		for (size_t i = 0; i < PV_KIND_COUNT; i++)
			kinds += m->kinds[i] > 0;
		char met[40];
		snprintf(met, sizeof met, "%u kinds of events met", kinds);
		append(buf, size, met);
	}
	append_list(m, view, buf, size);
	if (view == PV_VIEW_POOL)
		append(buf, size,
			"of the counters those of a thread pool; .NET's own stream has them");
	if (view == PV_VIEW_LOCK_WAITS || view == PV_VIEW_LOCK_SITES ||
		view == PV_VIEW_LOCK_EDGES || view == PV_VIEW_LOCK_CYCLES)
		append_holders(m, buf, size);
	for (unsigned what = 0; what < PV_WHATS; what++)
		if (bits >> what & 1)
			append_entry(m, groups, (enum pv_what)what, buf, size);
	if (!buf[0])
		snprintf(buf, size,
			pv_model_log_end(m) == PV_LOG_UNKNOWN ? "complete as far as it goes"
							      : "complete");
}
