/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat maps of units in a plane, as SVG. */
#ifndef MNP_RESULTS_HEAT_MAP_H
#define MNP_RESULTS_HEAT_MAP_H

#include "engine/count/results.h"

/* Draws one of the maps of the results' form. */
void results_write_map(const struct mnp_results *results, const struct mnp_map *map, FILE *out);

#endif
