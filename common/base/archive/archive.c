/* SPDX-License-Identifier: MIT */
/* Writes values by their shapes, and reads them back: columns of fields, lists, maps, texts. */
#include "common/base/archive/archive.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/archive/archive_check.h"
#include "common/base/large.h"

enum { BLOCK = PV_ARCHIVE_BLOCK };

struct any_list {
	void *v;
	size_t n, room;
};

/* --- bytes */

static void archive_put(struct pv_archive *a, const void *bytes, size_t n)
{
	if (!a->failed && n > 0)
		a->failed = !a->write(a->ctx, bytes, n);
}

static bool get(struct pv_archive *a, void *to, size_t n)
{
	if (a->failed || n == 0)
		return !a->failed;
	a->failed = n > a->left || !a->read(a->ctx, to, n);
	if (!a->failed)
		a->left -= n;
	return !a->failed;
}

void pv_archive_numbers(struct pv_archive *a, void *v, size_t n, size_t each)
{
	if (a->mode == PV_ARCHIVE_SAVE)
		archive_put(a, v, n * each);
	else if (a->mode == PV_ARCHIVE_LOAD)
		get(a, v, n * each);
}

size_t pv_archive_count(struct pv_archive *a, size_t n, size_t most, unsigned store)
{
	uint64_t count = n;
	if (a->mode == PV_ARCHIVE_COUNT && store)
		a->store[store] = n;
	pv_archive_value(a, count);
	pv_archive_check(a, count <= most && (!store || count == a->store[store]));
	return a->failed ? 0 : (size_t)count;
}

void pv_archive_stores(struct pv_archive *a)
{
	pv_archive_numbers(a, a->store, PV_ARCHIVE_STORES, sizeof *a->store);
	for (unsigned i = 0; i < PV_ARCHIVE_STORES && a->mode == PV_ARCHIVE_LOAD; i++)
		pv_archive_check(a, a->store[i] < UINT32_MAX && a->store[i] <= a->left);
}

/* --- columns */

static void gather_column(uint8_t *to, const uint8_t *from, size_t each, size_t stride, size_t n)
{
	switch (each) {
	case 4:
		for (size_t i = 0; i < n; i++)
			memcpy(to + 4 * i, from + i * stride, 4);
		return;
	case 8:
		for (size_t i = 0; i < n; i++)
			memcpy(to + 8 * i, from + i * stride, 8);
		return;
	case 1:
		for (size_t i = 0; i < n; i++)
			to[i] = from[i * stride];
		return;
	default:
		for (size_t i = 0; i < n; i++)
			memcpy(to + each * i, from + i * stride, each);
	}
}

static void scatter(uint8_t *to, const uint8_t *from, size_t each, size_t stride, size_t n)
{
	switch (each) {
	case 4:
		for (size_t i = 0; i < n; i++)
			memcpy(to + i * stride, from + 4 * i, 4);
		return;
	case 8:
		for (size_t i = 0; i < n; i++)
			memcpy(to + i * stride, from + 8 * i, 8);
		return;
	case 1:
		for (size_t i = 0; i < n; i++)
			to[i * stride] = from[i];
		return;
	default:
		for (size_t i = 0; i < n; i++)
			memcpy(to + i * stride, from + each * i, each);
	}
}

/* Adjacent structures: elements of a list, or a single structure. */
struct rows {
	uint8_t *at;
	size_t stride, n;
	size_t first; /* index of the first in the list */
	bool listed;
};

static void column(struct pv_archive *a, const struct pv_field_row *r, const struct rows *x,
	size_t offset, size_t each)
{
	uint64_t room[BLOCK]; /* numbers are 8 bytes at most */
	uint8_t *at = x->at + offset;
	if (a->mode == PV_ARCHIVE_SAVE) {
		gather_column((uint8_t *)room, at, each, x->stride, x->n);
		archive_put(a, room, x->n * each);
		return;
	}
	struct pv_checked c = { r, a->store, x->first, INT64_MIN };
	if (r->kind == PV_RISING && x->first)
		memcpy(&c.before, at - x->stride, sizeof c.before);
	if (!get(a, room, x->n * each))
		return;
	pv_archive_check(a, pv_column_holds(&c, room, x->n));
	scatter(at, (const uint8_t *)room, each, x->stride, x->n);
}

/* Arrays of characters, or of numbers without a check. */
static void arrays(struct pv_archive *a, const struct pv_field_row *r, const struct rows *x)
{
	for (size_t i = 0; i < x->n && !a->failed; i++) {
		uint8_t *array = x->at + i * x->stride + r->offset;
		pv_archive_numbers(a, array, r->size, 1);
		pv_archive_check(a, r->kind != PV_CHARS || array[r->size - 1] == 0);
	}
}

