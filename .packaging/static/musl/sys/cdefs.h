/* SPDX-License-Identifier: MIT */
/* What headers of glibc and BSD take for granted; elfutils is compiled with it included everywhere. */
#pragma once
#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#else
#define __BEGIN_DECLS
#define __END_DECLS
#endif
#define __P(parameters) parameters
