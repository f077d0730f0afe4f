/* The views there are, by name: the rows of views.h. */
#ifndef PV_QUERY_VIEW_LIST_H
#define PV_QUERY_VIEW_LIST_H

/* VIEW(SYMBOL, name): name is the table's name; report sections use the same words. */
#define PV_VIEWS(VIEW)                                                                             \
	VIEW(METHODS, "methods")                                                                   \
	VIEW(CALLERS, "callers") /* of method row `select`; ids are method row ids */              \
	VIEW(CALLEES, "callees")                                                                   \
	VIEW(SAMPLE_LINES, "sample_lines")   /* of method row `select`, 0: of all */               \
	VIEW(SAMPLE_STATES, "sample_states") /* whether threads ran, or waited */                  \
	VIEW(CALL_TREE, "call_tree")         /* only open rows' children, see pv_query.open */     \
	VIEW(FLAME, "flame") /* tree: a root for each measure, see flame/flame.h */                \
	VIEW(CLASSES, "classes")                                                                   \
	VIEW(CLASS_STACKS,                                                                         \
		"class_stacks") /* call tree of the allocations of class row `select`,  \
					    * innermost frame first */          \
	VIEW(HELD, "held")                                                                         \
	VIEW(ALLOCATION_SITES, "allocation_sites")                                                 \
	VIEW(SURVIVAL, "survival")                 /* of classes, at the newest heap shot */       \
	VIEW(ALLOCATION_SIZES, "allocation_sizes") /* by powers of two */                          \
	VIEW(COLLECTIONS, "collections")                                                           \
	VIEW(PAUSES, "pauses")                                                                     \
	VIEW(GENERATIONS, "generations")                                                           \
	/* of the collection that starts at `select` - 1, 0: that of the longest pause */          \
	VIEW(GC_CAUSE, "gc_cause")                                                                 \
	VIEW(PAUSE_SPREAD, "pause_spread")      /* how long they were: percentiles */              \
	VIEW(HANDLES, "handles")                /* GC handles by type */                           \
	VIEW(HANDLE_SITES, "handle_sites")      /* of handle row `select`, 0: of all */            \
	VIEW(FINALIZERS, "finalizers")          /* finalized objects by class */                   \
	VIEW(ROOTS, "roots")                    /* by source */                                    \
	VIEW(ROOT_AREAS, "root_areas")          /* of root row `select`, 0: of all */              \
	VIEW(SHOTS, "heap_shots")               /* row id = shot number + 1 */                     \
	VIEW(SHOT_CLASSES, "heap_shot_classes") /* of shot row `select` */                         \
	VIEW(SHOT_DIFF, "heap_shot_diff")       /* shot row `base` -> `select`, by class */        \
	/* of the query's `identity`; empty without */                                             \
	VIEW(HEAP_DIFF, "heap_diff") /* new, died, survived by class */                            \
	VIEW(HEAP_DIFF_SITES,                                                                      \
		"heap_diff_sites") /* by allocation stack, of class row `select`, 0: all */        \
	VIEW(HEAP_DIFF_THREADS, "heap_diff_threads") /* by thread of the allocation, likewise */   \
	VIEW(HEAP_LADDER, "heap_ladder")             /* classes whose young do not die */          \
	VIEW(HEAP_COHORTS, "heap_cohorts")           /* of class row `select`, 0: all */           \
	VIEW(HEAP_COHORT_SITES,                                                                    \
		"heap_cohort_sites")       /* allocations of cohort row `base` - 1 of that */      \
	VIEW(HEAP_CLASSES, "heap_classes") /* these are of pv_query.heap */                        \
	VIEW(HEAP_OBJECTS, "heap_objects") /* of class row `select`, 0: all; or of `set` */        \
	VIEW(HEAP_PATH, "heap_path")       /* from object row `select` to a root */                \
	VIEW(HEAP_REFERENCES, "heap_references")                                                   \
	VIEW(HEAP_REFERRERS, "heap_referrers")                                                     \
	VIEW(HEAP_KEPT, "heap_kept")     /* that `select` dominates, 0: only roots do */           \
	VIEW(HEAP_AWAITS, "heap_awaits") /* tree: async methods that wait, outermost first */      \
	VIEW(HEAP_DUPLICATES, "heap_duplicates") /* strings that say the same */                   \
	VIEW(HEAP_KEEPERS, "heap_keepers")       /* objects kept, by root */                       \
	VIEW(HEAP_MERGED, "heap_merged")         /* tree: paths of class row `select`, or `set` */ \
	VIEW(HEAP_SETS, "heap_sets")             /* a row for each of `sets` */                    \
	VIEW(EXCEPTIONS, "exceptions")           /* thrown by class */                             \
	VIEW(THROW_SITES, "throw_sites")                                                           \
	VIEW(CLAUSES, "clauses")                                                                   \
	VIEW(CLAUSE_METHODS, "clause_methods") /* by the method that has them */                   \
	VIEW(CATCHES,                                                                              \
		"catches")   /* by class and the method that caught; of row `select`, 0: all */    \
	VIEW(LOCKS, "locks") /* by object */                                                       \
	VIEW(WAIT_SITES, "wait_sites")                                                             \
	VIEW(LOCK_WAITS, "lock_waits")     /* one by one; of lock row `select`, 0: all */          \
	VIEW(LOCK_SITES, "lock_sites")     /* by method that waited and that held; likewise */     \
	VIEW(LOCK_EDGES, "lock_edges")     /* of waiting threads, by their names */                \
	VIEW(LOCK_CYCLES, "lock_cycles")   /* of waiting: deadlocks */                             \
	VIEW(POOL, "pool")                 /* counters of the thread pool */                       \
	VIEW(POOL_CHANGES, "pool_changes") /* of the workers that it wants */                      \
	VIEW(THREADS, "threads")                                                                   \
	VIEW(TIMELINE, "timeline") /* of threads: what each was at when, see thread_lanes.h */     \
	VIEW(JIT_METHODS, "jit_methods")                                                           \
	VIEW(JIT_HELPERS, "jit_helpers") /* by type */                                             \
	VIEW(LOADS, "loads")             /* how long they took, and which failed */                \
	VIEW(STOPS, "suspensions")       /* of all threads, by reason */                           \
	VIEW(BODIES, "jit_bodies")       /* pieces of code, one by one */                          \
	VIEW(TRANSITIONS, "transitions") /* between managed and native code, by method */          \
	VIEW(SURVIVED, "gc_survived")    /* survivors, by collection */                            \
	VIEW(SPANS, "spans")             /* work that libraries report; of route row `select` */   \
	VIEW(ROUTES, "routes")           /* those by route, and what the web server's meter has */ \
	VIEW(IMAGES, "images")                                                                     \
	VIEW(ASSEMBLIES, "assemblies")                                                             \
	VIEW(DOMAINS, "domains")                                                                   \
	VIEW(CONTEXTS, "contexts")                                                                 \
	VIEW(LOADED, "loaded") /* tree: those four, a branch each */                               \
	VIEW(NATIVE, "native") /* symbols and binaries */                                          \
	VIEW(MARKS, "marks")                                                                       \
	VIEW(COUNTERS, "counters") /* tree: section > counter; last, min, max, per second */       \
	VIEW(COUNTER_SAMPLES, "counter_samples") /* of counter row `select` */                     \
	VIEW(EVENTS, "events")                   /* every kind met and how often */                \
	VIEW(STREAM, "event_stream")             /* events one by one: those of pv_query.page */   \
	VIEW(COVERAGE, "coverage")                                                                 \
	VIEW(CODE_COVERAGE, "code_coverage")             /* methods */                             \
	VIEW(CODE_COVERAGE_LINES, "code_coverage_lines") /* statements of method row `select` */   \
	VIEW(COVERAGE_ASSEMBLIES, "coverage_assemblies")                                           \
	VIEW(COVERAGE_CLASSES, "coverage_classes")                                                 \
	VIEW(COVERAGE_TREE, "coverage_tree") /* assembly > class > method */                       \
	VIEW(SOURCE, "source")               /* facts as words */                                  \
	VIEW(DAMAGE, "damage")                                                                     \
	VIEW(FINDINGS, "findings")     /* judgements of all rules, by score */                     \
	VIEW(CODE_KINDS, "code_kinds") /* time and samples: user, framework, runtime, native */    \
	VIEW(FINDING_FACTS, "finding_facts") /* of finding row `select`: what is known of it */    \
	VIEW(PROCESSES, "processes") /* tree: of the query's; `select`: the model is of that one */

#endif
