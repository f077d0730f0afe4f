/*
 * A program that is started with a probe inside: the words and variables for that, the private
 * folder with the pipe of its log, and reasons why no log came. One thread.
 */
#ifndef PV_TARGET_LAUNCH_H
#define PV_TARGET_LAUNCH_H

#include <sys/types.h>

#include "common/target/program.h"
#include "common/target/words.h"

struct pv_launch_options {
	bool calls;
	const char *alloc;    /* NULL: sampled; "": every one; a period like "512k" */
	const char *sample;   /* NULL or "": 100 Hz; "0": none */
	const char *heapshot; /* NULL: none; "" or a mode */
	bool leaks;           /* sums of memory by stack; of a managed program shots by time */
	bool block;           /* without a screen: the program waits before an event is lost */
	const char *probe;    /* further options, or NULL */
	const char *folder;   /* whole trees of processes are recorded into it; NULL: one program */
	bool natives;         /* with `trees`: also those of native programs */
	bool trees;           /* without a folder: those of starters, into a temporary one, */
	const char *keep;     /* next to this file, as which the caller keeps one log; NULL: none */
};

/*
 * The options as words for a managed runtime's probe, the stock profiler's own. False: they do not
 * fit.
 */
bool pv_launch_words(const struct pv_launch_options *o, char *to, size_t room);

/* Whether the probes of these hosts understand all that is asked for; else `why`. */
bool pv_launch_check(const struct pv_launch_options *o, unsigned hosts, char ret_why[PV_WORDS_WHY]);

/* One line about options that these hosts treat otherwise than asked; false: there are none. */
bool pv_launch_note(const struct pv_launch_options *o, unsigned hosts, char *to, size_t room);

struct pv_launch {
	struct pv_program program; /* that runs in the end: after env(1), a shell with -c */
	bool started;              /* it is started by such */
	bool cleaned;              /* which drops the variables that load a probe */
	bool refused;              /* a word is not understood: `why`, no length to spare */
	char why[PV_WORDS_WHY];
	char note[160];                /* options treated otherwise than asked; "" */
	char folder[128];              /* "" until it is made */
	char pipe[160];                /* "" for a tree */
	char socket[160];              /* likewise the launcher's, of a tree; else "" */
	char records[1024];            /* the folder that a tree is recorded into; "" */
	int locks[2];                  /* of `folder` and `records`; -1 */
	bool temporary;                /* which goes with the last of the tree, */
	bool kept;                     /* but for one log */
	char library[PV_PROGRAM_PATH]; /* the probe's */
	char **argv;                   /* owned; ends with NULL */
	char **env;                    /* owned: all of the environment */
};

/*
 * Plans it: `words` (ends with NULL) is the command. Makes the private folder (0700). False as
 * pv_program_look(), or PV_EIO when the probe's library is not there. pv_launch_finish() in any
 * case.
 */
bool pv_launch_plan(struct pv_launch *ret, char *const *words, const struct pv_launch_options *o,
	bool *ret_missing, struct pv_error *reterr);

/* Whether the command is one that only starts others, as far as its words tell. */
static inline bool pv_launch_starts_others(const struct pv_launch *l)
{
	return l->started || l->program.kind == PV_PROGRAM_SCRIPT;
}

/* Makes the pipe, or the folder of a tree; pv_launch_finish() removes the pipe. False: PV_EIO. */
bool pv_launch_prepare(struct pv_launch *l, struct pv_error *reterr);
void pv_launch_finish(struct pv_launch *l, bool remove);

/*
 * Opens the pipe for writing and closes it again: so a reader that waits for the first writer sees
 * an end.
 */
void pv_launch_hang_up(const struct pv_launch *l);

/*
 * Why no log may have come from process `pid` or its children (0: it has ended already), in one
 * line.
 */
void pv_launch_silence(const struct pv_launch *l, pid_t pid, char *to, size_t room);

/*
 * The processes under this launch that have a probe and are not `followed`: "123 mono b.exe, 124
 * ..."; "" when there are none.
 */
void pv_launch_others(const struct pv_launch *l, pid_t followed, char *to, size_t room);

/*
 * The path of the probe's library of that name: installed, in our build folder, or written from this
 * program, which may carry it. False: PV_EUSAGE, there is none; PV_EIO, it cannot be written ("" in `to`).
 */
bool pv_launch_library(const char *name, char to[PV_PROGRAM_PATH], struct pv_error *reterr);

/* Whether there is one, without writing anything. */
bool pv_launch_has_library(const char *name);

#endif
