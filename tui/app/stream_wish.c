/* SPDX-License-Identifier: MIT */
/* Options translated into wishes for a launch, .NET's event stream or sampling from outside. */
#include "tui/app/stream_wish.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "tui/app/child.h"

enum { MS_NS = 1000000, LEAST_MS = 100 };

static bool shot_time(const char *shots, int64_t *ret_ns)
{
	return shots && *shots && pv_units_parse_time(shots, strlen(shots), ret_ns) &&
	       *ret_ns >= LEAST_MS * MS_NS && *ret_ns / MS_NS <= UINT32_MAX;
}

bool ui_stream_wish(struct pv_event_options *ret, const struct ui_options *o, bool samples,
	const char *instead, char *ret_why, struct pv_error *reterr)
{
	const char *shots = o->heapshot;
	int64_t ns = 0;
	bool timed = shot_time(shots, &ns);
	bool spans = o->probe && strcmp(o->probe, "spans") == 0;
	*ret = (struct pv_event_options){ .samples = samples,
		.spans = spans,
		.shot = shots && !*shots,
		.shot_ms = timed ? (uint32_t)(ns / MS_NS) : 0 };
	for (int i = 0; i < o->meter.n; i++) {
		size_t n = strlen(ret->meters);
		snprintf(ret->meters + n, sizeof ret->meters - n, i ? ",%s" : "%s", o->meter.at[i]);
	}
	const char *refused = o->calls                 ? "--calls"
			      : o->probe && !spans     ? "--probe but for spans"
			      : o->alloc && !*o->alloc ? "--alloc without a size"
			      : shots && *shots && strcmp(shots, "ondemand") != 0 && !timed
				      ? "--heapshot=MODE other than a time"
				      : NULL;
	if (!refused)
		return true;
	snprintf(ret_why, UI_CHILD_WHY, "%s: .NET's event stream has no such thing%s%s", refused,
		*instead                    ? ", and "
		: o->verb == UI_VERB_ATTACH ? "; --via probe has"
					    : "",
		PV_FIT(instead, 140));
	return pv_fail(reterr, PV_EUSAGE, 0, "%s", ret_why);
}

bool ui_stream_note(
	const struct ui_options *o, bool samples, const char *first, char *to, size_t room)
{
	snprintf(to, room, "%s%s%s", PV_FIT(first, 230),
		samples ? "; the runtime samples by stopping all threads, about 1000 times a second: a "
			  "loop may lose a fifth of its speed"
			: "",
		o->alloc ? "; the runtime samples allocations by itself, one in 100 KiB" : "");
	if (strncmp(to, "; ", 2) == 0)
		memmove(to, to + 2, strlen(to + 2) + 1);
	return true;
}

bool ui_outside_wish(const struct ui_options *o, char *ret_why, struct pv_error *reterr)
{
	const char *refused = o->calls                                   ? "--calls"
			      : o->alloc                                 ? "--alloc"
			      : o->heapshot                              ? "--heapshot"
			      : o->meter.n                               ? "--meter"
			      : o->inject                                ? "--inject"
			      : o->sample && strcmp(o->sample, "0") == 0 ? "--sample=0"
									 : NULL;
	if (!refused)
		return true;
	snprintf(ret_why, UI_CHILD_WHY,
		"%s: from outside a process gives samples, waits and new pages; profview run %sloads "
		"a probe",
		refused, o->verb == UI_VERB_RUN ? "without --via " : "");
	return pv_fail(reterr, PV_EUSAGE, 0, "%s", ret_why);
}

/* ret_why only for words not understood: a recorder that has ended is not the user's doing. */
bool ui_outside_words(struct pv_join_place *j, char *ret_why, struct pv_error *reterr)
{
	struct pv_error why = { 0 };
	if (pv_join_may_wish(j, &why))
		return true;
	if (why.code == PV_EUSAGE)
		snprintf(ret_why, UI_CHILD_WHY, "%s", why.what);
	return pv_fail(reterr, why.code, 0, "%s", why.what);
}

enum pv_join_via ui_via_of(const struct ui_options *o)
{
	const char *asked = o->via ? o->via : o->meter.n ? "events" : "auto";
	return strcmp(asked, "auto") == 0      ? PV_JOIN_VIA_AUTO
	       : strcmp(asked, "probe") == 0   ? PV_JOIN_VIA_PROBE
	       : strcmp(asked, "outside") == 0 ? PV_JOIN_VIA_OUTSIDE
					       : PV_JOIN_VIA_EVENTS;
}

bool ui_child_is_tree(const struct ui_options *o)
{
	struct stat st;
	size_t n = o->record ? strlen(o->record) : 0;
	return n && (o->record[n - 1] == '/' || (stat(o->record, &st) == 0 && S_ISDIR(st.st_mode)));
}

bool ui_run_may_go_via(
	const struct ui_options *o, bool tree, char *ret_why, struct pv_error *reterr)
{
	enum pv_join_via via = ui_via_of(o);
	const char *why = NULL;
	if (via == PV_JOIN_VIA_EVENTS)
		why = "--via events: of a program that runs already; run loads a probe";
	else if (via == PV_JOIN_VIA_OUTSIDE && o->leaks)
		why = "--leaks: not with --via outside, which loads nothing into the program";
	else if (via == PV_JOIN_VIA_OUTSIDE && tree)
		why = "--via outside records one program into one log: leave out FOLDER/";
	if (!why)
		return via != PV_JOIN_VIA_OUTSIDE || ui_outside_wish(o, ret_why, reterr);
	snprintf(ret_why, UI_CHILD_WHY, "%s", why);
	return pv_fail(reterr, PV_EUSAGE, 0, "%s", why);
}
