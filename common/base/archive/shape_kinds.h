/* SPDX-License-Identifier: MIT */
/*
 * The words that describe a field, only for shape.h. Each word makes a row, and an initialiser of
 * the field for the compiler to count.
 */
#ifndef PV_BASE_SHAPE_KINDS_H
#define PV_BASE_SHAPE_KINDS_H

/* clang-format off */
#define PV_MEMBER_(T, f) (((T *)0)->f)
#define PV_TYPE_SIZE_(name) sizeof(name##_shape_type)
/* Fails to compile where `ok` is false; 0. */
#define PV_CHECKED_(ok) (0 * sizeof(char[(ok) ? 1 : -1]))
/* Numbers only: pointers and structures do not convert. */
#define PV_NUMBER_(T, f) (uint32_t)(sizeof PV_MEMBER_(T, f) + 0 * sizeof((double)PV_MEMBER_(T, f)))
#define PV_PLACE_(T, f) #f, offsetof(T, f), sizeof PV_MEMBER_(T, f)
/* A scalar of this size. */
#define PV_SIZED_(T, f, size, kind, of)                                                            \
	{ PV_PLACE_(T, f), (uint32_t)(PV_NUMBER_(T, f) +                                           \
		PV_CHECKED_(sizeof PV_MEMBER_(T, f) == (size))), kind, 0, of, 0, NULL },
#define PV_SCALAR_(T, f, kind, of) { PV_PLACE_(T, f), PV_NUMBER_(T, f), kind, 0, of, 0, NULL },
#define PV_SCALARS_(T, f, type, kind, of) { PV_PLACE_(T, f), sizeof(type), kind, 0, of, 0, NULL },
#define PV_LIST_(T, f, array, kind, name, of, most)                                                \
	{ PV_PLACE_(T, f), (uint32_t)(sizeof(array) +                                              \
		PV_CHECKED_(sizeof *(array).v == PV_TYPE_SIZE_(name))), kind, 0, of, most,         \
		&name##_shape },

#define PV_ROW_FIGURE(T, f, ...)        PV_SCALAR_(T, f, PV_FIGURE, 0)
#define PV_ROW_FIGURES(T, f, type, ...) PV_SCALARS_(T, f, type, PV_FIGURE, 0)
#define PV_ROW_BOOL(T, f, ...)          PV_SIZED_(T, f, 1, PV_BELOW, 2)
#define PV_ROW_BELOW(T, f, limit, ...)  PV_SCALAR_(T, f, PV_BELOW, limit)
#define PV_ROW_AT_MOST(T, f, most, ...) PV_SCALAR_(T, f, PV_AT_MOST, most)
#define PV_ROW_ID(T, f, store, ...)     PV_SCALAR_(T, f, PV_ID, store)
#define PV_ROW_ID_1(T, f, store, ...)   PV_SCALAR_(T, f, PV_ID_1, store)
#define PV_ROW_IDS_1(T, f, type, store, ...) PV_SCALARS_(T, f, type, PV_ID_1, store)
#define PV_ROW_OLDER(T, f, ...)         PV_SIZED_(T, f, 4, PV_OLDER, 0)
#define PV_ROW_OLDER_1(T, f, ...)       PV_SIZED_(T, f, 4, PV_OLDER_1, 0)
#define PV_ROW_CHAIN(T, f, ...)         PV_SIZED_(T, f, 4, PV_CHAIN, 0)
#define PV_ROW_RISING(T, f, ...)        PV_SIZED_(T, f, 8, PV_RISING, 0)
#define PV_ROW_WIDTH(T, f, ...)         PV_SIZED_(T, f, 8, PV_WIDTH, 0)
#define PV_ROW_REAL(T, f, ...)          PV_SIZED_(T, f, 8, PV_REAL, 0)
#define PV_ROW_FRACTION(T, f, ...)      PV_SIZED_(T, f, 8, PV_FRACTION, 0)
#define PV_ROW_CHARS(T, f, ...)         PV_SCALARS_(T, f, char, PV_CHARS, 0)
#define PV_ROW_LEFT_OUT(T, f, ...)      PV_SCALARS_(T, f, char, PV_LEFT_OUT, 0)
#define PV_ROW_LEFT_OUT_ALL(T, f, ...)  PV_SCALARS_(T, f, char, PV_LEFT_OUT, 0) /* no scalar */
#define PV_ROW_PART(T, f, name, ...)                                                               \
	{ PV_PLACE_(T, f), PV_TYPE_SIZE_(name), PV_PART, 0, 0, 0, &name##_shape },
#define PV_ROW_LIST(T, f, name, store, most, ...)                                                  \
	PV_LIST_(T, f, PV_MEMBER_(T, f), PV_LIST, name, store, most)
#define PV_ROW_LISTS(T, f, name, store, most, ...)                                                 \
	PV_LIST_(T, f, PV_MEMBER_(T, f)[0], PV_LIST, name, store, most)
#define PV_ROW_TABLE(T, f, name, store, most, ...)                                                 \
	PV_LIST_(T, f, PV_MEMBER_(T, f), PV_TABLE, name, store, most)
/* Values are FIGURE, or ID, ID_1 or SOME of a store. */
#define PV_ROW_MAP(T, f, value, store, ...)                                                        \
	{ PV_PLACE_(T, f), sizeof(struct pv_map), PV_MAP, PV_##value, store, 0, NULL },

#define PV_ROW_(T, f, KIND, ...)    PV_ROW_##KIND(T, f, __VA_ARGS__, 0)
#define PV_NONE_(T, f, KIND, ...)   PV_NONE_##KIND,
#define PV_ONCE_(T, f, ...)         [offsetof(T, f)] = 1,

/* How each is initialised. */
#define PV_NONE_FIGURE 0
#define PV_NONE_BOOL 0
#define PV_NONE_BELOW 0
#define PV_NONE_AT_MOST 0
#define PV_NONE_ID 0
#define PV_NONE_ID_1 0
#define PV_NONE_OLDER 0
#define PV_NONE_OLDER_1 0
#define PV_NONE_CHAIN 0
#define PV_NONE_RISING 0
#define PV_NONE_WIDTH 0
#define PV_NONE_REAL 0
#define PV_NONE_FRACTION 0
#define PV_NONE_LEFT_OUT 0
#define PV_NONE_FIGURES { 0 }
#define PV_NONE_IDS_1 { 0 }
#define PV_NONE_CHARS { 0 }
#define PV_NONE_LEFT_OUT_ALL { 0 }
#define PV_NONE_PART { 0 }
#define PV_NONE_LIST { 0 }
#define PV_NONE_LISTS { 0 }
#define PV_NONE_TABLE { 0 }
#define PV_NONE_MAP { 0 }
/* clang-format on */

#endif
