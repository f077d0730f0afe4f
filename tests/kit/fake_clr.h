/* SPDX-License-Identifier: MIT */
/*
 * A .NET runtime that is none: the tables of the profiling interfaces with a few classes, methods
 * and objects after them. A call of a slot that the fake does not have fails the test by number.
 */
#ifndef PV_TESTS_FAKE_CLR_H
#define PV_TESTS_FAKE_CLR_H

#include <stdbool.h>

#include "probe/corprof/clr_api.h"
#include "probe/corprof/clr_flags.h"

/* Ids of the fake's things. A class, its instances, an array of one, one inside it. */
enum {
	FAKE_DOMAIN = 0x1000,
	FAKE_ASSEMBLY = 0x2000,
	FAKE_MODULE = 0x3000,
	FAKE_CLASS = 0x4000,
	FAKE_CLASS_OF_INT = 0x4100,
	FAKE_ARRAY = 0x4200,
	FAKE_INNER = 0x4300,
	FAKE_INT = 0x4400,
	FAKE_STRING = 0x4500,
	FAKE_ANYTHING = 0x4600,
	FAKE_CLASS_OF_STRING = 0x4700,
	FAKE_METHOD = 0x5000,
	FAKE_GENERIC = 0x5100,
	FAKE_DYNAMIC = 0x5200,
	FAKE_BROKEN = 0x5300,
	FAKE_OBJECT = 0x10000,
	FAKE_CODE = 0x70000,
};

struct fake {
	int version;                /* of ICorProfilerInfo that it has */
	pvp_hr refuse_mask;         /* its answer to an event mask; 0: takes it */
	_Atomic uint32_t low, high; /* the mask it took */
	_Atomic unsigned masks;
	unsigned hooks;
	uint64_t (*map)(uint64_t function, void *ctx, int32_t *ret_hook);
	_Atomic unsigned suspended, suspends;
	unsigned refused_suspends; /* so many are refused, as while a collection runs */
	uint64_t statics[2];       /* of its class: a static of the class, one of each thread */
	unsigned
		unready; /* so often the class is not set up yet when it is asked for its statics */
	bool library;    /* its module is the framework's own */
	unsigned depth;  /* of the stack that a walk meets */
	unsigned objects;           /* in its heap */
	uint64_t object_size;       /* 0: it depends on the object */
	_Atomic uint64_t keywords;  /* of the last session of events, its first provider's */
	_Atomic unsigned providers; /* that it asked for */
	_Atomic unsigned sessions, stopped_sessions;
	pvp_hr (*collect)(void);        /* called for a collection that is asked for */
	void (*_Atomic starting)(void); /* called while its version is asked for */
	_Atomic pvp_hr refuse_detach;   /* 0: it may go */
	_Atomic unsigned detaches;
};

extern struct fake fake;
extern _Thread_local unsigned fake_metadata_asked; /* how often this thread asked for a module's */

/* fake_clr_meta.c: two types, a few simple ones and three methods; a text as the runtime gives it. */
extern struct pvp_clr_metadata fake_metadata;
void fake_put(const char *text, uint32_t room, uint32_t *ret_n, pvp_char *to);

/* The arguments of Initialize. */
struct pvp_clr_unknown *fake_runtime(void);

/* A callback, with whatever it takes. */
#define FAKE_CALL(profiler, slot, type, ...)                                                       \
	(((pvp_hr(*) type)(profiler)->is[PVP_CLR_##slot])((profiler), __VA_ARGS__))

struct fake_profiler {
	const pvp_clr_slot *is;
};

/* Through DllGetClassObject and the factory; fails the test when refused. */
struct fake_profiler *fake_load(void);

#endif
