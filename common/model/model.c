/* SPDX-License-Identifier: MIT */
/* Makes and frees a model; the header, the end and damage of its recording. */
#include "common/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/invariant.h"
#include "common/model/time/buckets_parts.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"
#include "common/model/ground/model_parts.h"
#include "common/model/names/inline_frames.h"
#include "common/model/names/il_lines.h"
#include "common/model/names/place_lines.h"
#include "common/model/names/symbols.h"
#include "common/model/skip.h"
#include "common/model/time/window_parts.h"

static bool init_stores(struct pv_model *m)
{
	return pv_names_init(&m->names) && pv_stacks_init(&m->stacks) && pv_calls_init(&m->calls) &&
	       pv_sites_init(&m->allocs.sites) && pv_gc_init(&m->gc) &&
	       pv_threads_init(&m->threads) && pv_locks_init(&m->locks) &&
	       pv_sites_init(&m->throws.sites) && pv_counters_init(&m->counters);
}

/* In this order: see listen.h. */
static const struct pv_object_listener *const on_objects[] = { &pv_locks_listener,
	&pv_handles_listener, &pv_exceptions_listener, NULL };
static const struct pv_stack_listener *const on_stacks[] = { &pv_handles_stacks,
	&pv_exceptions_stacks, &pv_held_stacks, &pv_waits_stacks, NULL };

static uint64_t models; /* atomic: made so far */

struct pv_model *pv_model_create(const struct pv_restrict *only)
{
	struct pv_model *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->id = __atomic_add_fetch(&models, 1, __ATOMIC_RELAXED);
	m->first_ns = m->last_ns = PV_NEVER;
	m->private = calloc(1, sizeof *m->private);
	m->window = pv_window_create();
	m->buckets = pv_buckets_create((int64_t)PV_WINDOW_CELL_MS * 1000000);
	if (m->private) {
		pthread_mutex_init(&m->private->lock, NULL);
		pthread_mutex_init(&m->private->next, NULL);
		m->private->on_objects = on_objects;
		m->private->on_stacks = on_stacks;
		m->private->on_shared_key = pv_calls_drop_key_lookup;
	}
	if (!m->private || !m->window || !m->buckets || !init_stores(m)) {
		pv_model_destroy(m);
		return NULL;
	}
	pv_handles_init(&m->handles);
	pv_lanes_init(&m->lanes);
	m->shots.cap = PV_SHOTS_ROWS;
	m->shots.list_cap = PV_SHOTS_LIST;
	m->target.args = m->target.arch = m->target.os = m->target.command = "";
	if (only)
		m->only = *only;
	m->private->timed = m->only.ranged || m->only.requests;
	if (m->private->timed || m->only.threaded)
		pv_window_off(m);
	return m;
}

void pv_model_destroy(struct pv_model *m)
{
	if (!m)
		return;
	pv_window_destroy(m->window);
	pv_buckets_destroy(m->buckets);
	pv_lanes_finish(&m->lanes);
	pv_array_finish(&m->sample_times.v);
	pv_names_finish(&m->names);
	pv_stacks_finish(&m->stacks);
	pv_calls_finish(&m->calls);
	pv_tree_sums_finish(&m->tree_sums);
	pv_array_finish(&m->allocs.class_use);
	pv_sites_finish(&m->allocs.sites);
	pv_gc_finish(&m->gc);
	pv_handles_finish(&m->handles);
	pv_finalizers_finish(&m->finalizers);
	pv_held_finish(&m->held);
	pv_roots_finish(&m->roots);
	pv_shots_finish(&m->shots);
	pv_threads_finish(&m->threads);
	pv_locks_finish(&m->locks);
	pv_exceptions_finish(&m->throws);
	pv_counters_finish(&m->counters);
	pv_helpers_finish(&m->helpers);
	pv_il_lines_free(m->lines.il.lines);
	pv_lines_finish(&m->lines);
	pv_places_finish(&m->places);
	pv_place_lines_free(m->private ? m->private->place_lines : NULL);
	pv_fields_finish(&m->fields);
	pv_loads_finish(&m->loads);
	pv_notes_finish(&m->notes);
	pv_runtime_finish(&m->runtime);
	pv_array_finish(&m->damage);
	if (m->private) {
		pthread_mutex_destroy(&m->private->lock);
		pthread_mutex_destroy(&m->private->next);
		pv_addresses_finish(&m->private->addresses);
		pv_waits_finish(&m->private->witnesses);
		pv_array_finish(&m->private->frame);
		pv_array_finish(&m->private->path);
		pv_symbols_destroy(m->private->symbols);
		pv_inline_frames_free(m->private->inlined);
		pv_segments_finish(&m->private->segments);
		pv_calls_fold_done(m);
		free(m->private);
	}
	free(m);
}

uint64_t pv_model_generation(const struct pv_model *m)
{
	return __atomic_load_n(&m->generation, __ATOMIC_ACQUIRE);
}

static void changed(struct pv_model *m)
{
	__atomic_add_fetch(&m->generation, 1, __ATOMIC_RELEASE);
}

/* --- calls of the ingest thread */