static void leave_out_field(const struct pv_field_row *r, const struct rows *x)
{
	for (size_t i = 0; i < x->n && x->listed; i++)
		memset(x->at + i * x->stride + r->offset, 0, r->size);
}

static bool is_array(const struct pv_field_row *r)
{
	return r->kind == PV_CHARS || (r->kind == PV_FIGURE && r->size > r->each);
}

static bool is_number_field(const struct pv_field_row *r)
{
	return r->kind < PV_CHARS && !is_array(r);
}

/* The members of a structure that are neither lists nor maps. */
static void plain_rows(struct pv_archive *a, const struct pv_shape *shape, const struct rows *x)
{
	for (size_t i = 0; i < shape->n && !a->failed; i++) {
		const struct pv_field_row *r = &shape->row[i];
		for (size_t at = 0; is_number_field(r) && at < r->size; at += r->each)
			column(a, r, x, r->offset + at, r->each);
		if (is_array(r))
			arrays(a, r, x);
		for (size_t at = 0; r->kind == PV_PART && at < r->size; at += r->each) {
			struct rows part = *x;
			part.at += r->offset + at;
			plain_rows(a, r->shape, &part);
		}
		if (r->kind == PV_LEFT_OUT && a->mode == PV_ARCHIVE_LOAD)
			leave_out_field(r, x);
	}
}

static bool has_lists(const struct pv_shape *shape)
{
	for (size_t i = 0; i < shape->n; i++) {
		const struct pv_field_row *r = &shape->row[i];
		if (r->kind == PV_LIST || r->kind == PV_TABLE || r->kind == PV_MAP ||
			(r->kind == PV_PART && has_lists(r->shape)))
			return true;
	}
	return false;
}

/* Least number of bytes of an element in an archive. */
static size_t least_bytes(const struct pv_shape *shape)
{
	size_t n = 0;
	for (size_t i = 0; i < shape->n; i++) {
		const struct pv_field_row *r = &shape->row[i];
		if (is_number_field(r) || is_array(r))
			n += r->size;
		else if (r->kind == PV_PART)
			n += r->size / r->each * least_bytes(r->shape);
		else if (r->kind != PV_LEFT_OUT)
			n += r->size / r->each * sizeof(uint64_t);
	}
	return n ? n : 1;
}

/* --- lists */

static void check_chains(
	struct pv_archive *a, const struct pv_shape *shape, const struct any_list *l)
{
	for (size_t i = 0; i < shape->n && !a->failed; i++)
		if (shape->row[i].kind == PV_CHAIN)
			pv_archive_check(a, pv_chain_holds((uint8_t *)l->v + shape->row[i].offset,
						    shape->size, l->n));
}

/* Frees a list, and makes room for `count` elements. */
static bool make_list(struct any_list *l, const struct pv_field_row *r, size_t count)
{
	size_t size = r->shape->size;
	if (r->kind == PV_TABLE)
		pv_free_table(&l->v, &l->n, &l->room, size);
	else
		pv_free_array(&l->v, &l->n, &l->room);
	if (count == 0)
		return true;
	if (r->kind == PV_TABLE)
		return pv_grow_table(&l->v, 0, &l->room, count, size);
	l->v = pv_large_alloc(count * size);
	l->room = l->v ? count : 0;
	return l->v != NULL;
}

/* Rows count once they are whole: in a refused row a pointer, as a field left out, may be unset. */
static void flat_elements(
	struct pv_archive *a, const struct pv_shape *shape, struct any_list *l, size_t count)
{
	for (size_t i = 0; i < count && !a->failed; i += BLOCK) {
		size_t n = count - i < BLOCK ? count - i : BLOCK;
		const struct rows x = { (uint8_t *)l->v + i * shape->size, shape->size, n, i,
			true };
		plain_rows(a, shape, &x);
		if (a->mode == PV_ARCHIVE_LOAD && !a->failed)
			l->n = i + n;
	}
}

static void walk_rows(struct pv_archive *a, const struct pv_shape *shape, const struct rows *x);

/*
 * Elements with lists of their own: elements not loaded yet are zeroed, so that they can be freed.
 */
static void deep_elements(
	struct pv_archive *a, const struct pv_shape *shape, struct any_list *l, size_t count)
{
	if (a->mode == PV_ARCHIVE_LOAD && count) {
		memset(l->v, 0, count * shape->size);
		l->n = count;
	}
	for (size_t i = 0; i < count && !a->failed; i++) {
		const struct rows x = { (uint8_t *)l->v + i * shape->size, shape->size, 1, i,
			true };
		walk_rows(a, shape, &x);
	}
}

