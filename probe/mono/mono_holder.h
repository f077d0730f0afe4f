/* SPDX-License-Identifier: MIT */
/* The holder of a monitor that another thread is about to wait for. */
#ifndef PV_PROBE_MONO_HOLDER_H
#define PV_PROBE_MONO_HOLDER_H

#include <mono/metadata/object.h>
#include <stdint.h>

/* In the module's init. */
void pvp_mono_holder_init(void);
/* Registers the calling thread as a possible holder. Any thread of the runtime. */
void pvp_mono_holder_met(void);
/* In the callback of a contention: the native id of the object's holder; 0: not known. */
uint64_t pvp_mono_holder(MonoObject *object);
/* Likewise: the address of Mono's lock, unchanged when the object moves; 0: unknown. */
uint64_t pvp_mono_lock(MonoObject *object);

#endif
