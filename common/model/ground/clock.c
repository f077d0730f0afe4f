#include "common/model/ground/model_parts.h"

int64_t pv_clipped(const struct pv_model *m, int64_t from, int64_t to)
{
	const struct pv_model_private *p = m->private;
	if (!p->ranged)
		return to - from;
	if (to < from)
		return -pv_clipped(m, to, from);
	from = from < p->from_ns ? p->from_ns : from;
	to = to > p->to_ns ? p->to_ns : to;
	return to > from ? to - from : 0;
}
