/* The words that would have recorded what a rule judges, on the way by which the log was recorded. */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/findings/rule.h"

static bool begins(const char *text, const char *with)
{
	return text && strncmp(text, with, strlen(with)) == 0;
}

enum pv_way pv_way_of(struct pv_model *m)
{
	pv_model_lock(m);
	const struct pv_target_info *t = &m->target;
	enum pv_way way = PV_WAY_MONO;
	if (pv_target_is_event_stream(t))
		way = PV_WAY_EVENTS;
	else if (t->text && strcmp(t->text, "merged processes") != 0)
		way = PV_WAY_TEXT;
	else if (begins(t->args, "profview:native"))
		way = PV_WAY_NATIVE;
	else if (begins(t->args, "profview:coreclr"))
		way = PV_WAY_DOTNET;
	else if (begins(t->args, "log"))
		way = PV_WAY_STOCK;
	pv_model_unlock(m);
	return way;
}

const char *pv_way_says(const struct pv_rule *rule, enum pv_way way, char *to, size_t room)
{
	static const char *const cannot[PV_WAYS] = {
		[PV_WAY_MONO] = "Mono has nothing that records it",
		[PV_WAY_DOTNET] = ".NET has nothing that records it",
		[PV_WAY_NATIVE] = "a native program has nothing of the kind",
		[PV_WAY_STOCK] = "Mono's own profiler does not record it",
		[PV_WAY_EVENTS] = "the stream does not have it",
		[PV_WAY_TEXT] = "a text of stacks has samples only",
	};
	const char *words = rule->records[way];
	/* Another way to record the same program, where there is one. */
	const char *probe = way == PV_WAY_STOCK    ? rule->records[PV_WAY_MONO]
			    : way == PV_WAY_EVENTS ? rule->records[PV_WAY_DOTNET]
						   : NULL;
	if (words && way == PV_WAY_EVENTS) /* that none came may be since none happened */
		snprintf(to, room, "%s asks for it", words);
	else if (words)
		snprintf(to, room, "record with %s", words);
	else
		snprintf(to, room, "%s%s%s%s", cannot[way], probe ? "; profview run " : "",
			probe ? probe : "", probe ? " does" : "");
	return to;
}

const char *pv_judge_how(const struct pv_judge *j, const char *id, char *to, size_t room)
{
	*to = 0;
	for (size_t i = 0; i < pv_rule_count; i++)
		if (strcmp(pv_rules[i].id, id) == 0)
			pv_way_says(&pv_rules[i], j->way, to, room);
	return to;
}
