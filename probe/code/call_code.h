/* SPDX-License-Identifier: MIT */
/*
 * The instruction that enters the kernel, for recognizing a thread in a system call, and the code
 * that a signal's handler returns to (rt_sigreturn: libc's, or the vDSO's).
 */
#ifndef PV_PROBE_CALL_CODE_H
#define PV_PROBE_CALL_CODE_H

#include <stdint.h>

#if defined(__aarch64__)
static const uint8_t pvp_call_code[] = { 0x01, 0x00, 0x00, 0xd4 }; /* svc #0 */
static const uint8_t pvp_sigreturn_code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4 };
#else
static const uint8_t pvp_call_code[] = { 0x0f, 0x05 }; /* syscall */
static const uint8_t pvp_sigreturn_code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f,
	0x05 };
#endif

#endif
