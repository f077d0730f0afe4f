/* SPDX-License-Identifier: MIT */
/*
 * Methods: a key's meanings in the order of their times, newest first. A key with only one meaning
 * so far is looked up without its time, and so is everything in a log without unloads.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/text/demangle.h"
#include "common/base/text/resumption.h"
#include "common/model/names/names_parts.h"

/* A method's code can be this long; longer sizes are garbage from after an unload. */
enum { MAX_CODE = 64 << 20, NAME_ROOM = 8192 };

/* The key has several meanings from now on: only the time decides between methods. */
static void share(struct pv_names *n, uint32_t id)
{
	n->method.v[id].shared = true;
	if (pv_reserve(&n->newly_shared, 1))
		n->newly_shared.v[n->newly_shared.n++] = id;
	else
		n->all_shared = true;
}

/*
 * Adds an epoch of the key right after `before` (0: the first); the newest unless `above` is given.
 */
static uint32_t add_method(struct pv_names *n, uint64_t key, uint32_t before, uint32_t above)
{
	uint32_t id = (uint32_t)n->method.n, other = before ? before : above;
	if (other && !pv_epochs_add(&n->method_epochs, key, (struct pv_epoch){ id, PV_NEVER },
			     (struct pv_epoch){ other, n->method.v[other].from_ns }))
		return 0;
	if (!pv_reserve(&n->method, 1) || (!above && !pv_map_set(&n->method_of, key, id)))
		return 0;
	struct pv_method *v = n->method.v;
	v[n->method.n++] = (struct pv_method){ .key = key,
		.from_ns = PV_NEVER,
		.jit_ns = PV_NEVER,
		.end_ns = PV_NEVER,
		.before = before };
	n->changes++;
	if (above)
		v[above].before = id;
	if (!before && !above)
		return id;
	n->epochs++;
	v[id].shared = true;
	if (before && !v[before].shared)
		share(n, before);
	if (above && !v[above].shared)
		share(n, above);
	return id;
}

/* The method of all methods beyond the cap. */
static uint32_t other_method(struct pv_names *n)
{
	n->folded_uses++;
	if (n->other_method)
		return n->other_method;
	struct pv_method x = { .from_ns = PV_NEVER, .jit_ns = PV_NEVER, .end_ns = PV_NEVER };
	if (!pv_intern_add(&n->text, "other", 5, &x.name) || !pv_reserve(&n->method, 1))
		return 0;
	n->other_method = (uint32_t)n->method.n;
	n->changes++;
	n->method.v[n->method.n++] = x;
	return n->other_method;
}

/*
 * The newest epoch that was described at or before `time`, else the first later one; its end
 * matters only if another epoch came after. `id`: the newest of all.
 */
static uint32_t epoch_at(const struct pv_names *n, uint32_t id, int64_t time, uint32_t *ret_above)
{
	const struct pv_method *v = n->method.v;
	uint32_t at;
	*ret_above = 0;
	if (!pv_epochs_around(&n->method_epochs, v[id].key, time, &at, ret_above))
		return id;
	if (at && (!*ret_above || time <= v[at].end_ns))
		return at;
	at = *ret_above;
	*ret_above = pv_epochs_next(&n->method_epochs, v[id].key, at);
	return at;
}

/* "(wrapper kind) Class:Method (arguments)": the class; empty when there is none. */
static struct pv_text class_part(const struct pv_text *name)
{
	const char *at = name->at, *end = name->at + name->len;
	if (name->len > 9 && memcmp(at, "(wrapper ", 9) == 0) {
		const char *close = memchr(at, ')', name->len);
		at = close && end - close > 2 ? close + 2 : end;
	}
	const char *colon = memchr(at, ':', (size_t)(end - at));
	return (struct pv_text){ at, colon ? (size_t)(colon - at) : 0 };
}

/* The class of a method that has a name, as an interned text. 0: none. */
static uint32_t class_text_of(struct pv_names *n, uint32_t id)
{
	const char *name = pv_intern_text(&n->text, n->method.v[id].name);
	const struct pv_text text = { name, strlen(name) }, class = class_part(&text);
	uint32_t ret;
	return pv_intern_add(&n->text, class.at, class.len, &ret) ? ret : 0; /* known: no memory */
}

