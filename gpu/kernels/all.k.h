/* all.k.h: the whole kernel text, as the device files include it. */
#include "cast.k.h"
#include "probe.k.h"
