/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of docs/statistics.md, from those of the models. */
#ifndef MNP_CLI_STATISTICS_PAGE_H
#define MNP_CLI_STATISTICS_PAGE_H

/* Writes them, as Markdown, to standard output. */
void cli_print_statistics_page(void);

#endif
