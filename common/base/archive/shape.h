/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of structures, for archives. A description is a list F(T, field, KIND, ...) of all
 * fields of a structure in a macro, made into a `struct pv_shape` by PV_SHAPE():
 *
 *     #define FOO(F, T) F(T, count, FIGURE) F(T, name, ID, TEXTS) F(T, last, LEFT_OUT)
 *     PV_SHAPE(foo, struct foo, FOO)
 *
 * A missing or repeated field stops the build, so a new field needs a word: how the field is kept,
 * and by what its values are checked when they are read. The words stand in shape_kinds.h.
 * Constants: any thread.
 */
#ifndef PV_BASE_SHAPE_H
#define PV_BASE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"

enum pv_field_kind {
	PV_FIGURE, /* any value: a figure, a time, a key */
	PV_BELOW,  /* less than `of` */
	PV_AT_MOST,
	PV_ID,    /* an index in store `of` */
	PV_ID_1,  /* likewise + 1, 0 = none */
	PV_SOME,  /* values of a map: an index in store `of`, never 0, as 0 means none */
	PV_OLDER, /* index of an earlier element of this list, 0 = none */
	PV_OLDER_1,
	PV_CHAIN,    /* index of another element, 0 ends; every chain must end */
	PV_RISING,   /* signed, not less than the element before */
	PV_WIDTH,    /* signed, above 0 */
	PV_REAL,     /* finite, not negative */
	PV_FRACTION, /* 0 to 1 */
	PV_CHARS,    /* text in an array, ended by a NUL */
	PV_PART,     /* a structure with its own shape, or an array of such */
	PV_LIST,     /* a PV_ARRAY, or an array of them, in stores `of`, `of` + 1 ... */
	PV_TABLE,    /* likewise, growing by pv_table_reserve() */
	PV_MAP,      /* a struct pv_map, or an array of them */
	PV_LEFT_OUT, /* keeps the value of a new structure */
};

struct pv_shape;

struct pv_field_row {
	const char *name;
	uint32_t offset, size; /* of the whole field */
	uint32_t each;         /* size of an element of an array */
	uint8_t kind, value;   /* enum pv_field_kind; of a map's values */
	uint64_t of, most;     /* elements, 0 = as many as you like */
	const struct pv_shape *shape;
};

struct pv_shape {
	size_t size;
	size_t n;
	const struct pv_field_row *row;
};

#include "common/base/archive/shape_kinds.h"

/*
 * The shape `name`_shape of structures of a type. The compiler counts the initialisers: a structure
 * must have as many fields as described.
 */
#define PV_SHAPE(name, type, FIELDS)                                                               \
	PV_SHAPE_PARTS_(name, type, FIELDS)                                                        \
	static const struct pv_shape name##_shape __attribute__((unused)) = PV_SHAPE_OF_(name);
/* A shape known to other files by PV_SHAPE_IS(). */
#define PV_SHAPE_SHARED(name, type, FIELDS)                                                        \
	PV_SHAPE_PARTS_(name, type, FIELDS)                                                        \
	const struct pv_shape name##_shape = PV_SHAPE_OF_(name);
#define PV_SHAPE_IS(name, type)                                                                    \
	typedef type name##_shape_type;                                                            \
	extern const struct pv_shape name##_shape;

#define PV_SHAPE_OF_(name)                                                                         \
	{ PV_TYPE_SIZE_(name), sizeof name##_rows / sizeof *name##_rows, name##_rows }
#define PV_SHAPE_PARTS_(name, type, FIELDS)                                                        \
	typedef type name##_shape_type;                                                            \
	PV_SHAPE_STRICT_                                                                           \
	static const type name##_all __attribute__((unused)) = { FIELDS(PV_NONE_, type) };         \
	static const char name##_once[sizeof(type)]                                                \
		__attribute__((unused)) = { FIELDS(PV_ONCE_, type) };                              \
	_Pragma("GCC diagnostic pop") static const struct pv_field_row name##_rows[] = { FIELDS(   \
		PV_ROW_, type) };
#ifdef __clang__
#define PV_SHAPE_STRICT_                                                                           \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"")      \
		_Pragma("GCC diagnostic error \"-Wmissing-field-initializers\"")                   \
			_Pragma("GCC diagnostic error \"-Winitializer-overrides\"")
#else
#define PV_SHAPE_STRICT_                                                                           \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"")      \
		_Pragma("GCC diagnostic error \"-Wmissing-field-initializers\"")                   \
			_Pragma("GCC diagnostic error \"-Woverride-init\"")
#endif

/* Lists of bare numbers: the shape `name`_shape of elements of a type. */
#define PV_NUMBERS(name, type, kind, of)                                                           \
	typedef type name##_shape_type;                                                            \
	static const struct pv_field_row name##_rows[] = { { NULL, 0, sizeof(type), sizeof(type),  \
		kind, 0, of, 0, NULL } };                                                          \
	static const struct pv_shape name##_shape = { sizeof(type), 1, name##_rows };

/* A hash of the shape: changes with any field. */
uint64_t pv_shape_hash(const struct pv_shape *shape);

#endif