/* Sets another time of the first description. */
static bool set_from(struct pv_names *n, uint32_t id, int64_t from_ns)
{
	struct pv_method *m = &n->method.v[id];
	m->from_ns = from_ns;
	if (n->outlived_class.root.n && m->name &&
		!pv_members_move(&n->outlived_class, class_text_of(n, id), id, from_ns))
		return false;
	return pv_epochs_move(&n->method_epochs, m->key, (struct pv_epoch){ id, from_ns });
}

static uint32_t find_method(struct pv_names *n, uint64_t key, int64_t time)
{
	uint32_t above, id = pv_map_get(&n->method_of, key);
	if (id == PV_MAP_NONE)
		return n->method.n >= n->method_cap ? other_method(n) : add_method(n, key, 0, 0);
	if (!n->method.v[id].shared)
		return id;
	id = epoch_at(n, id, time, &above);
	if (above || time <= n->method.v[id].end_ns)
		return id;
	/* dead, and the method there now has not been described yet */
	return n->method.n >= n->method_cap ? other_method(n) : add_method(n, key, id, 0);
}

bool pv_names_is_place(const struct pv_names *n, const struct pv_event *e)
{
	uint64_t key = e->jit.method, code = e->jit.code;
	return code && key > code && key - code < e->jit.size &&
	       pv_map_get(&n->method_of, key) == PV_MAP_NONE &&
	       pv_ranges_find(&n->symbols, key) != 0;
}

uint64_t pv_names_function_key(const struct pv_names *n, uint64_t key, uint64_t *ret_place)
{
	uint32_t id = n->place_of.n ? pv_map_get(&n->place_of, key) : PV_MAP_NONE;
	*ret_place = id == PV_MAP_NONE ? 0 : key;
	return id == PV_MAP_NONE ? key : n->method.v[id].key;
}

static uint64_t function_of(const struct pv_names *n, uint64_t key)
{
	uint64_t ignored;
	return pv_names_function_key(n, key, &ignored);
}

uint32_t pv_names_method(struct pv_names *n, uint64_t key, int64_t time)
{
	key = function_of(n, key);
	uint32_t id = find_method(n, key, time);
	n->method.v[id].used = true;
	return id;
}

uint32_t pv_names_key_method(const struct pv_names *n, uint64_t key, int64_t time)
{
	key = function_of(n, key);
	uint32_t above, id = pv_map_get(&n->method_of, key);
	if (id == PV_MAP_NONE)
		return 0;
	return n->method.v[n->method.v[id].shared ? epoch_at(n, id, time, &above) : id].name;
}

bool pv_names_is_unambiguous(const struct pv_names *n, uint64_t key, int64_t from, int64_t to)
{
	key = function_of(n, key);
	uint32_t above, id = pv_map_get(&n->method_of, key);
	if (id == PV_MAP_NONE || !n->method.v[id].shared)
		return true;
	uint32_t first = epoch_at(n, id, from, &above);
	id = epoch_at(n, id, to, &above);
	return first == id && (above || to <= n->method.v[id].end_ns);
}

uint32_t pv_names_ip(struct pv_names *n, uint64_t address)
{
	uint32_t id = pv_ranges_find(&n->code, address);
	if (id)
		return id;
	id = pv_map_get(&n->native_of, address);
	if (id != PV_MAP_NONE)
		return id;
	if (n->native_of.n >= PV_NATIVE_CAP)
		return 0;
	id = (uint32_t)n->method.n;
	if (!pv_reserve(&n->method, 1) || !pv_map_set(&n->native_of, address, id))
		return 0;
	n->changes++;
	n->method.v[n->method.n++] = (struct pv_method){ .key = address,
		.from_ns = PV_NEVER,
		.jit_ns = PV_NEVER,
		.end_ns = PV_NEVER,
		.native = true };
	return id;
}

/* --- descriptions */

bool pv_names_intern(struct pv_names *n, const struct pv_text *text, uint32_t *ret_id)
{
	char plain[NAME_ROOM];
	if (text->len && pv_is_resumption(text->at, text->len)) {
		*ret_id = PV_NAME_RESUMED;
		return true;
	}
	size_t len = pv_demangle(text->at, text->len, plain, sizeof plain);
	return pv_intern_add(&n->text, len ? plain : text->at, len ? len : text->len, ret_id);
}

