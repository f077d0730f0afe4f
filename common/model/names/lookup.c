/* SPDX-License-Identifier: MIT */
/* Method ids by key, through a small cache. */
#include "common/model/ground/model_parts.h"

uint32_t pv_model_method(struct pv_model *m, uint64_t key)
{
	struct pv_key_cache *c = &m->private->method[pv_hash(key) % PV_KEY_CACHE];
	if (c->id && c->key == key)
		return c->id;
	uint32_t id = pv_names_method(&m->names, key, m->private->use_ns);
	uint64_t place;
	pv_names_function_key(&m->names, key, &place);
	if (id && !place && !m->names.method.v[id].shared)
		*c = (struct pv_key_cache){ key, id };
	return id;
}

void pv_model_forget_method(struct pv_model *m, uint64_t key)
{
	struct pv_key_cache *c = &m->private->method[pv_hash(key) % PV_KEY_CACHE];
	if (c->key == key)
		*c = (struct pv_key_cache){ 0 };
}
