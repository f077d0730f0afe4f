/* Huffman codes as RFC 1951 has them: built from counts, of limited length, and their table. */
#ifndef PV_PROBE_HUFFMAN_H
#define PV_PROBE_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>

enum { PVP_CODE_MAX = 15, PVP_SYMBOLS = 288 };

struct pvp_huffman {
	uint32_t count[PVP_SYMBOLS];
	uint8_t length[PVP_SYMBOLS]; /* in bits; 0: not used */
	uint16_t code[PVP_SYMBOLS];  /* first bit lowest, as it is written */
};

/* Lengths of at most `longest` bits and codes for the first n symbols by their counts. */
void pvp_huffman_build(struct pvp_huffman *h, unsigned n, unsigned longest);

/* Codes for lengths that are given. */
void pvp_huffman_codes(struct pvp_huffman *h, unsigned n);

/* The lengths of both codes as a dynamic block tells them. */
struct pvp_lengths {
	struct {
		uint16_t value;
		uint8_t n;
	} bits[2 * PVP_SYMBOLS + 64];
	size_t n;
};

/* Returns how many bits that are, the block's own three included. */
uint64_t pvp_lengths_make(struct pvp_lengths *l, const struct pvp_huffman *literals,
	const struct pvp_huffman *distances);

#endif
