/* SPDX-License-Identifier: MIT */
/* Names to bytes and back, and the lists about names: lines, fields, code, loads. */
#include "common/model/persist_parts.h"

/* --- names */

#define ENTITY(F, T)                                                                               \
	F(T, key, FIGURE)                                                                          \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, extra, ID, PV_TEXTS)                                                                  \
	F(T, owner, FIGURE)                                                                        \
	F(T, domain, FIGURE)                                                                       \
	F(T, load_ns, FIGURE)                                                                      \
	F(T, unload_ns, FIGURE)                                                                    \
	F(T, before, CHAIN)                                                                        \
	F(T, next_owned, CHAIN)                                                                    \
	F(T, next_in_domain, CHAIN)                                                                \
	F(T, failed, BOOL)                                                                         \
	F(T, inferred, BOOL)
PV_SHAPE(entity, struct pv_entity, ENTITY)

#define METHOD(F, T)                                                                               \
	F(T, key, FIGURE)                                                                          \
	F(T, code, FIGURE)                                                                         \
	F(T, from_ns, FIGURE)                                                                      \
	F(T, jit_ns, FIGURE)                                                                       \
	F(T, end_ns, FIGURE)                                                                       \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, code_size, FIGURE)                                                                    \
	F(T, before, CHAIN)                                                                        \
	F(T, jits, FIGURE)                                                                         \
	F(T, next_of_class, CHAIN)                                                                 \
	F(T, shared, BOOL)                                                                         \
	F(T, used, BOOL)                                                                           \
	F(T, native, BOOL)
PV_SHAPE(method, struct pv_method, METHOD)

#define CLASS_USE(F, T)                                                                            \
	F(T, key, FIGURE)                                                                          \
	F(T, entity, FIGURE)                                                                       \
	F(T, by_vtable, BOOL)                                                                      \
	F(T, ended, BOOL)                                                                          \
	F(T, other, BOOL)                                                                          \
	F(T, before, CHAIN)                                                                        \
	F(T, last_ns, FIGURE)
PV_SHAPE(class_use, struct pv_class_use, CLASS_USE)

#define RANGE(F, T)                                                                                \
	F(T, start, FIGURE)                                                                        \
	F(T, size, FIGURE)                                                                         \
	F(T, value, FIGURE)                                                                        \
	F(T, order, FIGURE)
PV_SHAPE(range, struct pv_range, RANGE)

#define RANGES(F, T)                                                                               \
	F(T, range, LIST, range, PV_NO_STORE, 0)                                                   \
	F(T, run, FIGURES, uint32_t)                                                               \
	F(T, runs, FIGURE)                                                                         \
	F(T, added, FIGURE)
PV_SHAPE(ranges, struct pv_ranges, RANGES)

#define NAMES(F, T)                                                                                \
	F(T, text, LEFT_OUT_ALL)                                                                   \
	F(T, entity, LISTS, entity, PV_ENTITIES, 0)                                                \
	F(T, entity_of, MAP, ID, PV_ENTITIES)                                                      \
	F(T, method, LIST, method, PV_METHODS, 0)                                                  \
	F(T, method_of, MAP, SOME, PV_METHODS)                                                     \
	F(T, place_of, MAP, SOME, PV_METHODS)                                                      \
	F(T, class_use, LIST, class_use, PV_CLASS_USES, 0)                                         \
	F(T, class_of, MAP, SOME, PV_CLASS_USES)                                                   \
	F(T, classes_by_vtable, BOOL)                                                              \
	F(T, symbols, PART, ranges)                                                                \
	F(T, functions, PART, ranges)                                                              \
	F(T, code, PART, ranges)                                                                   \
	F(T, class_cap, LEFT_OUT)                                                                  \
	F(T, other_class, ID, PV_CLASS_USES)                                                       \
	F(T, method_cap, LEFT_OUT)                                                                 \
	F(T, other_method, ID, PV_METHODS)                                                         \
	F(T, folded_uses, FIGURE)                                                                  \
	F(T, classes_folded, ID, PV_CLASS_USES)                                                    \
	F(T, entity_cap, LEFT_OUT)                                                                 \
	F(T, undefined, FIGURE)                                                                    \
	F(T, unloads, FIGURE)                                                                      \
	F(T, epochs, FIGURE)                                                                       \
	F(T, ambiguous_ends, FIGURE)                                                               \
	F(T, uninlined, FIGURE)                                                                    \
	F(T, unlined, FIGURE)                                                                      \
	F(T, changes, FIGURE)                                                                      \
	F(T, applied_ns, FIGURE)                                                                   \
	F(T, class_fold_at, FIGURE)                                                                \
	F(T, newly_shared, LEFT_OUT_ALL)                                                           \
	F(T, all_shared, BOOL)                                                                     \
	F(T, key_epochs, LEFT_OUT_ALL)                                                             \
	F(T, method_epochs, LEFT_OUT_ALL)                                                          \
	F(T, use_of_entity, LEFT_OUT_ALL)                                                          \
	F(T, use_unbound, LEFT_OUT_ALL)                                                            \
	F(T, native_of, MAP, SOME, PV_METHODS)                                                     \
	F(T, methods_of, MAP, ID, PV_METHODS)                                                      \
	F(T, living, MAP, FIGURE, 0)                                                               \
	F(T, owned, MAP, ID, PV_ENTITIES)                                                          \
	F(T, in_domain, MAP, ID, PV_VTABLES)                                                       \
	F(T, outlived, LEFT_OUT_ALL)                                                               \
	F(T, outlived_domain, LEFT_OUT_ALL)                                                        \
	F(T, outlived_class, LEFT_OUT_ALL)
