/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of the special registers that S2R, S2UR and CS2R read, by number. */
#include "frontend/sass/text.h"

#include <stddef.h>

const char *sass_special_name(unsigned number)
{
    static const char *const names[256] = {
        [0] = "SR_LANEID",
        [1] = "SR_CLOCK",
        [2] = "SR_VIRTCFG",
        [3] = "SR_VIRTID",
        [32] = "SR_TID",
        [33] = "SR_TID.X",
        [34] = "SR_TID.Y",
        [35] = "SR_TID.Z",
        [37] = "SR_CTAID.X",
        [38] = "SR_CTAID.Y",
        [39] = "SR_CTAID.Z",
        [40] = "SR_NTID",
        [46] = "SR_LWINHI",
        [47] = "SR_SWINHI",
        [48] = "SR_SWINLO",
        [49] = "SR_SWINSZ",
        [50] = "SR_SMEMSZ",
        [52] = "SR_LWINLO",
        [53] = "SR_LWINSZ",
        [56] = "SR_EQMASK",
        [57] = "SR_LTMASK",
        [58] = "SR_LEMASK",
        [59] = "SR_GTMASK",
        [60] = "SR_GEMASK",
        [64] = "SR_GLOBALERRORSTATUS",
        [65] = "SR_CGAERRORSTATUS",
        [66] = "SR_WARPERRORSTATUS",
        [67] = "SR_VIRTUALSMID",
        [68] = "SR_VIRTUALENGINEID",
        [80] = "SR_CLOCKLO",
        [81] = "SR_CLOCKHI",
        [82] = "SR_GLOBALTIMERLO",
        [83] = "SR_GLOBALTIMERHI",
        [136] = "SR_CgaCtaId",
        [137] = "SR_CgaSize",
        [255] = "SRZ",
    };
    return number < 256 ? names[number] : NULL;
}
