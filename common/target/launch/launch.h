/* SPDX-License-Identifier: MIT */
/*
 * Starting a program with a probe: the words and variables of the probe, the private folder with
 * the pipe of the log, and reasons why no log came. One thread.
 */
#ifndef PV_TARGET_LAUNCH_H
#define PV_TARGET_LAUNCH_H

#include <sys/types.h>

#include "common/target/launch/outside.h"
#include "common/target/process/program.h"
#include "common/target/process/words.h"

struct pv_launch_options {
	bool calls;
	const char *alloc;    /* NULL: sampled; "": every allocation; a period like "512k" */
	const char *sample;   /* NULL or "": 100 Hz; "0": none */
	const char *heapshot; /* NULL: none; "" or a mode */
	bool leaks;           /* sums of memory by stack; of a managed program shots by time */
	bool block;           /* without a screen: the program waits before an event is lost */
	const char *probe;    /* further options, or NULL */
	const char *folder;   /* records whole trees of processes there; NULL: one program */
	bool outside;         /* no probe where the recorder can watch the program */
	bool natives;         /* with `trees`: native programs, too */
	bool trees;       /* without a folder: records a starter's tree in a temporary folder, */
	const char *keep; /* next to this file, where the caller keeps one log; NULL: none */
};

/*
 * The options as words for a managed runtime's probe, the stock profiler's own. False: they do not
 * fit.
 */
bool pv_launch_words(const struct pv_launch_options *o, enum pv_host host, char *to, size_t room);

/* Whether the probes of these hosts understand all options; else `why`. */
bool pv_launch_check(const struct pv_launch_options *o, unsigned hosts, char ret_why[PV_WORDS_WHY]);

/* One line about options that these hosts treat otherwise than asked; false: none. */
bool pv_launch_note(const struct pv_launch_options *o, unsigned hosts, char *to, size_t room);

struct pv_launch {
	struct pv_program program; /* the final program: after env(1), a shell with -c */
	bool started;              /* by such a starter */
	bool cleaned;              /* and the starter drops the variables that load a probe */
	bool refused;              /* a word is not understood: `why`, no length to spare */
	char why[PV_WORDS_WHY];
	char note[440];   /* options or ways treated otherwise than asked; "" */
	char folder[128]; /* "" until made */
	char pipe[160];   /* "" for a tree */
	char socket[160]; /* likewise the launcher's, of a tree; else "" */
	bool streams;     /* calls at `door` for its event stream: no probe can be loaded */
	char door[160];
	char records[1024];            /* folder of a tree's logs; "" */
	int locks[2];                  /* of `folder` and `records`; -1 */
	bool temporary;                /* removed with the last of the tree, */
	bool kept;                     /* but for one log */
	char library[PV_PROGRAM_PATH]; /* the probe's */
	struct pv_outside recorder;    /* watches the program; fd -1: the probe does */
	char recorder_words[1024];
	char **argv; /* owned; ends with NULL */
	char **env;  /* owned: all of the environment */
};

/*
 * Plans the launch: `words` (ends with NULL) is the command. Makes the private folder (0700). False
 * as pv_program_look(), or PV_EIO when the probe's library is missing. With `outside` forks, so no
 * thread may run yet. pv_launch_finish() in any case.
 */
bool pv_launch_plan(struct pv_launch *ret, char *const *words, const struct pv_launch_options *o,
	bool *ret_missing, struct pv_error *reterr);

/* Whether the command only starts others, as far as its words say. */
static inline bool pv_launch_starts_others(const struct pv_launch *l)
{
	return l->started || l->program.kind == PV_PROGRAM_SCRIPT;
}

/*
 * Whether the command is one of .NET's SDK that runs a program: the SDK's own processes are not
 * recorded.
 */
bool pv_launch_leaves_sdk_out(const struct pv_launch *l);

/*
 * The last step of planning: with `outside` starts the recorder. Where the kernel refuses, the probe
 * stays and `note` says why. False: PV_EUSAGE with `refused` and `why`, words that are not
 * understood; PV_EIO.
 */
bool pv_launch_outside(
	struct pv_launch *l, const struct pv_launch_options *o, struct pv_error *reterr);

/* In the process that becomes the program: has the recorder begin. False: the probe is needed. */
bool pv_launch_is_watched(struct pv_launch *l);

/* Makes the pipe, or the folder of a tree; pv_launch_finish() removes the pipe. False: PV_EIO. */
bool pv_launch_prepare(struct pv_launch *l, struct pv_error *reterr);
void pv_launch_finish(struct pv_launch *l, bool remove);

/*
 * Opens the pipe for writing and closes it again: a reader waiting for the first writer sees an
 * end.
 */
void pv_launch_hang_up(const struct pv_launch *l);

/* Why no log may have come from process `pid` or its children (0: already ended), in one line. */
void pv_launch_silence(const struct pv_launch *l, pid_t pid, char *to, size_t room);

/*
 * Processes under this launch with a probe, other than `followed`: "123 mono b.exe, 124 ..."; ""
 * when there are none.
 */
void pv_launch_others(const struct pv_launch *l, pid_t followed, char *to, size_t room);

/*
 * The path of the probe's library `name`: installed, in our build folder, or written from the one
 * file. False: PV_EUSAGE, no such library; PV_EIO, writing failed ("" in `to`).
 */
bool pv_launch_library(const char *name, char to[PV_PROGRAM_PATH], struct pv_error *reterr);

/* Whether the library exists; writes nothing. */
bool pv_launch_has_library(const char *name);

#endif