PV_SHAPE_SHARED(names, struct pv_names, NAMES)

static bool ranges_hold(const struct pv_ranges *r, uint64_t values)
{
	bool ok = pv_ranges_hold(r);
	for (size_t i = 0; i < r->range.n; i++)
		ok &= r->range.v[i].value < values;
	return ok;
}

static bool class_uses_hold(const struct pv_names *n)
{
	bool ok = true;
	for (size_t i = 0; i < n->class_use.n; i++) {
		const struct pv_class_use *u = &n->class_use.v[i];
		ok &= u->entity < n->entity[u->by_vtable ? PV_ENTITY_VTABLE : PV_ENTITY_CLASS].n;
	}
	return ok;
}

void pv_names_archive(struct pv_archive *a, struct pv_names *n)
{
	uint64_t changes = n->changes;
	if (!pv_archive_loads(a) && !pv_names_relist(n))
		a->failed = true;
	pv_archive_intern(a, &n->text, PV_TEXTS);
	pv_archive_shape(a, &names_shape, n);
	if (!pv_archive_loads(a))
		return;
	n->changes += changes + 1;
	bool any = n->method.n > 0 && n->class_use.n > 0;
	for (unsigned i = 0; i < PV_ENTITY_KINDS; i++)
		any &= n->entity[i].n > 0;
	pv_archive_check(a, any && ranges_hold(&n->symbols, a->store[PV_TEXTS]) &&
				    ranges_hold(&n->functions, a->store[PV_TEXTS]) &&
				    ranges_hold(&n->code, n->method.n) && class_uses_hold(n));
	if (pv_archive_loads(a))
		a->failed = !pv_names_link(n);
}

/* --- source lines */

#define LINE(F, T)                                                                                 \
	F(T, offset, FIGURE)                                                                       \
	F(T, line, FIGURE)
PV_SHAPE(line, struct pv_line, LINE)

#define LINE_TABLE(F, T)                                                                           \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, file, ID, PV_TEXTS)                                                                   \
	F(T, first, FIGURE)                                                                        \
	F(T, n, FIGURE)
PV_SHAPE(line_table, struct pv_line_table, LINE_TABLE)

#define IL_STEP(F, T)                                                                              \
	F(T, native, FIGURE)                                                                       \
	F(T, il, FIGURE)
PV_SHAPE(il_step, struct pv_il_step, IL_STEP)

#define IL_MAP(F, T)                                                                               \
	F(T, code, FIGURE)                                                                         \
	F(T, size, FIGURE)                                                                         \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, image, ID, PV_IMAGES)                                                                 \
	F(T, token, FIGURE)                                                                        \
	F(T, first, FIGURE)                                                                        \
	F(T, n, FIGURE)                                                                            \
	F(T, bodies, FIGURE)                                                                       \
	F(T, before, OLDER)
PV_SHAPE(il_map, struct pv_il_map, IL_MAP)

#define IL_MAPS(F, T)                                                                              \
	F(T, map, LIST, il_map, PV_IL_MAPS, PV_IL_MAPS_CAP + 1)                                    \
	F(T, step, LIST, il_step, PV_NO_STORE, PV_IL_STEPS_CAP)                                    \
	F(T, lines, LEFT_OUT)                                                                      \
	F(T, of, MAP, ID, PV_IL_MAPS)                                                              \
	F(T, dropped, FIGURE)
PV_SHAPE(il_maps, struct pv_il_maps, IL_MAPS)

#define LINES(F, T)                                                                                \
	F(T, table, LIST, line_table, PV_LINE_TABLES, 0)                                           \
	F(T, line, LIST, line, PV_NO_STORE, PV_LINES_CAP)                                          \
	F(T, table_of, MAP, ID, PV_LINE_TABLES)                                                    \
	F(T, dropped, FIGURE)                                                                      \
	F(T, il, PART, il_maps)
