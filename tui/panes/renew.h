/* SPDX-License-Identifier: MIT */
/* Figures of the frame, renewed every two seconds like figures of tables. The screen's thread. */
#ifndef UI_RENEW_H
#define UI_RENEW_H

#include "tui/draw/shared.h"

/* Zeroed to begin with. Times as struct ui_shared has them. */
struct ui_renewed {
	int64_t rated_ns, covered_ns;
	bool held; /* an older line is shown: a frame is due when its two seconds are over */
	char coverage[1200];
};

/*
 * Sets the state of reading: rates and lag stay for two seconds, unless the log starts or stops, or
 * begins or ceases to lag. Never fails.
 */
void ui_renew_feed(struct ui_renewed *t, struct ui_shared *s, const struct ui_feed_status *feed);

/*
 * The coverage line to show: `text`, or the line shown last if only numbers differ, for two
 * seconds. Owned by the state, until the next call. Never fails.
 */
const char *ui_renew_coverage(struct ui_renewed *t, const struct ui_shared *s, const char *text);

#endif
