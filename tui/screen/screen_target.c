/* SPDX-License-Identifier: MIT */
/* Commands about the watched program, and the cost of watching. */
#include "tui/draw/clock_text.h"
#include "tui/screen/screen.h"

static void net_times(struct ui_screen *s)
{
	struct ui_shared *shared = &s->shared;
	unsigned pair = shared->all.pair_ns;
	shared->net = !shared->net && pair;
	if (!pair)
		ui_screen_say(s, true, "this log does not say what tracing a call took");
	else if (shared->net)
		ui_screen_say(
			s, false, "times without some %u ns for each call; an estimate", pair);
	else
		ui_screen_say(s, false, "times as they were measured");
}

static unsigned tell_target(struct ui_screen *s, unsigned what)
{
	if (s->shared.readonly)
		ui_screen_say(s, true, "read-only: nothing is sent to the program");
	else if (ui_has_ended(&s->shared))
		ui_screen_say(s, true, "the recording has ended: nothing is recorded any more");
	else
		return UI_HANDLED | what;
	return UI_HANDLED;
}

static void open_output(struct ui_screen *s)
{
	if (s->output)
		s->output_open = !s->output_open;
	else
		ui_screen_say(s, true, "no program was started from here; profview run does that");
	s->help.open = false;
}

static void turn_clock(struct ui_screen *s)
{
	const bool on = !ui_clock_on();
	if (on && !s->shared.all.start_time_ms) {
		ui_screen_say(s, true, "the log does not say at what time of the day it began");
		return;
	}
	ui_clock_set(on ? (int64_t)s->shared.all.start_time_ms : 0);
	ui_screen_say(s, false, on ? "times of the day" : "times since the start");
}

unsigned ui_screen_target(struct ui_screen *s, enum ui_command cmd)
{
	switch (cmd) {
	case UI_CMD_OUTPUT:
		open_output(s);
		return UI_HANDLED;
	case UI_CMD_NET_TIMES:
		net_times(s);
		return UI_HANDLED;
	case UI_CMD_WAITING:
		s->shared.waits = !s->shared.waits;
		ui_screen_say(
			s, false, s->shared.waits ? "waiting counts, too" : "what ran counts");
		return UI_HANDLED;
	case UI_CMD_MY_CODE:
		s->shared.my_code = !s->shared.my_code;
		ui_screen_say(s, false,
			s->shared.my_code ? "code of others is in what called it" : "all code");
		return UI_HANDLED;
	case UI_CMD_LOGICAL:
		s->shared.physical = !s->shared.physical;
		ui_screen_say(s, false,
			s->shared.physical ? "stacks as they were recorded"
					   : "async methods stand below what awaits them");
		return UI_HANDLED;
	case UI_CMD_RAW_NAMES:
		s->shared.raw_names = !s->shared.raw_names;
		ui_screen_say(s, false,
			s->shared.raw_names ? "names as the log has them"
					    : "names as a programmer writes them");
		return UI_HANDLED;
	case UI_CMD_CLOCK:
		turn_clock(s);
		return UI_HANDLED;
	case UI_CMD_DEAREST:
		return tell_target(s, UI_CHEAPER);
	case UI_CMD_TURN_ON:
		return tell_target(s, UI_WHOLE);
	default:
		return UI_IGNORED;
	}
}