PV_SHAPE_SHARED(lines, struct pv_lines, LINES)

#define PLACE(F, T)                                                                                \
	F(T, address, FIGURE)                                                                      \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, before, ID, PV_PLACES)
PV_SHAPE(place, struct pv_place, PLACE)

#define PLACE_NODE(F, T)                                                                           \
	F(T, samples, FIGURE)                                                                      \
	F(T, parent, ID, PV_PLACE_NODES)                                                           \
	F(T, place, ID, PV_PLACES)                                                                 \
	F(T, call, ID, PV_NODES)                                                                   \
	F(T, same, ID, PV_PLACE_NODES)
PV_SHAPE(place_node, struct pv_place_node, PLACE_NODE)

#define PLACE_SUM(F, T)                                                                            \
	F(T, node, ID, PV_PLACE_NODES)                                                             \
	F(T, allocations, FIGURE)                                                                  \
	F(T, bytes, FIGURE)                                                                        \
	F(T, waits, FIGURE)                                                                        \
	F(T, wait_ns, FIGURE)                                                                      \
	F(T, throws, FIGURE)
PV_SHAPE(place_sum, struct pv_place_sum, PLACE_SUM)

#define PLACES(F, T)                                                                               \
	F(T, place, LIST, place, PV_PLACES, PV_PLACES_CAP)                                         \
	F(T, node, LIST, place_node, PV_PLACE_NODES, PV_PLACES_CAP)                                \
	F(T, place_of, MAP, ID, PV_PLACES)                                                         \
	F(T, node_of, MAP, ID, PV_PLACE_NODES)                                                     \
	F(T, samples, FIGURE)                                                                      \
	F(T, dropped, FIGURE)                                                                      \
	F(T, sum, LIST, place_sum, PV_PLACE_SUMS, PV_PLACES_CAP)                                   \
	F(T, sum_of, MAP, ID, PV_PLACE_SUMS)
PV_SHAPE_SHARED(places, struct pv_places, PLACES)

/* --- fields of classes */

#define FIELD(F, T)                                                                                \
	F(T, owner, FIGURE)                                                                        \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, offset, FIGURE)                                                                       \
	F(T, before, OLDER_1)                                                                      \
	F(T, is_static, BOOL)
PV_SHAPE(field, struct pv_field, FIELD)

#define PARENT(F, T)                                                                               \
	F(T, owner, FIGURE)                                                                        \
	F(T, parent, FIGURE)                                                                       \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, before, OLDER_1)
PV_SHAPE(parent, struct pv_parent, PARENT)

#define ELEMENTS(F, T)                                                                             \
	F(T, owner, FIGURE)                                                                        \
	F(T, time_ns, FIGURE)                                                                      \
	F(T, first, FIGURE)                                                                        \
	F(T, size, FIGURE)                                                                         \
	F(T, before, OLDER_1)
PV_SHAPE(elements, struct pv_elements, ELEMENTS)

#define FIELDS(F, T)                                                                               \
	F(T, field, LIST, field, PV_FIELDS, PV_FIELDS_CAP)                                         \
	F(T, parent, LIST, parent, PV_PARENTS, PV_FIELDS_CAP)                                      \
	F(T, elements, LIST, elements, PV_ARRAYS_ELEMENTS, PV_FIELDS_CAP)                          \
	F(T, field_of, MAP, ID_1, PV_FIELDS)                                                       \
	F(T, parent_of, MAP, ID_1, PV_PARENTS)                                                     \
	F(T, elements_of, MAP, ID_1, PV_ARRAYS_ELEMENTS)                                           \
	F(T, known, LEFT_OUT_ALL)                                                                  \
	F(T, dropped, FIGURE)
PV_SHAPE_SHARED(fields, struct pv_fields, FIELDS)

/* --- compiled code, code coverage */

#define HELPER_SUM(F, T)                                                                           \
	F(T, count, FIGURE)                                                                        \
	F(T, bytes, FIGURE)
PV_SHAPE(helper_sum, struct pv_helper_sum, HELPER_SUM)

#define COVERED_ASSEMBLY(F, T)                                                                     \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, guid, ID, PV_TEXTS)                                                                   \
	F(T, file, ID, PV_TEXTS)                                                                   \
	F(T, methods, FIGURE)                                                                      \
	F(T, full, FIGURE)                                                                         \
	F(T, partial, FIGURE)
PV_SHAPE(covered_assembly, struct pv_covered_assembly, COVERED_ASSEMBLY)

