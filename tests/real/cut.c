/* SPDX-License-Identifier: MIT */
/*
 * Half of the time in a library without any unwind table, a quarter in one whose table leaves the
 * function out, a quarter in code made at run time: none keeps a frame pointer.
 *
 * usage: cut ROUNDS
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

uint64_t bare(uint64_t n);
uint64_t left_out(uint64_t n);

typedef uint64_t code(uint64_t n);

/* push %rbp; mov $3,%ebp; 1: imul/add in rbp; dec %rdi; jnz 1b; mov %rbp,%rax; pop %rbp; ret */
static code *generated(void)
{
	static const uint8_t bytes[] = { 0x55, 0xbd, 3, 0, 0, 0, 0x48, 0x6b, 0xed, 0x1d, 0x48, 0xff,
		0xc5, 0x48, 0xff, 0xcf, 0x75, 0xf4, 0x48, 0x89, 0xe8, 0x5d, 0xc3 };
	void *at = mmap(
		NULL, sizeof bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		abort();
	memcpy(at, bytes, sizeof bytes);
	if (mprotect(at, sizeof bytes, PROT_READ | PROT_EXEC) != 0)
		abort();
	return (code *)(uintptr_t)at;
}

int main(int n, char **args)
{
	uint64_t sum = 0;
	long rounds = n > 1 ? atol(args[1]) : 1;
	code *f = generated();
	for (long i = 0; i < rounds; i++)
		sum += bare(2000000) + left_out(1000000) + f(1000000);
	return sum == 1;
}
