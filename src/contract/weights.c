/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/weights.h"

/* Terms of rows, with their ends. */
static size_t terms_of(const struct mnp_statistic *rows, size_t count)
{
    size_t terms = 0;
    for (size_t i = 0; i < count; i++)
        for (const struct mnp_term *term = rows[i].with; term; term = term->name ? term + 1 : NULL)
            terms++;
    return terms;
}

/* Copies the terms of a row. Returns the place behind their end. */
static struct mnp_term *weigh_row(const struct mnp_term *from, const struct mnp_weighing *weighing, struct mnp_term *to)
{
    for (const struct mnp_term *term = from; term->name; term++)
        if (!weighing->has || weighing->has(weighing->context, term)) {
            uint64_t weight = term->key ? weighing->weigh(weighing->context, from, term) : term->weight;
            *to++ = (struct mnp_term){term->name, weight, NULL};
        }
    *to = (struct mnp_term){0};
    return to + 1;
}

struct mnp_statistic *mnp_session_weigh(struct mnp_session *session, const struct mnp_statistic *rows, size_t count,
                                        const struct mnp_weighing *weighing, size_t *settled)
{
    struct mnp_statistic *own = mnp_session_allocate(session, count, sizeof *own);
    struct mnp_term *terms = mnp_session_allocate(session, terms_of(rows, count), sizeof *terms);
    *settled = 0;
    for (size_t i = 0; i < count; i++) {
        if (weighing->counts && !weighing->counts(weighing->context, &rows[i]))
            continue;
        struct mnp_statistic *row = &own[(*settled)++];
        *row = rows[i];
        if (!rows[i].with)
            continue;
        row->with = terms;
        terms = weigh_row(rows[i].with, weighing, terms);
    }
    return own;
}
