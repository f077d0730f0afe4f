/* SPDX-License-Identifier: MIT */
/* Commands to the program whose log the feed reads. For threads the rules of feed.h hold. */
#ifndef UI_FEED_TELL_H
#define UI_FEED_TELL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"
#include "tui/draw/cost.h"

struct pv_model;
struct ui_feed;

/* Asks for a heap shot, with hardly any wait; false with a reason where impossible. */
bool ui_feed_take_shot(struct ui_feed *f, struct pv_error *reterr);

/* From now on heap shots are asked for this way; `shoot` is called like the function above. */
void ui_feed_shoot_by(
	struct ui_feed *f, bool (*shoot)(void *ctx, struct pv_error *reterr), void *ctx);

/* The log comes from this process, by its number here. */
void ui_feed_joined(struct ui_feed *f, long pid);

/* A stream begun for this viewer ends by a call of `end`. */
void ui_feed_end_by(struct ui_feed *f, void (*end)(void *ctx), void *ctx);
/*
 * For a viewer that leaves: ends such a stream and reads its rest, for two seconds at most, so that
 * a record of the stream is whole. Does nothing for other feeds. No thread may use the model.
 */
void ui_feed_let_end(struct ui_feed *f);

/*
 * Turns a kind of event off in the program (UI_COST_KINDS: the dearest kind so far); `what` names
 * the kind. False: the reason.
 */
bool ui_feed_turn_off(struct ui_feed *f, enum ui_cost_kind kind, char *what, size_t room,
	struct pv_error *reterr);

/*
 * Turns kinds on again that were recorded before and are off; `what` names them. False: the reason.
 */
bool ui_feed_turn_on(struct ui_feed *f, char *what, size_t room, struct pv_error *reterr);

/*
 * Asks for the probe's own statistics and waits, at most a second. False: no answer. Any thread,
 * but not during ui_feed_adopt().
 */
bool ui_feed_stats(struct ui_feed *f, struct ui_stats *ret);

/* feed.c: the model handed out, owned by the feed, never NULL; whether nothing may be sent. */
struct pv_model *ui_feed_model(struct ui_feed *f);
const char *ui_feed_path(const struct ui_feed *f); /* from the feed's options */
bool ui_feed_readonly(const struct ui_feed *f);
/*
 * Whether shots are asked for in another way; then the shot was asked for, and *ret_ok is the
 * result.
 */
bool ui_feed_shot_by(struct ui_feed *f, bool *ret_ok, struct pv_error *reterr);

#endif
