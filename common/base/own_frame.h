/* The name under which the probes write time that they spent themselves. */
#ifndef PV_BASE_OWN_FRAME_H
#define PV_BASE_OWN_FRAME_H

#define PV_OWN_FRAME "[profview probe]"

#endif
