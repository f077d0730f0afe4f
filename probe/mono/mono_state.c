/* SPDX-License-Identifier: MIT */
/* State shared by the files of the Mono module. */
#include "probe/mono/host_mono.h"

struct _MonoProfiler pvp_mono;
