/* SPDX-License-Identifier: MIT */
/*
 * mlpd.def with the macros common to its rows. A user defines EVENT, READ, ALT, EXT, F, V and W
 * before, and includes this file once. Nothing but macros.
 */
#define NONE  MLPD_SUB_NONE
#define ANY   MLPD_SUB_ANY
#define NEVER 100 /* no data version */
#define NO_FIELDS
#define BACKTRACE(member) W(1, 12, POINTERS, BT, member) V(13, 99, BT, member)

/* The three kinds of names in METADATA before data version 11, and two of no known writer. */
#define OLD_META_AS(byte, CLASS, IMAGE, THREAD, failed)                                            \
	READ(CLASS, CLASS_LOAD, byte, 1, 1, 10, 1,                                                 \
		F(PTR, meta.key) F(PTR, meta.image) F(FLAGS, meta.flags) F(CSTR, meta.name)        \
			failed)                                                                    \
	READ(IMAGE, IMAGE_LOAD, byte, 2, 1, 10, 1,                                                 \
		F(PTR, meta.key) F(FLAGS, meta.flags) F(CSTR, meta.name)                           \
			V(NEVER, NEVER, CSTR, meta.mvid) failed)                                   \
	READ(ASSEMBLY_10, ASSEMBLY_LOAD, byte, 3, 1, 10, 1,                                        \
		F(PTR, meta.key) V(NEVER, NEVER, CSTR, meta.name) failed)                          \
	READ(DOMAIN_10, DOMAIN_LOAD, byte, 4, 1, 10, 1, F(PTR, meta.key) failed)                   \
	READ(THREAD, THREAD_NAME, byte, 5, 1, 10, 1,                                               \
		F(PTR, meta.key) F(FLAGS, meta.flags) F(CSTR, meta.name) failed)
#define OLD_META(byte) OLD_META_AS(byte, CLASS_10, IMAGE_10, THREAD_10, NO_FIELDS)
#define OLD_META_FAILED(byte)                                                                      \
	OLD_META_AS(byte, CLASS_FAILED, IMAGE_FAILED, THREAD_FAILED, F(SET, meta.failed))

#include "common/format/mlpd/mlpd.def"

#undef NONE
#undef ANY
#undef NEVER
#undef NO_FIELDS
#undef BACKTRACE
#undef OLD_META
#undef OLD_META_AS
#undef OLD_META_FAILED