static bool name_it(struct pv_names *n, uint32_t id, const struct pv_text *text, uint32_t name)
{
	uint32_t class_name, first;
	struct pv_text class = class_part(text);
	n->method.v[id].name = name;
	if (!pv_intern_add(&n->text, class.at, class.len, &class_name))
		return false;
	if (class_name == 0)
		return true;
	first = pv_map_get(&n->methods_of, class_name);
	n->method.v[id].next_of_class = first == PV_MAP_NONE ? 0 : first;
	return pv_map_set(&n->methods_of, class_name, id);
}

/* Uses of the key since then may have been counted for this epoch. */
static void note_ambiguous_end(struct pv_names *n, uint32_t id, int64_t time)
{
	n->ambiguous_ends += n->method.v[id].used && time < n->applied_ns;
}

static bool same_method(const struct pv_names *n, uint32_t id, uint32_t name)
{
	return !n->method.v[id].name || n->method.v[id].name == name;
}

/* The epoch of a description, made when new. 0: out of memory. */
static uint32_t described(struct pv_names *n, uint64_t key, uint32_t name, int64_t time)
{
	uint32_t above, id = pv_map_get(&n->method_of, key);
	if (id == PV_MAP_NONE)
		return find_method(n, key, time);
	id = epoch_at(n, id, time, &above);
	bool over = time > n->method.v[id].end_ns;
	uint32_t lost = id;
	if (!over && same_method(n, id, name))
		return id;
	if (above && same_method(n, above, name))
		return above; /* described again, for an earlier time */
	if (n->method.n >= n->method_cap)
		return other_method(n);
	if (!over && n->method.v[id].from_ns != PV_NEVER && n->method.v[id].from_ns > time) {
		above = id; /* before all known epochs of the key */
		id = n->method.v[id].before;
	}
	note_ambiguous_end(n, lost, time);
	return add_method(n, key, id, above);
}

/* Beyond the cap only known methods take a name, and keep their one name. */
static bool takes_name(const struct pv_names *n, uint64_t key, const struct pv_text *text)
{
	char plain[NAME_ROOM];
	uint32_t id = pv_map_get(&n->method_of, key);
	if (n->method.n < n->method_cap)
		return true;
	if (id == PV_MAP_NONE || !n->method.v[id].name)
		return id != PV_MAP_NONE;
	size_t len = pv_demangle(text->at, text->len, plain, sizeof plain);
	return pv_intern_is(
		&n->text, n->method.v[id].name, len ? plain : text->at, len ? len : text->len);
}

/* 0: out of memory. */
static uint32_t name_method(
	struct pv_names *n, uint64_t key, const struct pv_text *text, int64_t time)
{
	uint32_t name;
	if (!takes_name(n, key, text))
		return other_method(n);
	if (!pv_names_intern(n, text, &name))
		return 0;
	uint32_t id = name ? described(n, key, name, time) : find_method(n, key, time);
	if (!id || id == n->other_method || !name)
		return id;
	struct pv_method *m = &n->method.v[id];
	if ((m->from_ns == PV_NEVER || time < m->from_ns) && !set_from(n, id, time))
		return 0;
	return m->name || name_it(n, id, text, name) ? id : 0;
}

bool pv_names_name_method(
	struct pv_names *n, uint64_t key, const struct pv_text *name, int64_t time)
{
	return name_method(n, key, name, time) != 0;
}

bool pv_names_describe(struct pv_names *n, const struct pv_event *e)
{
	int64_t time = (int64_t)e->time;
	bool place = pv_names_is_place(n, e);
	if (!place)
		pv_map_remove(&n->place_of, e->jit.method);
	uint32_t id = name_method(n, place ? e->jit.code : e->jit.method, &e->jit.name, time);
	if (!id || id == n->other_method)
		return id != 0;
	if (place && !pv_map_set(&n->place_of, e->jit.method, id))
		return false;
	struct pv_method *m = &n->method.v[id];
	if (place && m->code == e->jit.code)
		return true;
	m->jits++;
	if (m->jit_ns == PV_NEVER || time < m->jit_ns)
		m->jit_ns = time;
	if (!e->jit.code)
		return true;
	m->code = e->jit.code;
	m->code_size = e->jit.size <= MAX_CODE ? (uint32_t)e->jit.size : 0;
	return m->code_size == 0 || pv_ranges_add(&n->code, m->code, m->code_size, id);
}

