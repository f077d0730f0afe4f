/* The end of the feed's log; the rules of feed.h on threads hold. */
#ifndef UI_FEED_END_H
#define UI_FEED_END_H

#include <stdbool.h>

struct ui_feed;

/* How the log ends, once nothing more comes, and what that says of the program. */
struct ui_feed_end {
	bool cut_off;
	bool code_untrue; /* Mono, sampled: a crash, or FailFast, may have become exit code 0 */
	char line[120];   /* "ended: the probe's farewell" */
};
/* `pid` has ended as waitpid(2) says (our own child); 0: that is not known. */
void ui_feed_end(struct ui_feed *f, long pid, int status, struct ui_feed_end *ret);

/* A record has all that came, or says why not, once this has waited for it. */
void ui_feed_record_wait(struct ui_feed *f);

#endif
