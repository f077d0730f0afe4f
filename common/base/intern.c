#include "common/base/intern.h"

#include <string.h>

static uint64_t hash_text(const char *text, size_t len)
{
	enum { PART = 7 }; /* bytes */
	uint64_t h = len, part = 0;
	for (; len > PART; text += PART, len -= PART) {
		memcpy(&part, text, PART);
		h = pv_hash_part(h, part);
	}
	part = 0;
	memcpy(&part, text, len);
	return pv_hash_part(h, part);
}

static bool same(const char *known, const char *text, size_t len)
{
	return strncmp(known, text, len) == 0 && known[len] == 0;
}

bool pv_intern_add(struct pv_intern *in, const char *text, size_t len, uint32_t *ret_id)
{
	const char *nul = len ? memchr(text, 0, len) : NULL;
	if (nul)
		len = (size_t)(nul - text);
	if (len == 0) {
		*ret_id = 0;
		return true;
	}
	if (in->text.n == 0) {
		if (!pv_reserve(&in->text, 1) || !pv_reserve(&in->next, 1))
			return false;
		in->text.v[in->text.n++] = "";
		in->next.v[in->next.n++] = 0;
	}
	uint64_t h = hash_text(text, len);
	uint32_t head = pv_map_get(&in->heads, h);
	if (head == PV_MAP_NONE)
		head = 0;
	for (uint32_t id = head; id; id = in->next.v[id]) {
		if (same(in->text.v[id], text, len)) {
			*ret_id = id;
			return true;
		}
	}
	if (!pv_reserve(&in->text, 1) || !pv_reserve(&in->next, 1))
		return false;
	char *copy = pv_arena_copy(&in->arena, text, len);
	uint32_t id = (uint32_t)in->text.n;
	if (!copy || id == PV_MAP_NONE || !pv_map_set(&in->heads, h, id))
		return false;
	in->text.v[in->text.n++] = copy;
	in->next.v[in->next.n++] = head;
	*ret_id = id;
	return true;
}

bool pv_intern_link(struct pv_intern *in)
{
	pv_map_clear(&in->heads);
	in->next.n = 0;
	if (!pv_reserve(&in->next, in->text.n))
		return false;
	for (uint32_t id = 0; id < in->text.n; id++) {
		uint64_t h = hash_text(in->text.v[id], strlen(in->text.v[id]));
		uint32_t head = id ? pv_map_get(&in->heads, h) : 0;
		in->next.v[in->next.n++] = head == PV_MAP_NONE ? 0 : head;
		if (id && !pv_map_set(&in->heads, h, id))
			return false;
	}
	return true;
}

const char *pv_intern_text(const struct pv_intern *in, uint32_t id)
{
	return id < in->text.n ? in->text.v[id] : "";
}

void pv_intern_finish(struct pv_intern *in)
{
	pv_arena_finish(&in->arena);
	pv_array_finish(&in->text);
	pv_array_finish(&in->next);
	pv_map_finish(&in->heads);
}
