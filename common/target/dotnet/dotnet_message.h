/* SPDX-License-Identifier: MIT */
/*
 * Messages to the diagnostics socket of .NET, as of the published protocol ("DOTNET_IPC_V1"):
 * dotnet/diagnostics, documentation/design-docs/ipc-protocol.md. Pure; any thread.
 */
#ifndef PV_TARGET_DOTNET_MESSAGE_H
#define PV_TARGET_DOTNET_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PV_DOTNET_HEAD = 20,          /* bytes before a message's body */
	PV_DOTNET_MESSAGE = 16 << 10, /* ours; the protocol's own limit is 64 KiB */
};

/* Command set << 8 | command. */
enum {
	PV_DOTNET_STOP_TRACING = 0x0201,
	PV_DOTNET_COLLECT_TRACING_2 = 0x0203, /* .NET 5 */
	PV_DOTNET_COLLECT_TRACING_3 = 0x0204, /* 8 */
	PV_DOTNET_COLLECT_TRACING_4 = 0x0205, /* 9 */
	PV_DOTNET_COLLECT_TRACING_5 = 0x0206, /* 10 */
	PV_DOTNET_ATTACH_PROFILER = 0x0301,
	PV_DOTNET_STARTUP_PROFILER = 0x0302,
	PV_DOTNET_RESUME_RUNTIME = 0x0401,
	PV_DOTNET_SET_ENVIRONMENT = 0x0403,
	PV_DOTNET_PROCESS_INFO_2 = 0x0404,
	PV_DOTNET_ANSWER_OK = 0xff00,
};
#define PV_DOTNET_UNKNOWN_COMMAND 0x80131385u /* the answer of a runtime too old for the command */

struct pv_dotnet_message {
	uint8_t bytes[PV_DOTNET_MESSAGE];
	size_t n;
	bool full; /* more was put than there is room for */
};

/*
 * Empties the message and puts the command's head; the other functions append bytes, or a number of
 * 32 bits.
 */
void pv_dotnet_begin(struct pv_dotnet_message *m, int command);
void pv_dotnet_put(struct pv_dotnet_message *m, const void *bytes, size_t n);
void pv_dotnet_put_u32(struct pv_dotnet_message *m, size_t n);
/* The length in UTF-16 units with the final 0, then the units. */
void pv_dotnet_put_text(struct pv_dotnet_message *m, const char *text);
/* Writes the final length into the head. */
void pv_dotnet_finish(struct pv_dotnet_message *m);

/* Length of an answer by its head; of a head while less has come; SIZE_MAX: no answer. */
size_t pv_dotnet_answer_length(const uint8_t *answer, size_t got);

#endif
