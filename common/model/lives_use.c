#include "common/model/lives_use.h"

#include "common/model/model_parts.h"

uint32_t pv_lives_stack(struct pv_model *m, int64_t time_ns, const uint64_t *keys, size_t n)
{
	m->private->use_ns = time_ns;
	return n ? pv_model_stack(m, keys, n) : 0;
}
