/* SPDX-License-Identifier: MIT */
/* Tells by which way of recording a log was made, and says what a way cannot record. */
#include "common/query/recorder.h"

#include <stdio.h>
#include <string.h>

#include "common/model/model.h"

static bool begins(const char *text, const char *with)
{
	return text && strncmp(text, with, strlen(with)) == 0;
}

enum pv_recorder pv_recorder_of(const struct pv_model *m)
{
	const struct pv_target_info *t = &m->target;
	if (pv_target_is_event_stream(t))
		return PV_RECORDER_EVENTS;
	if (t->text && strcmp(t->text, "merged processes") != 0)
		return PV_RECORDER_TEXT;
	if (pv_target_is_native(t))
		return PV_RECORDER_NATIVE;
	if (begins(t->args, "profview:coreclr"))
		return PV_RECORDER_DOTNET;
	return begins(t->args, "log") ? PV_RECORDER_STOCK : PV_RECORDER_MONO;
}

const char *pv_recorder_cannot(
	const char *const words[PV_RECORDERS], enum pv_recorder by, char *to, size_t room)
{
	static const char *const cannot[PV_RECORDERS] = {
		[PV_RECORDER_MONO] = "Mono has nothing that records it",
		[PV_RECORDER_DOTNET] = ".NET has nothing that records it",
		[PV_RECORDER_NATIVE] = "a native program has nothing of the kind",
		[PV_RECORDER_STOCK] = "Mono's own profiler does not record it",
		[PV_RECORDER_EVENTS] = "the stream does not have it",
		[PV_RECORDER_TEXT] = "a text of stacks has samples only",
	};
	/* Another way to record the program, if any. */
	const char *probe = by == PV_RECORDER_STOCK    ? words[PV_RECORDER_MONO]
			    : by == PV_RECORDER_EVENTS ? words[PV_RECORDER_DOTNET]
						       : NULL;
	snprintf(to, room, "%s%s%s%s", cannot[by], probe ? "; profview run " : "",
		probe ? probe : "", probe ? " does" : "");
	return to;
}

const char *pv_recorder_says(
	const char *const words[PV_RECORDERS], enum pv_recorder by, char *to, size_t room)
{
	if (!words[by])
		return pv_recorder_cannot(words, by, to, room);
	/* In a stream without such events maybe none happened. */
	snprintf(to, room, by == PV_RECORDER_EVENTS ? "%s asks for it" : "record with %s",
		words[by]);
	return to;
}