static void list_field(
	struct pv_archive *a, const struct pv_field_row *r, struct any_list *l, unsigned store)
{
	size_t most = r->most ? r->most : UINT32_MAX;
	if (a->mode == PV_ARCHIVE_LOAD && a->left / least_bytes(r->shape) < most)
		most = (size_t)(a->left / least_bytes(r->shape));
	size_t count = pv_archive_count(a, l->n, most, store);
	if (a->failed || a->mode == PV_ARCHIVE_COUNT)
		return;
	if (a->mode == PV_ARCHIVE_LOAD && !make_list(l, r, count)) {
		a->failed = true;
		return;
	}
	if (has_lists(r->shape))
		deep_elements(a, r->shape, l, count);
	else
		flat_elements(a, r->shape, l, count);
	if (a->mode == PV_ARCHIVE_LOAD)
		check_chains(a, r->shape, l);
}

/* --- maps */

static int by_key(const void *a, const void *b)
{
	const struct pv_map_slot *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}

/* The slots in use, by key: a slot's place differs in every process. NULL: no memory. */
static struct pv_map_slot *sorted(const struct pv_map *m)
{
	struct pv_map_slot *v = malloc(m->n * sizeof *v);
	size_t n = 0;
	for (size_t i = 0; v && i <= m->mask; i++)
		if (m->slots[i].value != PV_MAP_NONE)
			v[n++] = m->slots[i];
	if (v)
		qsort(v, n, sizeof *v, by_key);
	return v;
}

static void save_map(struct pv_archive *a, const struct pv_map *m)
{
	uint64_t key[BLOCK];
	uint32_t value[BLOCK];
	struct pv_map_slot *v = m->n ? sorted(m) : NULL;
	a->failed |= m->n && !v;
	for (size_t done = 0, n; done < m->n && !a->failed; done += n) {
		n = m->n - done < BLOCK ? m->n - done : BLOCK;
		for (size_t i = 0; i < n; i++) {
			key[i] = v[done + i].key;
			value[i] = v[done + i].value;
		}
		archive_put(a, key, n * sizeof *key);
		archive_put(a, value, n * sizeof *value);
	}
	free(v);
}

/* Keys are each there once. */
static bool insert(struct pv_map *m, const uint64_t *key, const uint32_t *value, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		size_t i = pv_map_place(m, key[k]);
		for (; m->slots[i].value != PV_MAP_NONE; i = (i + 1) & m->mask)
			if (m->slots[i].key == key[k])
				return false;
		m->slots[i] = (struct pv_map_slot){ key[k], value[k] };
		m->n++;
	}
	return true;
}

static bool values_hold(const struct pv_archive *a, const struct pv_field_row *r, unsigned store,
	const uint32_t *value, size_t n)
{
	uint64_t limit = PV_MAP_NONE;
	if (r->value != PV_FIGURE)
		limit = a->store[store] + (r->value == PV_ID_1);
	for (size_t i = 0; i < n && r->value == PV_SOME; i++)
		if (value[i] == 0)
			return false;
	return pv_all_below_32(value, n, limit < PV_MAP_NONE ? limit : PV_MAP_NONE);
}

static void load_map(struct pv_archive *a, const struct pv_field_row *r, struct pv_map *m,
	unsigned store, size_t count)
{
	uint64_t key[BLOCK];
	uint32_t value[BLOCK];
	pv_archive_check(a, pv_map_make(m, count));
	for (size_t done = 0; done < count && !a->failed; done += BLOCK) {
		size_t n = count - done < BLOCK ? count - done : BLOCK;
		if (get(a, key, n * sizeof *key) && get(a, value, n * sizeof *value))
			pv_archive_check(
				a, values_hold(a, r, store, value, n) && insert(m, key, value, n));
	}
}

static void map(
	struct pv_archive *a, const struct pv_field_row *r, struct pv_map *m, unsigned store)
{
	size_t most = a->mode == PV_ARCHIVE_LOAD ? (size_t)(a->left / 12) : SIZE_MAX;
	size_t count = pv_archive_count(a, m->n, most, 0);
	if (a->failed)
		return;
	if (a->mode == PV_ARCHIVE_LOAD)
		load_map(a, r, m, store, count);
	else if (a->mode == PV_ARCHIVE_SAVE)
		save_map(a, m);
}

/* --- structures */

static void lists(struct pv_archive *a, const struct pv_shape *shape, uint8_t *of)
{
	for (size_t i = 0; i < shape->n && !a->failed; i++) {
		const struct pv_field_row *r = &shape->row[i];
		unsigned store = (unsigned)r->of, more = store ? 1 : 0;
		for (size_t at = 0; at < r->size && !a->failed; at += r->each, store += more) {
			void *one = of + r->offset + at;
			if (r->kind == PV_LIST || r->kind == PV_TABLE)
				list_field(a, r, one, store);
			else if (r->kind == PV_MAP)
				map(a, r, one, store);
			else if (r->kind == PV_PART)
				lists(a, r->shape, one);
			else
				break;
		}
	}
}

