/*
 * The signals that the probe borrows: that of samples, and SIGURG, by which a program under a launcher
 * hears that it has become worth a recording. The C library's functions that change what a signal does,
 * or that wait for signals, are called here first. The program sees a borrowed signal as its own: what it
 * sets is kept, read back, and done when the signal comes from elsewhere. The probe's own signals it never
 * gets. A program that makes system calls itself is not known here. Any thread, in signal handlers too.
 */
#ifndef PV_PROBE_BORROWED_SIGNAL_H
#define PV_PROBE_BORROWED_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

struct pvp_borrowed {
	void (*handler)(int, siginfo_t *, void *);
	bool (*ours)(const siginfo_t *info); /* async-signal-safe */
	void (*met)(void);                   /* the program took one in a wait; NULL: nothing */
	void (*give_way)(void); /* the program reads it by a descriptor: send none any more */
};

/* There are such where something is in front of the program's functions. */
struct pvp_signal_ways {
	/*
	 * From now on `b->handler` is what happens on the signal; `b` stays. False: refused, or both places
	 * are taken. Not in a signal handler.
	 */
	bool (*borrow)(int signal, const struct pvp_borrowed *b);
	void (*give_back)(int signal); /* sets what the program has set */
	/* The action that the kernel has, and not the one that the program sees. False: refused. */
	bool (*real)(int signal, struct sigaction *ret);
	/* In the handler, for a signal that is not the probe's: does what the program wants. */
	void (*pass)(int signal, siginfo_t *info, void *context);
	void (*forked)(void); /* in a child */
};

/* NULL: nothing is. Set before any other constructor of the library's. */
extern const struct pvp_signal_ways *pvp_signals;

#endif
