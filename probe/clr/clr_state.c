/* SPDX-License-Identifier: MIT */
/* State shared by the files of the .NET module. */
#include "probe/clr/host_clr.h"

struct pvp_clr pvp_clr;
