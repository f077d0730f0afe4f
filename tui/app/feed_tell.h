/*
 * The part of the feed that commands the program whose log it reads; the rules of feed.h on threads
 * hold.
 */
#ifndef UI_FEED_TELL_H
#define UI_FEED_TELL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"
#include "tui/panes/cost.h"

struct pv_model;
struct ui_feed;

/* Asks for a heap shot, hardly waiting: false with a reason when it cannot be asked. */
bool ui_feed_take_shot(struct ui_feed *f, struct pv_error *reterr);

/* From now on heap shots are asked for this way; `shoot` is called like the function above. */
void ui_feed_shoot_by(
	struct ui_feed *f, bool (*shoot)(void *ctx, struct pv_error *reterr), void *ctx);

/* The log is of this process, by its number here. */
void ui_feed_joined(struct ui_feed *f, long pid);

/* A stream that was begun for this viewer ends when `end` is called. */
void ui_feed_end_by(struct ui_feed *f, void (*end)(void *ctx), void *ctx);
/*
 * For a viewer that leaves: ends such a stream, and reads its end for two seconds at most, so that a record of it is
 * whole. Does nothing for other feeds. No thread uses the model.
 */
void ui_feed_let_end(struct ui_feed *f);

/*
 * Turns a kind of event off in the program (UI_COST_KINDS: the dearest so far); `what` says which.
 * False: why not.
 */
bool ui_feed_turn_off(struct ui_feed *f, enum ui_cost_kind kind, char *what, size_t room,
	struct pv_error *reterr);

/* Turns on again what was recorded before and is off; `what` says which. False: why not. */
bool ui_feed_turn_on(struct ui_feed *f, char *what, size_t room, struct pv_error *reterr);

/*
 * The probe's own statistics; waits for them, at most a second. False: it does not answer. Any
 * thread, but not while ui_feed_adopt() runs.
 */
bool ui_feed_stats(struct ui_feed *f, struct ui_stats *ret);

/* feed.c: the model handed out, owned by the feed, never NULL; whether nothing may be sent. */
struct pv_model *ui_feed_model(struct ui_feed *f);
const char *ui_feed_path(const struct ui_feed *f); /* of its options */
bool ui_feed_readonly(const struct ui_feed *f);
/* Whether another way was given to ask for shots; then it was asked, with that result. */
bool ui_feed_shot_by(struct ui_feed *f, bool *ret_ok, struct pv_error *reterr);

#endif