/* A key that several methods have one after the other means the method described last. */
bool pv_names_place(struct pv_names *n, const struct pv_event *e)
{
	const uint64_t address = e->code_place.address, method = e->code_place.method;
	if (address == method || pv_map_get(&n->method_of, address) != PV_MAP_NONE)
		return true;
	uint32_t id = find_method(n, method, (int64_t)e->time);
	return id && (id == n->other_method || pv_map_set(&n->place_of, address, id));
}

/* --- ends */

static void end_method(struct pv_names *n, uint32_t id, int64_t time)
{
	struct pv_method *m = &n->method.v[id];
	if (m->end_ns != PV_NEVER)
		return;
	m->end_ns = time;
	note_ambiguous_end(n, id, time);
	if (!m->shared)
		share(n, id);
}

void pv_names_free_method(struct pv_names *n, const struct pv_event *e)
{
	uint64_t key = function_of(n, e->jit.method);
	uint32_t above, id = pv_map_get(&n->method_of, key);
	n->unloads++;
	if (id != PV_MAP_NONE)
		end_method(n, epoch_at(n, id, (int64_t)e->time, &above), (int64_t)e->time);
}

static uint32_t living(const struct pv_names *n, uint32_t name)
{
	uint32_t count = pv_map_get(&n->living, name);
	return count == PV_MAP_NONE ? 0 : count;
}

bool pv_names_class_loaded(struct pv_names *n, uint32_t name)
{
	return pv_map_set(&n->living, name, living(n, name) + 1);
}

bool pv_names_class_unloaded(struct pv_names *n, uint32_t name, int64_t time)
{
	uint32_t count = living(n, name);
	if (count == 0 || !pv_map_set(&n->living, name, count - 1))
		return count == 0;
	uint32_t first = pv_map_get(&n->methods_of, name);
	if (count > 1 || first == PV_MAP_NONE)
		return true;
	uint64_t ends_before = n->ambiguous_ends;
	bool ok = pv_map_set(&n->methods_of, name, 0);
	for (uint32_t id = first, next; id && ok; id = next) {
		struct pv_method *m = &n->method.v[id];
		next = m->next_of_class;
		m->next_of_class = 0;
		if (m->from_ns != PV_NEVER && m->from_ns > time)
			ok = pv_members_add(&n->outlived_class, name, id, m->from_ns);
		else
			end_method(n, id, time);
	}
	for (uint32_t id; ok && (id = pv_members_take(&n->outlived_class, name, time));)
		end_method(n, id, time);
	n->ambiguous_ends = n->ambiguous_ends > ends_before
				    ? ends_before + 1
				    : ends_before; /* one death, many methods */
	return ok;
}

bool pv_names_relist_methods(struct pv_names *n)
{
	const struct pv_map *root = &n->outlived_class.root;
	bool ok = true;
	for (size_t i = 0; ok && root->slots && i <= root->mask; i++) {
		uint64_t name = root->slots[i].key;
		uint32_t id;
		if (root->slots[i].value == PV_MAP_NONE)
			continue;
		while (ok && (id = pv_members_take(&n->outlived_class, name, INT64_MAX))) {
			uint32_t first = pv_map_get(&n->methods_of, name);
			n->method.v[id].next_of_class = first == PV_MAP_NONE ? 0 : first;
			ok = pv_map_set(&n->methods_of, name, id);
		}
	}
	return ok;
}

static int64_t from_of(const void *methods, uint32_t id)
{
	return ((const struct pv_method *)methods)[id].from_ns;
}

bool pv_names_link_methods(struct pv_names *n)
{
	const struct pv_method *v = n->method.v;
	struct pv_map first = { 0 };
	bool *again = calloc(n->method.n, sizeof *again); /* the key has had another meaning, too */
	bool ok = again != NULL;
	pv_epochs_clear(&n->method_epochs);
	for (uint32_t id = 1; id < n->method.n && ok; id++)
		if (v[id].before)
			again[id] = again[v[id].before] = true;
	for (uint32_t id = 1; id < n->method.n && ok; id++)
		if (again[id] && !v[id].native && id != n->other_method)
			ok = pv_epochs_link(&n->method_epochs, &first, v[id].key,
				(struct pv_epoch){ id, v[id].from_ns }, from_of, v);
	pv_map_finish(&first);
	free(again);
	return ok;
}
