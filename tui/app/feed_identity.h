/* The part of the feed that matches objects of heap shots; the rules of feed.h on threads hold. */
#ifndef UI_FEED_IDENTITY_H
#define UI_FEED_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

struct pv_identity;
struct pv_model;
struct ui_feed;

#define UI_NO_SHOT UINT32_MAX

/*
 * Objects followed from shot to shot, by reading everything again in the background. The identities
 * and their model live as long as that.
 */
struct ui_following;
struct ui_following_status {
	bool over, done;
	const char *phase;    /* a constant */
	uint64_t step, steps; /* bytes of the phase; steps 0: not known */
	struct pv_error error;
};
/* UI_NO_SHOT: the first, and the last. NULL with PV_EUSAGE: the input cannot be read twice. */
struct ui_following *ui_feed_follow(
	struct ui_feed *f, uint32_t base, uint32_t shot, bool by_address, struct pv_error *reterr);
void ui_following_status(struct ui_following *w, struct ui_following_status *ret);
/* NULL until done. */
const struct pv_identity *ui_following_identity(struct ui_following *w);
struct pv_model *ui_following_model(struct ui_following *w);
void ui_following_wait(struct ui_following *w);
void ui_following_cancel(struct ui_following *w);  /* it will be over soon */
void ui_following_destroy(struct ui_following *w); /* before the feed is closed; NULL is fine */

#endif
