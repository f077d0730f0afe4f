/* SPDX-License-Identifier: MIT */
/* A launch whose program is watched from outside, by profview-outside, with nothing loaded into it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/target/launch/launch.h"

static bool refuse_words(struct pv_launch *l, const struct pv_error *why, struct pv_error *reterr)
{
	l->refused = why->code == PV_EUSAGE;
	snprintf(l->why, sizeof l->why, "%s", why->what);
	pv_outside_leave(&l->recorder);
	return pv_fail(reterr, why->code, 0, "%s", why->what);
}

/* The probe's words, of which the recorder has some. */
static bool choose_words(
	struct pv_launch *l, const struct pv_launch_options *o, struct pv_error *reterr)
{
	const char *hz = o->sample && *o->sample ? o->sample : "100";
	int n = snprintf(l->recorder_words, sizeof l->recorder_words, "sample=%s%s%s,output=%s", hz,
		o->probe ? "," : "", o->probe ? o->probe : "", l->pipe);
	return n < (int)sizeof l->recorder_words ||
	       pv_fail(reterr, PV_EUSAGE, 0, "these options are too long");
}

bool pv_launch_outside(
	struct pv_launch *l, const struct pv_launch_options *o, struct pv_error *reterr)
{
	struct pv_error why = { 0 };
	if (!o->outside)
		return true;
	/* The kernel's answer about this process holds for its children. */
	if (!pv_outside_start(&l->recorder, getpid(), &why)) {
		snprintf(l->note, sizeof l->note,
			"recorded by a library loaded into it, not from outside: %s",
			PV_FIT(why.what, 360));
		return true;
	}
	return (choose_words(l, o, &why) &&
		       pv_outside_check(&l->recorder, l->recorder_words, &why)) ||
	       refuse_words(l, &why, reterr);
}

bool pv_launch_is_watched(struct pv_launch *l)
{
	return l->recorder.fd >= 0 &&
	       pv_outside_go_from_exec(&l->recorder, getpid(), l->recorder_words, NULL);
}
