/* SPDX-License-Identifier: MIT */
/*
 * The rule about the program's end. The evidence is one event, also in a recording of less than 2
 * s.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/model.h"
#include "common/model/names/names_find.h"
#include "common/query/findings/rule.h"
#include "common/query/log_end.h"
#include "common/query/groups/readable.h"

enum { SAID = 60 }; /* bytes of a class, a message or a method in a sentence */

/* The innermost of the program's own methods, else the innermost method. */
static const char *where_of(const struct pv_model *m, uint32_t stack)
{
	const struct pv_stack_node *node = m->stacks.node.v;
	const char *first = "";
	for (uint32_t at = stack; at; at = node[at].parent) {
		const char *name = pv_intern_text(
			&m->names.text, pv_names_method_name(&m->names, node[at].method));
		if (pv_is_program_class(name) && *name != '(')
			return name;
		first = *first ? first : name;
	}
	return first;
}

/*
 * The newest message of the class: another throw's, if the class is thrown elsewhere at the time.
 */
static const char *message_of(const struct pv_model *m, const struct pv_thrown *t)
{
	const struct pv_messages *said = &m->throws.messages;
	uint32_t at = pv_map_get(&said->of, t->class_use);
	return at != PV_MAP_NONE && at < said->one.n ? said->one.v[at].text : "";
}

static void say_thrown(const struct pv_judge *j, struct pv_finding *f, const struct pv_thrown *t)
{
	/*
	 * A kill may come between a throw and its catch by chance: possible from this share of time
	 * on.
	 */
	const double chance = 0.01;
	const struct pv_model *m = j->m;
	char hex[24];
	const char *class = pv_names_class_text(&m->names, t->class_use, hex);
	const char *message = message_of(m, t), *where = where_of(m, t->stack);
	const double part = j->wall_ns > 0 ? (double)m->throws.open_ns / j->wall_ns : 1;
	/*
	 * Sure: only Mono's own handler catches and then exits, and the only signal here is
	 * SIGABRT.
	 */
	bool sure = (t->left && m->ending.abrupt) || m->ending.child == PV_CHILD_KILLED;
	bool lossy = j->sum.lost_events || j->sum.damaged; /* the catch may be lost */
	bool bound = lossy || (!sure && part >= chance);
	pv_finding_say(f, bound ? 49 : 100, "%.*s%s%s%s%s%s%s", SAID, class,
		bound ? " may have ended the program: it was thrown last, and not caught"
		      : " ended the program: nothing caught it",
		*message ? ", \"" : "", *message ? message : "", *message ? "\"" : "",
		*where ? "; thrown in " : "", *where ? where : "");
	snprintf(f->subject, sizeof f->subject, "%s", class);
	f->from_ns = pv_sat_span(m->zero_ns, t->time_ns);
	f->to_ns = pv_sat_span(m->zero_ns, m->last_ns) + 1;
}

void pv_judge_unhandled_exception(const struct pv_judge *j, struct pv_finding *f)
{
	struct pv_model *m = j->m;
	char words[PV_FINDING_TEXT];
	const char *how = pv_judge_how(j, "unhandled-exception", words, sizeof words);
	if (!(j->totals.known & PV_GROUP_EXCEPTIONS)) {
		pv_finding_skip(f, "%s; %s",
			j->way == PV_RECORDER_EVENTS ? "none is in the stream" : "not recorded",
			how);
		return;
	}
	pv_model_lock(m);
	const struct pv_thrown *t = pv_log_end_thrown(m);
	enum pv_log_end end = pv_model_log_end(m);
	if (t)
		say_thrown(j, f, t);
	else if (end == PV_LOG_OPEN)
		pv_finding_skip(f, "the program's end is not in the log yet");
	else if (end == PV_LOG_UNKNOWN)
		pv_finding_skip(f, "how the program ended is not in the log; %s", how);
	else if (end == PV_LOG_CUT_OFF && j->way == PV_RECORDER_EVENTS)
		pv_finding_skip(f, "the stream was cut off: its last tenth of a second is missing");
	else if (m->only.ranged || pv_restricts_threads(&m->only))
		pv_finding_skip(f, "a part of a log has not what caught the last exception");
	else
		pv_finding_say(f, 0, "no exception ended the program");
	pv_model_unlock(m);
}
