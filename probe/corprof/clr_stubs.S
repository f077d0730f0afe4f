/* SPDX-License-Identifier: MIT */
/*
 * Enter: the method's number comes in r14, the caller's stack pointer in r15. Leave and tail call:
 * in rdi and rsi. All registers are live in the method entered or left.
 */
#define AREA 2752 /* of XSAVE: legacy, header, upper halves, masks, high vector registers */
#define PARTS 0xe6 /* SSE, AVX, masks, upper halves of 512 bits, registers 16 to 31 */

	.text

/* The fast path is a single call; rdi still has the number if the call returns false. */
	.macro hook name, fast, slow, from_r14
	.globl \name
	.hidden \name
	.type \name, @function
	.p2align 4
\name:
	.cfi_startproc
	push %rax
	.cfi_adjust_cfa_offset 8
	push %rdi
	.cfi_adjust_cfa_offset 8
	sub $8, %rsp
	.cfi_adjust_cfa_offset 8
	.if \from_r14
	mov %r14, %rdi
	.endif
	call \fast
	test %al, %al
	jz 1f
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	pop %rdi
	.cfi_adjust_cfa_offset -8
	pop %rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 24
1:	lea \slow(%rip), %rax
	call keep_all
	add $8, %rsp
	.cfi_adjust_cfa_offset -8
	pop %rdi
	.cfi_adjust_cfa_offset -8
	pop %rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	hook pvp_clr_enter_hook, pvp_clr_entered, pvp_clr_entered_slow, 1
	hook pvp_clr_leave_hook, pvp_clr_left, pvp_clr_left_slow, 0
	hook pvp_clr_tail_hook, pvp_clr_left, pvp_clr_left_slow, 0
	hook pvp_clr_enter_some_hook, pvp_clr_entered_some, pvp_clr_entered_some_slow, 1
	hook pvp_clr_leave_some_hook, pvp_clr_left_some, pvp_clr_left_some_slow, 0
	hook pvp_clr_tail_some_hook, pvp_clr_left_some, pvp_clr_left_some_slow, 0
	hook pvp_clr_enter_tree_hook, pvp_clr_entered_tree, pvp_clr_entered_tree_slow, 1
	hook pvp_clr_leave_tree_hook, pvp_clr_left_tree, pvp_clr_left_tree_slow, 0
	hook pvp_clr_tail_tree_hook, pvp_clr_left_tree, pvp_clr_left_tree_slow, 0

	.globl pvp_clr_empty_hook
	.hidden pvp_clr_empty_hook
	.type pvp_clr_empty_hook, @function
	.p2align 4
pvp_clr_empty_hook:
	.cfi_startproc
	ret
	.cfi_endproc
	.size pvp_clr_empty_hook, . - pvp_clr_empty_hook

/*
 * Calls the function in rax with rdi and where all is saved (struct pvp_clr_hooked), and keeps all
 * but these two.
 */
	.type keep_all, @function
	.p2align 4
keep_all:
	.cfi_startproc
	push %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	push %rcx
	push %rdx
	push %rsi
	push %r8
	push %r9
	push %r10
	push %r11
	push %rbx
	mov %rax, %rbx
	sub $AREA, %rsp
	and $-64, %rsp
	xor %eax, %eax
	mov %rax, 512(%rsp)
	mov %rax, 520(%rsp)
	mov %rax, 528(%rsp)
	mov %rax, 536(%rsp)
	mov %rax, 544(%rsp)
	mov %rax, 552(%rsp)
	mov %rax, 560(%rsp)
	mov %rax, 568(%rsp)
	xor %edx, %edx
	mov $PARTS, %eax
	xsave64 (%rsp)
	mov %rbp, %rsi
	call *%rbx
	xor %edx, %edx
	mov $PARTS, %eax
	xrstor64 (%rsp)
	lea -64(%rbp), %rsp
	pop %rbx
	pop %r11
	pop %r10
	pop %r9
	pop %r8
	pop %rsi
	pop %rdx
	pop %rcx
	pop %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size keep_all, . - keep_all

	.section .note.GNU-stack, "", @progbits