static void walk_rows(struct pv_archive *a, const struct pv_shape *shape, const struct rows *x)
{
	if (a->mode != PV_ARCHIVE_COUNT)
		plain_rows(a, shape, x);
	lists(a, shape, x->at);
}

void pv_archive_shape(struct pv_archive *a, const struct pv_shape *shape, void *of)
{
	const struct rows x = { of, shape->size, 1, 0, false };
	walk_rows(a, shape, &x);
}

uint64_t pv_shape_hash(const struct pv_shape *shape)
{
	uint64_t h = pv_hash(shape->size ^ pv_hash(shape->n));
	for (size_t i = 0; i < shape->n; i++) {
		const struct pv_field_row *r = &shape->row[i];
		const uint64_t of[] = { r->offset, r->size, r->each, r->kind, r->value, r->of,
			r->most };
		for (size_t k = 0; k < sizeof of / sizeof *of; k++)
			h = pv_hash(h ^ pv_hash(of[k] + k));
		for (const char *c = r->name; c && *c; c++)
			h = pv_hash(h ^ (uint8_t)*c);
		if (r->shape)
			h = pv_hash(h ^ pv_shape_hash(r->shape));
	}
	return h;
}

/* --- texts */

void pv_archive_text(struct pv_archive *a, struct pv_intern *in, const char **text)
{
	bool loading = a->mode == PV_ARCHIVE_LOAD;
	uint64_t n = !loading && *text ? strlen(*text) + 1 : 0;
	uint32_t id = 0;
	pv_archive_value(a, n);
	if (!loading) {
		pv_archive_numbers(a, (void *)(uintptr_t)*text, (size_t)n, 1);
		return;
	}
	*text = NULL;
	char *copy = a->failed || n == 0 || n > a->left ? NULL : malloc((size_t)n);
	a->failed |= n > 0 && !copy;
	if (copy && get(a, copy, (size_t)n)) {
		a->failed = copy[n - 1] != 0 || !pv_intern_add(in, copy, (size_t)n - 1, &id);
		*text = pv_intern_text(in, id);
	}
	free(copy);
}

/* Writes all texts one after the other, each with its NUL. */
static void save_texts(struct pv_archive *a, const struct pv_intern *in)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < in->text.n; i++)
		bytes += strlen(in->text.v[i]) + 1;
	pv_archive_value(a, bytes);
	for (size_t i = 0; i < in->text.n && !a->failed; i++)
		archive_put(a, in->text.v[i], strlen(in->text.v[i]) + 1);
}

static void load_texts(struct pv_archive *a, struct pv_intern *in, size_t n)
{
	uint64_t bytes = 0;
	pv_archive_value(a, bytes);
	pv_archive_check(a, bytes <= a->left);
	char *all = a->failed ? NULL : pv_arena_alloc(&in->arena, (size_t)bytes + 1);
	if (!all || !pv_reserve(&in->text, n) || !get(a, all, (size_t)bytes)) {
		a->failed = true;
		return;
	}
	char *at = all, *end = all + bytes;
	for (; in->text.n < n && at < end; at += strlen(at) + 1)
		in->text.v[in->text.n++] = at;
	/* The first text is empty, and the last ends where the bytes end. */
	a->failed = in->text.n != n || at != end || (n && all[0] != 0);
}

/* Without a text there is still the empty text, with id 0. */
static void count_texts(struct pv_archive *a, size_t n, unsigned store)
{
	uint64_t count = n ? n : 1;
	if (a->mode == PV_ARCHIVE_COUNT)
		a->store[store] = count;
	pv_archive_check(a, a->store[store] == count);
}

void pv_archive_intern(struct pv_archive *a, struct pv_intern *in, unsigned store)
{
	bool loading = a->mode == PV_ARCHIVE_LOAD;
	if (loading)
		pv_intern_finish(in);
	size_t n = pv_archive_count(a, in->text.n, loading ? (size_t)a->left : SIZE_MAX, 0);
	count_texts(a, n, store);
	if (loading && !a->failed)
		load_texts(a, in, n);
	else if (a->mode == PV_ARCHIVE_SAVE)
		save_texts(a, in);
	pv_archive_numbers(a, &in->cut, 1, sizeof in->cut);
	pv_archive_check(a, in->cut < n || in->cut == 0);
	a->failed |= loading && !a->failed && !pv_intern_link(in);
}
