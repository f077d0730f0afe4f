/* SPDX-License-Identifier: MIT */
/* How a feed's log ended, in words. */
#include "tui/feed/feed_end.h"

#include <string.h>
#include <sys/wait.h>

#include "common/ingest/ingest.h"
#include "common/model/model.h"
#include "common/query/log_end.h"
#include "tui/feed/feed_again.h"
#include "tui/feed/feed_tell.h"

/*
 * If Mono's sampling signal comes while Mono reports an abort, an assertion in Mono ends the
 * process with exit(0) (seen with 6.8, and with the stock profiler too). In this case the runtime
 * has not announced its end.
 */
static bool code_untrue(const struct pv_model *m)
{
	const char *args = m->target.args ? m->target.args : "";
	return m->ending.abrupt && strncmp(args, "profview:mono", 13) == 0 &&
	       strstr(args, ",sample");
}

void ui_feed_record_wait(struct ui_feed *f)
{
	pv_ingest_record_wait(ui_feed_ingest(f));
}

void ui_feed_end(struct ui_feed *f, long pid, int status, struct ui_feed_end *ret)
{
	struct pv_model *m = ui_feed_model(f);
	pv_model_lock(m);
	if (pid && m->target.pid == (uint64_t)pid) {
		m->ending.child = WIFSIGNALED(status) ? PV_CHILD_KILLED : PV_CHILD_EXITED;
		m->ending.signal = (uint8_t)(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	}
	ret->cut_off = pv_model_log_end(m) == PV_LOG_CUT_OFF;
	ret->code_untrue = code_untrue(m);
	pv_log_end_line(m, ret->line, sizeof ret->line);
	pv_model_unlock(m);
}
