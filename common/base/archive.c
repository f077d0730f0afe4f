#include "common/base/archive.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/large.h"

static size_t padding(size_t n)
{
	return (8 - n % 8) % 8;
}

void pv_archive_bytes(struct pv_archive *a, void *bytes, size_t n)
{
	static const uint8_t zeros[8];
	size_t pad = padding(n);
	if (a->failed || n == 0)
		return;
	if (!a->loading) {
		a->failed = !a->write(a->ctx, bytes, n) || (pad && !a->write(a->ctx, zeros, pad));
		return;
	}
	uint8_t dropped[8];
	a->failed = n > a->left || pad > a->left - n || !a->read(a->ctx, bytes, n) ||
		(pad && !a->read(a->ctx, dropped, pad));
	if (!a->failed)
		a->left -= n + pad;
}

size_t pv_archive_count(struct pv_archive *a, size_t n, size_t most)
{
	uint64_t count = n;
	pv_archive_value(a, count);
	a->failed |= count > most;
	return a->failed ? 0 : (size_t)count;
}

/* Of an array that was freed: as many elements as there will be at first. */
static bool make_array(void **v, size_t *room, size_t count, size_t size)
{
	*v = pv_large_alloc(count * size);
	*room = *v ? count : 0;
	return *v != NULL;
}

static void elements(
	struct pv_archive *a, void **v, size_t *n, size_t *room, size_t size, bool table)
{
	size_t most = a->loading ? (size_t)a->left / size : SIZE_MAX;
	size_t count = pv_archive_count(a, *n, most);
	if (a->loading) {
		if (table)
			pv_free_table(v, n, room, size);
		else
			pv_free_array(v, n, room);
		if (count && !(table ? pv_grow_table(v, 0, room, count, size)
				     : make_array(v, room, count, size)))
			a->failed = true;
		if (a->failed)
			return;
		*n = count;
	}
	if (count)
		pv_archive_bytes(a, *v, count * size);
}

void pv_archive_elements(struct pv_archive *a, void **v, size_t *n, size_t *room, size_t size)
{
	elements(a, v, n, room, size, false);
}

void pv_archive_table_elements(struct pv_archive *a, void **v, size_t *n, size_t *room, size_t size)
{
	elements(a, v, n, room, size, true);
}

void pv_archive_map(struct pv_archive *a, struct pv_map *m)
{
	struct { size_t n, slots; } head = { m->n, m->slots ? m->mask + 1 : 0 };
	pv_archive_value(a, head);
	if (a->failed)
		return;
	if (a->loading) {
		pv_map_finish(m);
		/* A power of two with an empty slot, else a look-up would never end. */
		if (head.slots & (head.slots - 1) || head.slots > a->left / sizeof *m->slots ||
			(head.slots && head.n >= head.slots)) {
			a->failed = true;
			return;
		}
		m->slots = head.slots ? pv_large_alloc(head.slots * sizeof *m->slots) : NULL;
		a->failed = head.slots && !m->slots;
		m->mask = head.slots ? head.slots - 1 : 0;
		m->n = head.n;
	}
	pv_archive_bytes(a, m->slots, a->failed ? 0 : head.slots * sizeof *m->slots);
	size_t used = 0;
	for (size_t i = 0; a->loading && !a->failed && i < head.slots; i++)
		used += m->slots[i].value != PV_MAP_NONE;
	if (a->loading && (a->failed || used != head.n)) {
		a->failed = true;
		pv_map_finish(m);
	}
}

void pv_archive_text(struct pv_archive *a, struct pv_intern *in, const char **text)
{
	uint64_t n = !a->loading && *text ? strlen(*text) + 1 : 0;
	uint32_t id = 0;
	pv_archive_value(a, n);
	if (!a->loading) {
		pv_archive_bytes(a, (void *)(uintptr_t)*text, (size_t)n);
		return;
	}
	*text = NULL;
	char *copy = a->failed || n == 0 || n > a->left ? NULL : malloc((size_t)n);
	a->failed |= n > 0 && !copy;
	if (copy)
		pv_archive_bytes(a, copy, (size_t)n);
	if (copy && !a->failed) {
		a->failed = copy[n - 1] != 0 || !pv_intern_add(in, copy, (size_t)n - 1, &id);
		*text = pv_intern_text(in, id);
	}
	free(copy);
}

/* All texts behind each other, each with its NUL. */
static void save_texts(struct pv_archive *a, const struct pv_intern *in)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < in->text.n; i++)
		bytes += strlen(in->text.v[i]) + 1;
	pv_archive_value(a, bytes);
	for (size_t i = 0; i < in->text.n && !a->failed; i++)
		a->failed = !a->write(a->ctx, in->text.v[i], strlen(in->text.v[i]) + 1);
	static const uint8_t zeros[8];
	if (!a->failed && padding((size_t)bytes))
		a->failed = !a->write(a->ctx, zeros, padding((size_t)bytes));
}

static void load_texts(struct pv_archive *a, struct pv_intern *in, size_t n)
{
	uint64_t bytes = 0;
	pv_archive_value(a, bytes);
	if (a->failed || bytes > a->left) {
		a->failed = true;
		return;
	}
	char *all = pv_arena_alloc(&in->arena, (size_t)bytes + 1);
	if (!all || !pv_reserve(&in->text, n)) {
		a->failed = true;
		return;
	}
	pv_archive_bytes(a, all, (size_t)bytes);
	char *at = all, *end = all + bytes;
	for (; in->text.n < n && at < end; at += strlen(at) + 1)
		in->text.v[in->text.n++] = at;
	a->failed |= in->text.n != n;
}

void pv_archive_intern(struct pv_archive *a, struct pv_intern *in)
{
	if (a->loading)
		pv_intern_finish(in);
	pv_archive_array(a, &in->next);
	if (a->loading)
		load_texts(a, in, in->next.n);
	else if (!a->failed)
		save_texts(a, in);
	pv_archive_map(a, &in->heads);
}
