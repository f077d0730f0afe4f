/* SPDX-License-Identifier: MIT */
/* The options' wishes for a process joined without a probe. Any thread. */
#ifndef UI_STREAM_WISH_H
#define UI_STREAM_WISH_H

#include "common/target/launch/event_relay.h"
#include "common/target/join/join.h"
#include "tui/app/options.h"

/*
 * `instead`: why no probe is put in, or "". False: PV_EUSAGE, and `ret_why` (UI_CHILD_WHY bytes)
 * names an option that the event stream cannot serve.
 */
bool ui_stream_wish(struct pv_event_options *ret, const struct ui_options *o, bool samples,
	const char *instead, char *ret_why, struct pv_error *reterr);

/* Writes one line: `first` (may be ""), then how the runtime samples by itself. Returns true. */
bool ui_stream_note(
	const struct ui_options *o, bool samples, const char *first, char *to, size_t room);

/*
 * From outside there are only samples and waits. ui_outside_wish() false: PV_EUSAGE, and `ret_why`
 * names an option for more. Then ui_outside_words() asks the recorder, which stands ready; false:
 * PV_EUSAGE with the words of --probe not understood in `ret_why`, or PV_EIO.
 */
bool ui_outside_wish(const struct ui_options *o, char *ret_why, struct pv_error *reterr);
bool ui_outside_words(struct pv_join_place *j, char *ret_why, struct pv_error *reterr);

/*
 * For a program to be started, `tree`: with a log of each process. False: PV_EUSAGE, and `ret_why`
 * names what the way of --via has not.
 */
bool ui_run_may_go_via(
	const struct ui_options *o, bool tree, char *ret_why, struct pv_error *reterr);

/* The way that --via asks for; without --via: the events for --meter, else automatic. */
enum pv_join_via ui_via_of(const struct ui_options *o);

#endif
