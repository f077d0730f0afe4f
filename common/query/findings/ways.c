/* SPDX-License-Identifier: MIT */
/* The words to record what a rule judges, by the way in which the log was recorded. */
#include "common/query/findings/rule.h"

const char *pv_way_says(const struct pv_rule *rule, enum pv_recorder way, char *to, size_t room)
{
	return pv_recorder_says(rule->records, way, to, room);
}

const char *pv_judge_how(const struct pv_judge *j, const char *id, char *to, size_t room)
{
	*to = 0;
	const struct pv_rule *rule = pv_rule_of(id);
	if (rule)
		pv_way_says(rule, j->way, to, room);
	return to;
}
