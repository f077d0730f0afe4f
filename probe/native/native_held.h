/*
 * Memory by the stack that allocated it: for each stack that allocates, how many blocks and bytes it got, how many of
 * them are held now, and how many bytes were at most. Summed up here, where each block and its end
 * are known at once and in order, so that the log has a few bytes a stack and not a few a block.
 * In shards with a lock each; memory comes from the system, not from malloc.
 */
#ifndef PV_PROBE_NATIVE_HELD_H
#define PV_PROBE_NATIVE_HELD_H

#include <stdbool.h>
#include <stdint.h>

struct pvp_writer;
struct pvp_out_buffer;

/*
 * A block of so many bytes was got; frames: return addresses, innermost first. The number of the
 * stack; where there are too many, that of all further ones; 0: no memory. Any thread.
 */
uint32_t pvp_held_got(const uint64_t *frames, unsigned n, uint64_t bytes);

/*
 * One of that stack's was given back, and at once: nothing was got in between; or it was not after
 * all. 0 is passed over. Any thread.
 */
void pvp_held_gone(uint32_t stack, uint64_t bytes, bool at_once);
void pvp_held_stays(uint32_t stack, uint64_t bytes);

/*
 * Writes the sums that have changed, as events into `page`, after the names that they need; `all`:
 * every one, with its frames, for a new reader. False: it could not be written. The writer's.
 */
bool pvp_held_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool all);

/* Forgets all of them: a recording begins or ends. */
void pvp_held_clear(void);

/* Around fork. */
void pvp_held_hold(void);
void pvp_held_release(void);

#endif
