/* SPDX-License-Identifier: MIT */
/* rbp holds what is computed. Assembly: no compiler's choice decides where. */
#define TEXT(x)   #x
#define SYMBOL(x) TEXT(x)

__asm__(".text\n"
	".globl " SYMBOL(NAME) "\n"
			       ".type " SYMBOL(NAME) ", @function\n" SYMBOL(
				       NAME) ":\n"
					     "	push %rbp\n"
					     "	mov $3, %ebp\n"
					     "1:	imul $29, %rbp, %rbp\n"
					     "	inc %rbp\n"
					     "	dec %rdi\n"
					     "	jnz 1b\n"
					     "	mov %rbp, %rax\n"
					     "	pop %rbp\n"
					     "	ret\n"
					     ".size " SYMBOL(NAME) ", . - " SYMBOL(NAME) "\n");

/* This one is in the table, where compilers make one. */
__attribute__((used)) static int described(int x)
{
	return x * 29 + 1;
}
