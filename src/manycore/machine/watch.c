/* SPDX-License-Identifier: BSD-3-Clause */
/* Listeners of a machine's blocks: prepared before the run, and brought together behind it. Blocks that may be
 * joined share what is noted of their tiles; what instructions cost is noted by block, and added. */
#include "manycore/mesh/watch.h"
#include "engine/core/request.h"
#include "engine/count/results.h"
#include "engine/spread/ranks.h"
#include "manycore/core/disassemble.h"
#include "manycore/core/energy.h"
#include "manycore/machine/machine.h"
#include "manycore/mesh/place.h"

#include <stdlib.h>
#include <string.h>

/* The blocks, and behind them the one that they may be joined into. */
static struct manycore_block *block_of(struct manycore_machine *machine, uint32_t number)
{
    return number < machine->block_count ? &machine->blocks[number] : machine->whole;
}

static uint32_t block_count(const struct manycore_machine *machine)
{
    return machine->block_count + (machine->whole != NULL);
}

static void watch_block(struct manycore_block *block, const struct mnp_run_request *request,
                        struct manycore_watched *tiles)
{
    const struct manycore_image *image = block->common->image;
    struct manycore_watch *watch = block->watch = mnp_allocate(1, sizeof *watch);
    watch->tiles = tiles;
    watch->interval = request->sample_cycles;
    watch->from = request->timeline_from;
    watch->to = request->timeline_to;
    watch->tallies = request->by_instruction;
    for (uint32_t i = 0; watch->tallies && i < image->code_count; i++)
        watch->costs[i] = mnp_allocate(image->code[i].words, sizeof *watch->costs[i]);
    if (watch->tallies || watch->to)
        block->spins = NULL; /* rounds that are counted together have no instructions and accesses of their own */
}

void manycore_watch_open(struct manycore_machine *machine, const struct mnp_run_request *request)
{
    const struct manycore_parameters *p = machine->parameters;
    if (!request->sample_cycles && !request->timeline_to && !request->by_instruction)
        return;
    struct manycore_watched *tiles = machine->watched = mnp_allocate(p->tiles, sizeof *tiles);
    for (uint64_t tile = 0; tile < p->tiles; tile++)
        tiles[tile].spans.most = (uint32_t)mnp_max(MNP_TIMELINE_MOST / p->tiles, 1);
    if (machine->whole)
        watch_block(machine->whole, request, tiles);
    for (uint32_t i = 0; i < machine->block_count; i++) {
        watch_block(&machine->blocks[i], request, tiles);
        tiles += machine->blocks[i].tiles;
    }
}

/* ===== bringing together ===== */

static void add_texts(const struct manycore_machine *machine, uint32_t pc, struct mnp_tally_row *row)
{
    const struct mnp_program *program = machine->image.program;
    char text[A32_TEXT], place[MNP_SOURCE_FILE + 16];
    for (uint32_t i = 0; i < program->segment_count; i++) {
        const struct mnp_segment *segment = &program->segments[i];
        uint32_t word, offset = pc - segment->address;
        if (offset >= segment->stored || segment->stored - offset < 4)
            continue;
        memcpy(&word, segment->data + offset, 4);
        manycore_disassemble(word, pc, text);
        row->text = strdup(text);
    }
    if (mnp_program_source_line(program, pc, place, sizeof place))
        row->source = strdup(place);
}

/* The name that the costs of an instruction stand under: its function's, or the program's. */
static const char *name_of(const struct mnp_program *program, uint32_t pc)
{
    const struct mnp_symbol *function = mnp_program_function(program, pc);
    const char *slash = strrchr(program->path, '/');
    return function ? function->name : slash ? slash + 1 : program->path;
}

