/* SPDX-License-Identifier: MIT */
/*
 * Signals borrowed by the probe: the signal of samples, and SIGURG, by which a program under a
 * launcher learns that it has become worth a recording. The C library's functions that change a
 * signal's action or wait for signals are intercepted. The program sees a borrowed signal as its
 * own: its action is kept, read back, and taken when the signal comes from elsewhere; the probe's
 * own never reach it. A program's own system calls are not seen. Any thread, in signal handlers
 * too.
 */
#ifndef PV_PROBE_BORROWED_SIGNAL_H
#define PV_PROBE_BORROWED_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

struct pvp_borrowed {
	void (*handler)(int, siginfo_t *, void *);
	bool (*ours)(const siginfo_t *info); /* async-signal-safe */
	void (*met)(void);                   /* the program took one in a wait; NULL: nothing */
	void (*give_way)(void); /* the program reads the signal by a descriptor: send no more */
};

/* Set where functions in front of the C library's are present. */
struct pvp_signal_ways {
	/*
	 * From now on `b->handler` is what happens on the signal; `b` stays. False: refused, or both places
	 * are taken. Not in a signal handler.
	 */
	bool (*borrow)(int signal, const struct pvp_borrowed *b);
	void (*give_back)(int signal); /* sets what the program has set */
	/* The kernel's action, not the action seen by the program. False: refused. */
	bool (*real)(int signal, struct sigaction *ret);
	/* In the handler, for a signal not sent by the probe: does as the program asked. */
	void (*pass)(int signal, siginfo_t *info, void *context);
	void (*forked)(void); /* in a child */
};

/* NULL: nothing is. Set before any other constructor of the library's. */
extern const struct pvp_signal_ways *pvp_signals;

#endif
