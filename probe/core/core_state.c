/* SPDX-License-Identifier: MIT */
/* State shared by the files of the core. */
#include "probe/core/core_state.h"
#include "probe/core/thread_buf.h"

struct pvp_thread pvp_no_thread;

_Thread_local struct pvp_tls pvp_tls __attribute__((tls_model("initial-exec"))) = {
	.thread = &pvp_no_thread,
};

struct pvp_core pvp_core = { .lock = PTHREAD_MUTEX_INITIALIZER };

void (*_Atomic pvp_reborn)(void);
