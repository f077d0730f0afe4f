/* SPDX-License-Identifier: MIT */
/* Signals that were ignored or blocked when profview was started, for the programs it starts. */
#include "common/target/process/inherited.h"

#include <signal.h>
#include <stddef.h>

static sigset_t ignored, blocked; /* empty, as static memory is at first */

void pv_inherited_note(void)
{
	struct sigaction now;
	sigemptyset(&ignored);
	for (int sig = 1; sig < NSIG; sig++)
		if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
			sigaddset(&ignored, sig);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	signal(SIGCHLD, SIG_DFL);
}

void pv_inherited_restore(void)
{
	struct sigaction act = { 0 };
	for (int sig = 1; sig < NSIG; sig++) {
		act.sa_handler = sigismember(&ignored, sig) == 1 ? SIG_IGN : SIG_DFL;
		sigaction(sig, &act, NULL);
	}
	sigprocmask(SIG_SETMASK, &blocked, NULL);
}
