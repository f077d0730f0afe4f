/* SPDX-License-Identifier: MIT */
/* Commands to the program whose log is read: heap shots, kinds of events off and on, statistics. */
#include "tui/feed/feed_tell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/text/units.h"
#include "common/ingest/ingest.h"
#include "common/model/model.h"
#include "common/target/control/control.h"
#include "common/target/control/log_peer.h"
#include "tui/feed/feed_again.h"

enum { ASK_MS = 1000 }; /* longest wait of a user who pressed a key */

/* The program that writes the log; `room` gets the file's stat. */
static struct pv_log_peer peer_of(struct ui_feed *f, struct stat *room)
{
	const struct pv_target_info *t = &ui_feed_model(f)->target;
	const char *path = ui_feed_path(f);
	bool known =
		strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, room) == 0 : stat(path, room) == 0;
	return (struct pv_log_peer){
		.pid = (pid_t)t->pid, .args = t->args, .file = known ? room : NULL
	};
}

/* Sends one line to the probe. */
static bool tell_probe(
	struct ui_feed *f, const char *line, char answer[PV_PROBE_ANSWER], struct pv_error *reterr)
{
	struct stat file;
	if (ui_feed_readonly(f))
		return pv_fail(reterr, PV_EUSAGE, 0, "nothing is sent to the program: --readonly");
	const struct pv_log_peer p = peer_of(f, &file);
	return pv_log_peer_ask(&p, line, ASK_MS, answer, reterr);
}

bool ui_feed_stats(struct ui_feed *f, struct ui_stats *ret)
{
	char answer[PV_PROBE_ANSWER];
	return tell_probe(f, "stats", answer, NULL) && ui_stats_parse(answer, ret);
}

bool ui_feed_turn_off(
	struct ui_feed *f, enum ui_cost_kind kind, char *what, size_t room, struct pv_error *reterr)
{
	char answer[PV_PROBE_ANSWER], line[32], bytes[PV_UNIT_MAX];
	struct ui_stats s = { 0 };
	if (!tell_probe(f, "stats", answer, reterr))
		return false;
	if (ui_stats_parse(answer, &s) && kind == UI_COST_KINDS)
		kind = ui_cost_dearest(&s);
	if (kind == UI_COST_KINDS)
		return pv_fail(reterr, PV_EUSAGE, 0, "nothing that can be turned off is recorded");
	snprintf(line, sizeof line, "set %s=off", ui_cost_names[kind]);
	if (!tell_probe(f, line, answer, reterr))
		return false;
	snprintf(what, room, "%s turned off, %s of the log so far; Ctrl-T turns it on again",
		ui_cost_names[kind], pv_units_bytes(bytes, sizeof bytes, s.bytes[kind]));
	return true;
}

bool ui_feed_turn_on(struct ui_feed *f, char *what, size_t room, struct pv_error *reterr)
{
	char answer[PV_PROBE_ANSWER], line[32];
	struct ui_stats s;
	size_t n = 0;
	if (!tell_probe(f, "stats", answer, reterr))
		return false;
	if (!ui_stats_parse(answer, &s))
		return pv_fail(reterr, PV_EUSAGE, 0, "the probe does not say what is off");
	*what = 0;
	for (int i = 0; i < UI_COST_KINDS; i++) {
		/* kinds without any event were never asked for */
		if (!s.off[i] || !s.events[i])
			continue;
		snprintf(line, sizeof line, "set %s=on", ui_cost_names[i]);
		if (!tell_probe(f, line, answer, reterr))
			return false;
		int k = snprintf(what + n, room - n, "%s%s", n ? ", " : "", ui_cost_names[i]);
		n = k > 0 && (size_t)k < room - n ? n + (size_t)k : n;
	}
	if (!n)
		return pv_fail(reterr, PV_EUSAGE, 0, "all that was asked for is recorded");
	snprintf(what + n, room - n, " turned on again");
	return true;
}

bool ui_feed_take_shot(struct ui_feed *f, struct pv_error *reterr)
{
	if (ui_feed_readonly(f))
		return pv_fail(reterr, PV_EUSAGE, 0, "nothing is sent to the program: --readonly");
	struct pv_ingest_status s;
	struct stat file;
	char answer[PV_PROBE_ANSWER];
	bool ok;
	if (ui_feed_shot_by(f, &ok, reterr))
		return ok;
	pv_ingest_status(ui_feed_ingest(f), &s);
	struct pv_log_peer p = peer_of(f, &file);
	if (pv_log_peer_is_probe(&p))
		return pv_log_peer_ask(&p, "heapshot", ASK_MS, answer, reterr);
	p.port = s.port;
	if (s.port == 0)
		return pv_fail(reterr, PV_EUSAGE, 0, "the log names no control port");
	return pv_control_heapshot(&p, reterr);
}
