/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions: stretches of operations within which ptxas 13.0 contracts products and sums. It looks at one basic block at
 * a time, and some statements end a block there that end none here: one under a guard that is not arithmetic becomes a
 * branch, divisions and roots have a slow path, and fences are followed by a new block. Each case was tried
 * (docs/lab/ptx.md, contraction).
 */
#include "frontend/ptx/compile/selector.h"

#include "base/text.h"
#include "frontend/ptx/operations/origin.h"

#include <string.h>

static bool ends(const char *text, const char *with)
{
    size_t length = strlen(text), end = strlen(with);
    return length >= end && strcmp(text + length - end, with) == 0;
}

/* Statements whose sequences have branches: divisions and roots that round, whole divisions but of .u32. */
static bool has_slow_path(const char *text)
{
    bool quotient = mnp_begins(text, "div."), real = ends(text, ".f32") || ends(text, ".f64");
    if (quotient || mnp_begins(text, "rcp.") || mnp_begins(text, "sqrt."))
        return real ? !strstr(text, ".approx") && !strstr(text, ".full") : quotient && !ends(text, ".u32");
    return (mnp_begins(text, "rem.") && !ends(text, ".u32")) || strcmp(text, "rsqrt.approx.f64") == 0 ||
           (mnp_begins(text, "bfind.") && ends(text, "64"));
}

/* Operations that are executed under a guard as they are; others get a branch around them. */
static bool takes_guard(const struct execute_op *op)
{
    switch (op->kind) {
    case EXECUTE_KIND_LANES:
    case EXECUTE_KIND_INSERT:
    case EXECUTE_KIND_TEST:
    case EXECUTE_KIND_TEST_TO:
    case EXECUTE_KIND_TESTP:
    case EXECUTE_KIND_SELECT:
    case EXECUTE_KIND_LOGIC:
    case EXECUTE_KIND_FLOAT:
    case EXECUTE_KIND_CONVERT:
    case EXECUTE_KIND_PACK:
    case EXECUTE_KIND_UNPACK:
    case EXECUTE_KIND_VIDEO:
    case EXECUTE_KIND_CLOCK:
    case EXECUTE_KIND_FRAME_ADDRESS:
    case EXECUTE_KIND_ISSPACEP:
    case EXECUTE_KIND_CVTA:
    case EXECUTE_KIND_CLUSTER_ADDRESS:
    case EXECUTE_KIND_LOAD_PARAMETER:
    case EXECUTE_KIND_SHUFFLE:
        return true;
    case EXECUTE_KIND_LOAD:
        return op->access.space == EXECUTE_SPACE_CONST || op->access.space == EXECUTE_SPACE_PARAM;
    default:
        return false;
    }
}

/* A load that nothing reads is none to an assembler. */
static bool is_unread_load(const struct ptx_selector *s, uint32_t place)
{
    struct execute_op *op = ptx_select_op(s, place);
    uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_result_places(s->decoder->code, op, refs), readers = 0;
    for (uint32_t i = 0; i < count; i++)
        readers += ptx_select_readers(s, *refs[i]);
    return op->kind == EXECUTE_KIND_LOAD && !op->access.strong && !readers;
}

static bool ends_region(const struct ptx_selector *s, uint32_t place)
{
    const struct execute_op *op = ptx_select_op(s, place);
    const struct ptx_statement *statement = ptx_statement_of(s->decoder->code, op);
    const char *text = statement ? ptx_name_text(s->decoder->module, statement->name) : "";
    if (op->guard != EXECUTE_TRUE && !takes_guard(op))
        return !is_unread_load(s, place);
    switch (op->kind) {
    case EXECUTE_KIND_FENCE:
        return !strstr(text, ".proxy") && !strstr(text, ".mbarrier_init");
    case EXECUTE_KIND_CALL:
    case EXECUTE_KIND_SYSTEM:
    case EXECUTE_KIND_REGISTERS:
        return true;
    case EXECUTE_KIND_GRID:
        return op->variant == EXECUTE_GRID_RELEASE;
    default:
        return has_slow_path(text) || mnp_begins(text, "pmevent") || mnp_begins(text, "brkpt");
    }
}

/* Whether a block is only come to from the one before, which goes nowhere else. */
static bool continues(const struct ptx_graph *graph, uint32_t block)
{
    return block && graph->in_first[block + 1] - graph->in_first[block] == 1 &&
           graph->in[graph->in_first[block]] == block - 1 && graph->out_first[block] - graph->out_first[block - 1] == 1;
}

void ptx_select_regions(const struct ptx_selector *s, uint32_t *regions)
{
    uint32_t region = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t block = s->graph.block_of[i];
        if (i == s->graph.block_first[block] && !continues(&s->graph, block))
            region++;
        regions[i] = region;
        if (!s->dead[i] && ends_region(s, i))
            region++;
    }
}