static bool intern(struct pv_model *m, const char *text, const char **ret)
{
	uint32_t id = 0;
	if (text && !pv_intern_add(&m->names.text, text, strlen(text), &id))
		return false;
	*ret = pv_intern_text(&m->names.text, id);
	return true;
}

void pv_model_rules(struct pv_model *m, uint8_t data_version)
{
	m->target.rules = data_version;
	m->names.classes_by_vtable = data_version >= 15 && !m->target.logging2007;
}

static unsigned digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* ",command=dotnet%20app.dll" in our probes' words: the value, or NULL. */
static const char *command_in(const char *args)
{
	static const char word[] = ",command=";
	const char *at = args && strncmp(args, "profview:", 9) == 0 ? strstr(args, word) : NULL;
	return at ? at + sizeof word - 1 : NULL;
}

/*
 * Moves the command line from the probe's words to its own field, so that a search for other words
 * does not find them there. False: out of memory.
 */
static bool take_command(struct pv_model *m, struct pv_target_info *t)
{
	enum { MOST = 1024 };
	static const char hex[] = "0123456789abcdef";
	char line[MOST], *to = line;
	const char *from = command_in(t->args), *end = from ? from + strcspn(from, ",") : NULL;
	if (!from)
		return true;
	for (const char *at = from; at < end && to + 1 < line + sizeof line; at++) {
		bool escaped =
			*at == '%' && end - at > 2 && strchr(hex, at[1]) && strchr(hex, at[2]);
		*to++ = escaped ? (char)(digit(at[1]) << 4 | digit(at[2])) : *at;
		at += escaped ? 2 : 0;
	}
	*to = 0;
	const size_t room = strlen(t->args) + 1;
	char *rest = malloc(room);
	if (!rest)
		return false;
	snprintf(rest, room, "%.*s%s", (int)(from - t->args) - (int)strlen(",command="), t->args,
		end);
	bool ok = intern(m, rest, &t->args) && intern(m, line, &t->command);
	free(rest);
	return ok;
}

bool pv_model_begin(struct pv_model *m, const struct pv_target_info *target)
{
	struct pv_target_info t = *target;
	if (!intern(m, target->args, &t.args) || !intern(m, target->arch, &t.arch) ||
		!intern(m, target->os, &t.os))
		return false;
	if (t.rules == 0)
		t.rules = t.data_version;
	if (!t.command)
		t.command = "";
	if (!take_command(m, &t))
		return false;
	m->target = t;
	m->allocs.period = pv_alloc_period(t.args);
	m->recordings++;
	m->ended = m->complete = false;
	bool ours = t.args && strncmp(t.args, "profview:", 9) == 0;
	m->ending = (struct pv_ending){ .promised = ours || t.promises_end || m->ending.promised };
	pv_model_rules(m, t.rules);
	if ((t.header_major >= 3 || t.logging2007) && t.startup_ns && !m->have_zero) {
		m->have_zero = true;
		m->zero_ns = (int64_t)t.startup_ns;
	}
	pv_threads_gap(m);
	changed(m);
	return true;
}

bool pv_model_process(struct pv_model *m, const char *command, const char *arch, const char *os)
{
	struct pv_target_info *t = &m->target;
	changed(m);
	return intern(m, command, &t->command) && intern(m, arch, &t->arch) &&
	       intern(m, os, &t->os);
}

bool pv_model_restart(struct pv_model *m)
{
	enum { BEGUN = 1 }; /* generation of a model that has only begun */
	if (!m->target.logging2007 || pv_model_generation(m) > BEGUN)
		return false;
	pv_model_lock(m);
	m->have_zero = false;
	m->zero_ns = 0;
	m->recordings = 0;
	m->ending = (struct pv_ending){ .promised = false };
	__atomic_store_n(&m->generation, 0, __ATOMIC_RELEASE);
	pv_model_unlock(m);
	return true;
}

void pv_model_damage(struct pv_model *m, uint64_t offset, uint64_t bytes, const char *reason)
{
	PV_INVARIANT(pv_segments_between_runs(&m->private->segments));
	pv_model_note_damage(m, offset, bytes, reason);
	pv_threads_gap(m);
	changed(m);
}

void pv_model_resume(struct pv_model *m)
{
	m->ended = m->complete = false;
	m->ending.quiet = m->ending.inside = m->ending.unsealed = false;
	changed(m);
}

void pv_model_number_thread(struct pv_model *m, uint64_t id, uint32_t outside)
{
	if (pv_threads_number(&m->threads, id, outside))
		changed(m);
}

void pv_model_end(struct pv_model *m, bool complete)
{
	m->ended = true;
	m->complete = complete;
	pv_gc_sort(&m->gc);
	pv_calls_fold_done(m);
	pv_gc_exit_until(m, m->last_ns);
	/*
	 * A restricted model does not know all collections: so the model of the whole log has the
	 * collection of each allocation.
	 */
	const struct pv_model *scout = m->only.scout;
	if (scout)
		pv_gc_take_allocated(&m->gc, scout->gc.collections.v, scout->gc.collections.n);
	changed(m);
}
