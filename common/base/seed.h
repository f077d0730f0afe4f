/* SPDX-License-Identifier: MIT */
/*
 * Secret numbers, different in every process and unknown to any input, for hashes and the shape of
 * trees: no input can be made for their worst case. No figure depends on them. Any thread, as they
 * never change.
 */
#ifndef PV_BASE_SEED_H
#define PV_BASE_SEED_H

#include <stdint.h>

struct pv_secret {
	uint64_t low, high, parent, more; /* any */
	uint64_t point;                   /* below 2^60, see pv_hash_part() */
};

/* Both are set before main() begins, or when the library is loaded; only read from then on. */
extern uint64_t pv_seed;
/* Hidden visibility saves an instruction for each look-up. */
extern struct pv_secret pv_secret __attribute__((visibility("hidden")));

/*
 * 32 bits for a table's place. The upper half of the sum is strongly universal
 * (pair-multiply-shift: M. Thorup, High Speed Hashing for Integers and Strings, 2015): for any two
 * keys chosen without the secret both places are uniform and independent, so that the keys meet in
 * one of n places with probability 1/n. But the sum is nearly linear in the key: keys at equal
 * distances would now and then pile up next to each other. The further steps prevent this; they map
 * 2^32 values one to one, and so keep the rest.
 */
static inline uint32_t pv_hash_spread(uint64_t sum)
{
	uint32_t x = (uint32_t)(sum >> 32);
	x ^= x >> 16;
	return x * UINT32_C(0x9e3779b1);
}

/* The sum whose upper half pv_hash_spread() makes a place of. */
static inline uint64_t pv_hash_sum(uint64_t key)
{
	return (pv_secret.low + (uint32_t)key) * (pv_secret.high + (key >> 32)) + pv_secret.more;
}

/* The place of a key, to be masked by the size of a table. */
static inline uint32_t pv_hash_place(uint64_t key)
{
	uint32_t x = pv_hash_spread(pv_hash_sum(key));
	return x ^ x >> 15;
}

/*
 * Hashes of longer data: the parts are the coefficients of a polynomial, and the hash is the value
 * at a secret point modulo 2^61 - 1. Two lists of n parts collide at n of 2^60 points at most.
 * Begins with 1, or with a number other than 0 that depends on the length; `part` is below 2^60.
 */
static inline uint64_t pv_hash_part(uint64_t h, uint64_t part)
{
	__extension__ typedef unsigned __int128 wide;
	const uint64_t prime = (UINT64_C(1) << 61) - 1;
	wide product = (wide)(h + part) * pv_secret.point;
	uint64_t x = (uint64_t)product & prime;
	x += (uint64_t)(product >> 61);
	return (x & prime) + (x >> 61);
}

/* Likewise, of 64 bits. */
static inline uint64_t pv_hash_word(uint64_t h, uint64_t word)
{
	return pv_hash_part(pv_hash_part(h, (uint32_t)word), word >> 32);
}

#endif