#define COVERED_CLASS(F, T)                                                                        \
	F(T, assembly, ID, PV_TEXTS)                                                               \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, methods, FIGURE)                                                                      \
	F(T, full, FIGURE)                                                                         \
	F(T, partial, FIGURE)
PV_SHAPE(covered_class, struct pv_covered_class, COVERED_CLASS)

#define COVERED_METHOD(F, T)                                                                       \
	F(T, assembly, ID, PV_TEXTS)                                                               \
	F(T, class_name, ID, PV_TEXTS)                                                             \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, signature, ID, PV_TEXTS)                                                              \
	F(T, file, ID, PV_TEXTS)                                                                   \
	F(T, token, FIGURE)                                                                        \
	F(T, id, FIGURE)                                                                           \
	F(T, statements, FIGURE)                                                                   \
	F(T, covered, FIGURE)                                                                      \
	F(T, seen, FIGURE)                                                                         \
	F(T, il, FIGURE)
PV_SHAPE(covered_method, struct pv_covered_method, COVERED_METHOD)

#define COVERED_STATEMENT(F, T)                                                                    \
	F(T, method, ID, PV_COVERED_METHODS)                                                       \
	F(T, il, FIGURE)                                                                           \
	F(T, hits, FIGURE)                                                                         \
	F(T, line, FIGURE)                                                                         \
	F(T, column, FIGURE)
PV_SHAPE(covered_statement, struct pv_covered_statement, COVERED_STATEMENT)

#define NAMED_HELPER(F, T)                                                                         \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, type, BELOW, PV_HELPER_TYPES)                                                         \
	F(T, sum, PART, helper_sum)
PV_SHAPE(named_helper, struct pv_named_helper, NAMED_HELPER)

#define HELPERS(F, T)                                                                              \
	F(T, helper, PART, helper_sum)                                                             \
	F(T, named, LIST, named_helper, PV_NAMED_HELPERS, PV_HELPER_NAMES)                         \
	F(T, count, FIGURE)                                                                        \
	F(T, bytes, FIGURE)                                                                        \
	F(T, jitted, FIGURE)                                                                       \
	F(T, code_bytes, FIGURE)                                                                   \
	F(T, bad_sizes, FIGURE)                                                                    \
	F(T, assemblies, LIST, covered_assembly, PV_NO_STORE, 0)                                   \
	F(T, classes, LIST, covered_class, PV_NO_STORE, 0)                                         \
	F(T, methods, LIST, covered_method, PV_COVERED_METHODS, 0)                                 \
	F(T, statements, LIST, covered_statement, PV_NO_STORE, PV_COVERAGE_LIST)                   \
	F(T, statements_dropped, FIGURE)                                                           \
	F(T, stray_statements, FIGURE)                                                             \
	F(T, method_of, MAP, ID, PV_COVERED_METHODS)                                               \
	F(T, named_of, MAP, ID, PV_NAMED_HELPERS)                                                  \
	F(T, newest_of, LEFT_OUT_ALL)                                                              \
	F(T, linked, LEFT_OUT_ALL)
PV_SHAPE_SHARED(helpers, struct pv_helpers, HELPERS)

/* --- loads and compilations */

#define LOAD(F, T)                                                                                 \
	F(T, end_ns, FIGURE)                                                                       \
	F(T, took_ns, FIGURE)                                                                      \
	F(T, key, FIGURE)                                                                          \
	F(T, name, ID, PV_TEXTS)                                                                   \
	F(T, what, BELOW, PV_ENTITY_KINDS)                                                         \
	F(T, unload, BOOL)                                                                         \
	F(T, failed, BOOL)
PV_SHAPE(load, struct pv_load, LOAD)

#define COMPILE(F, T)                                                                              \
	F(T, method, ID, PV_METHODS)                                                               \
	F(T, times, FIGURE)                                                                        \
	F(T, failed, FIGURE)                                                                       \
	F(T, total_ns, FIGURE)                                                                     \
	F(T, max_ns, FIGURE)
PV_SHAPE(compile, struct pv_compile, COMPILE)

#define LOADS(F, T)                                                                                \
	F(T, load, LIST, load, PV_NO_STORE, PV_LOADS_LIST)                                         \
	F(T, loads, FIGURE)                                                                        \
	F(T, failed, FIGURE)                                                                       \
	F(T, compile, LIST, compile, PV_COMPILES, 0)                                               \
	F(T, compile_of, MAP, ID, PV_COMPILES)                                                     \
	F(T, compiles, FIGURE)                                                                     \
	F(T, compiles_failed, FIGURE)                                                              \
	F(T, compile_ns, FIGURE)                                                                   \
	F(T, compile_max_ns, FIGURE)
PV_SHAPE_SHARED(loads, struct pv_loads, LOADS)
