/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/keep.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* ===== the ledger ===== */

void mnp_keep_ledger(struct mnp_snapshot *snapshot, const struct mnp_ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->engine->unit_count; i++)
        mnp_snapshot_put(snapshot, ledger->lives[i], ledger->engine->units[i]->counter_width * sizeof **ledger->lives);
}

bool mnp_take_ledger(struct mnp_snapshot_reader *reader, struct mnp_ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->engine->unit_count; i++) {
        size_t bytes = ledger->engine->units[i]->counter_width * sizeof **ledger->lives;
        const unsigned char *life = mnp_snapshot_take(reader, bytes);
        if (!life)
            return false;
        memcpy(ledger->lives[i], life, bytes);
    }
    return true;
}

/* ===== parts ===== */

static void keep_attribute(struct mnp_snapshot *snapshot, const struct mnp_attribute *attribute)
{
    mnp_snapshot_put_text(snapshot, attribute->name);
    mnp_snapshot_put_text(snapshot, attribute->text);
    mnp_snapshot_put_number(snapshot, attribute->text != NULL);
    mnp_snapshot_put_number(snapshot, attribute->count);
    mnp_snapshot_put(snapshot, attribute->value, sizeof attribute->value);
}

static void keep_part(struct mnp_snapshot *snapshot, const struct mnp_part_results *part)
{
    mnp_snapshot_put_number(snapshot, part->id);
    mnp_snapshot_put_text(snapshot, part->name);
    mnp_snapshot_put_number(snapshot, part->partial);
    mnp_snapshot_put_number(snapshot, part->from);
    mnp_snapshot_put_number(snapshot, part->to);
    mnp_snapshot_put_number(snapshot, part->attribute_count);
    for (uint32_t i = 0; i < part->attribute_count; i++)
        keep_attribute(snapshot, &part->attributes[i]);
    for (uint32_t i = 0; i < part->statistics.block_count; i++) {
        const struct mnp_statistic_block *block = &part->statistics.blocks[i];
        mnp_snapshot_put(snapshot, block->values, block->width * sizeof *block->values);
    }
}

void mnp_keep_parts(struct mnp_snapshot *snapshot, const struct mnp_results *results)
{
    mnp_snapshot_put_number(snapshot, results->part_count);
    for (uint32_t i = 0; i < results->part_count; i++)
        keep_part(snapshot, results->parts[i]);
}

/* Reads a text and stores it with the results. Returns NULL if the snapshot is truncated. */
static const char *take_text(struct mnp_snapshot_reader *reader, struct mnp_results *results)
{
    char *text = mnp_snapshot_take_text(reader);
    if (text)
        *(char **)mnp_array_add(&results->texts, 1, sizeof text) = text;
    return text;
}

static bool take_attribute(struct mnp_snapshot_reader *reader, struct mnp_results *results,
                           struct mnp_part_results *part)
{
    uint64_t has_text, count;
    const char *name = take_text(reader, results), *text = name ? take_text(reader, results) : NULL;
    if (!text || !mnp_snapshot_take_number(reader, &has_text) || !mnp_snapshot_take_number(reader, &count))
        return false;
    const unsigned char *values = mnp_snapshot_take(reader, sizeof part->attributes->value);
    if (!values || count > 3)
        return false;
    uint64_t numbers[3];
    memcpy(numbers, values, sizeof numbers);
    if (has_text)
        mnp_part_describe_text(part, name, text);
    else
        mnp_part_describe(part, name, numbers, (uint32_t)count);
    return true;
}

static bool take_statistics(struct mnp_snapshot_reader *reader, struct mnp_statistic_set *set)
{
    for (uint32_t i = 0; i < set->block_count; i++) {
        struct mnp_statistic_block *block = &set->blocks[i];
        size_t bytes = block->width * sizeof *block->values;
        const unsigned char *values = mnp_snapshot_take(reader, bytes);
        if (!values)
            return false;
        memcpy(block->values, values, bytes);
    }
    return true;
}

static bool take_part(struct mnp_snapshot_reader *reader, struct mnp_results *results, struct mnp_part_results *part)
{
    uint64_t id, partial, attributes;
    char *name = mnp_snapshot_take_number(reader, &id) && id <= UINT32_MAX ? mnp_snapshot_take_text(reader) : NULL;
    if (!name)
        return false;
    part->id = (uint32_t)id;
    mnp_part_name(part, name);
    free(name);
    if (!mnp_snapshot_take_number(reader, &partial) || !mnp_snapshot_take_number(reader, &part->from) ||
        !mnp_snapshot_take_number(reader, &part->to) || !mnp_snapshot_take_number(reader, &attributes) ||
        attributes > MNP_ATTRIBUTES || partial > 1 || part->from > part->to)
        return false;
    part->partial = partial != 0;
    for (uint64_t i = 0; i < attributes; i++)
        if (!take_attribute(reader, results, part))
            return false;
    return take_statistics(reader, &part->statistics);
}

bool mnp_take_parts(struct mnp_snapshot_reader *reader, struct mnp_results *results,
                    const struct mnp_model *const *models, uint32_t model_count)
{
    uint64_t count;
    if (!mnp_snapshot_take_number(reader, &count))
        return false;
    for (; count > 0; count--)
        if (!take_part(reader, results, mnp_results_add_part(results, models, model_count)))
            return false;
    return true;
}