static void tally_code(struct manycore_machine *machine, uint32_t code, struct mnp_tally *tally)
{
    const struct manycore_code *of = &machine->image.code[code];
    for (uint32_t word = 0; word < of->words; word++) {
        struct manycore_costs sum = {0};
        uint64_t any = 0;
        uint32_t pc = of->address + 4 * word;
        for (uint32_t i = 0; i < block_count(machine); i++)
            for (int k = 0; k < MNP_TALLY_COUNTS; k++)
                any |= sum.count[k] += block_of(machine, i)->watch->costs[code][word].count[k];
        if (!any)
            continue;
        struct mnp_tally_row *row =
            mnp_tally_row(tally, mnp_tally_name(tally, name_of(machine->image.program, pc)), pc, 0);
        memcpy(row->count, sum.count, sizeof row->count);
        row->count[MNP_TALLY_ENERGY] =
            sum.count[MNP_TALLY_ISSUES] * manycore_energy_of(&machine->parameters->energy, of->ops[word].mix);
        add_texts(machine, pc, row);
    }
}

/* The cycle at which the last core has ended; `now` if one has not. The engine stops later, at an epoch's end. */
static uint64_t last_end(const struct manycore_machine *machine, uint64_t now)
{
    uint64_t exited = 0, end = 0;
    for (uint32_t i = 0; i < block_count(machine); i++) {
        const struct manycore_block *block = i < machine->block_count ? &machine->blocks[i] : machine->whole;
        exited += block->state->exited;
        mnp_raise(&end, block->state->last_exit);
    }
    return exited == machine->parameters->tiles ? end : now;
}

/* When each core ran: from the beginning to its last instruction. */
static void add_lives(struct manycore_machine *machine, uint64_t now, struct mnp_timeline *timeline)
{
    const struct manycore_parameters *p = machine->parameters;
    uint64_t *ends = mnp_allocate(p->tiles, sizeof *ends);
    for (uint32_t tile = 0; tile < p->tiles; tile++) {
        const struct manycore_block *block = manycore_block_of(machine, tile);
        const struct manycore_core *core = &block->tile[manycore_place_of(block, tile, (uint32_t)p->width)].core;
        if (mnp_engine_owns(&machine->engine, block->unit->id))
            ends[tile] = core->pause == MANYCORE_EXITED ? core->clock : now;
    }
    mnp_ranks_sum(&machine->engine, ends, p->tiles);
    for (uint32_t tile = 0; tile < p->tiles; tile++)
        mnp_timeline_add(timeline, &(struct mnp_span){.kind = "core",
                                                      .to = mnp_edge(p->clock, ends[tile]),
                                                      .number = tile,
                                                      .place = (uint16_t)tile});
    free(ends);
}

void manycore_watch_collect(struct manycore_machine *machine, const struct mnp_run_request *request, uint64_t now,
                            struct mnp_results *results)
{
    const struct manycore_parameters *p = machine->parameters;
    if (request->timeline_work)
        add_lives(machine, now, &results->timeline);
    if (!machine->watched)
        return;
    for (uint32_t i = 0; i < machine->block_count; i++)
        manycore_watch_end(&machine->blocks[i], last_end(machine, now));
    for (uint32_t tile = 0; request->timeline_to && tile < p->tiles; tile++) {
        const struct manycore_block *block = manycore_block_of(machine, tile);
        mnp_timeline_join(&results->timeline,
                          &block->watch->tiles[manycore_place_of(block, tile, (uint32_t)p->width)].spans);
    }
    for (uint32_t code = 0; request->by_instruction && code < machine->image.code_count; code++)
        tally_code(machine, code, &results->tally);
    mnp_tally_sort(&results->tally);
}

void manycore_watch_release(struct manycore_machine *machine)
{
    for (uint32_t i = 0; machine->watched && i < block_count(machine); i++) {
        for (uint32_t code = 0; code < MNP_SEGMENTS; code++)
            free(block_of(machine, i)->watch->costs[code]);
        free(block_of(machine, i)->watch);
    }
    for (uint64_t tile = 0; machine->watched && tile < machine->parameters->tiles; tile++)
        mnp_timeline_release(&machine->watched[tile].spans);
    free(machine->watched);
}
