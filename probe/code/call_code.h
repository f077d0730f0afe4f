/* SPDX-License-Identifier: MIT */
/* The instruction that enters the kernel, for recognizing a thread in a system call. */
#ifndef PV_PROBE_CALL_CODE_H
#define PV_PROBE_CALL_CODE_H

#include <stdint.h>

#if defined(__aarch64__)
static const uint8_t pvp_call_code[] = { 0x01, 0x00, 0x00, 0xd4 }; /* svc #0 */
#else
static const uint8_t pvp_call_code[] = { 0x0f, 0x05 }; /* syscall */
#endif

#endif
