/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the report on a node that are of its links: how long replies take, the use of each link, switches. A table
 * has a column for each GPU, or a row. */
#ifndef MNP_RESULTS_NODE_H
#define MNP_RESULTS_NODE_H

#include "results/figures/links.h"

void results_report_node_links(const struct results_reading *readings, uint32_t count, FILE *out);
void results_page_node_links(const struct results_reading *readings, uint32_t count, FILE *out);

#endif
