/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a text trace and a packed one give the same commands, kernels, static instructions and records, bit by bit.
 * Usage: same_records KERNELSLIST FILE.mtrace; says what differs, with exit status 1.
 */
#include "fake.h"
#include "frontend/mtrace/mtrace.h"
#include "frontend/sass_trace/sass_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool differ(const char *what, uint64_t kernel, uint64_t number)
{
    printf("kernel %" PRIu64 ": %s %" PRIu64 " differs\n", kernel, what, number);
    return false;
}

static bool same_kernel(const struct mnp_kernel *a, const struct mnp_kernel *b)
{
    return strcmp(a->name, b->name) == 0 && a->id == b->id && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 && a->cta_count == b->cta_count &&
           a->threads == b->threads && a->shared_bytes == b->shared_bytes && a->registers == b->registers &&
           a->architecture == b->architecture && a->stream == b->stream && a->shared_base == b->shared_base &&
           a->local_base == b->local_base;
}

static bool same_instructions(uint32_t kernel, const struct mnp_cta_code *a, const struct mnp_cta_code *b)
{
    for (uint32_t warp = 0; warp < a->warp_count; warp++)
        for (uint64_t i = 0; i < a->warps[warp].count; i++) {
            const struct mnp_static_instruction *left = &a->instructions[a->warps[warp].records[i].index];
            const struct mnp_static_instruction *right = &b->instructions[b->warps[warp].records[i].index];
            if (memcmp(left, right, sizeof *left) != 0)
                return differ("instruction", kernel, a->warps[warp].records[i].index);
        }
    return true;
}

static bool same_ctas(struct mnp_source *a, struct mnp_source *b, struct mnp_kernel *x, struct mnp_kernel *y,
                      struct mnp_error *error)
{
    if (!same_kernel(x, y))
        return differ("description", x->id, 0);
    for (uint64_t cta = 0; cta < x->cta_count; cta++) {
        struct mnp_cta_code left = {0}, right = {0};
        if (!a->load_cta(a, x, cta, &left, error) || !b->load_cta(b, y, cta, &right, error))
            return false;
        if (!same_cta(&left, &right))
            return differ("CTA", x->id, cta);
        if (!same_instructions(x->id, &left, &right))
            return false;
        a->release_cta(a, &left);
        b->release_cta(b, &right);
    }
    return true;
}

static bool same_commands(struct mnp_source *a, struct mnp_source *b, struct mnp_error *error)
{
    for (uint64_t number = 0;; number++) {
        struct mnp_command x, y;
        if (!a->next(a, &x, error) || !b->next(b, &y, error))
            return false;
        if (x.kind != y.kind || x.address != y.address || x.bytes != y.bytes)
            return differ("command", 0, number);
        if (x.kind == MNP_COMMAND_END)
            return a->unknown_opcodes == b->unknown_opcodes || differ("count of unknown opcodes", 0, 0);
        if (x.kind != MNP_COMMAND_KERNEL)
            continue;
        if (!same_ctas(a, b, x.kernel, y.kernel, error))
            return false;
        a->kernel_done(a, x.kernel);
        b->kernel_done(b, y.kernel);
    }
}

int main(int argc, char **argv)
{
    struct mnp_error error = {{0}};
    struct mnp_sass_trace_options text = {.unknown_as_alu = true};
    struct mnp_mtrace_options packed = {.decoder = &trace_decoder, .unknown_as_alu = true};
    struct mnp_source *a = argc == 3 ? trace_open(argv[1], &text, &error) : NULL;
    struct mnp_source *b = a ? mtrace_open(argv[2], &packed, &error) : NULL;
    bool same = a && b && same_commands(a, b, &error);
    if (error.text[0])
        puts(error.text);
    if (a)
        a->close(a);
    if (b)
        b->close(b);
    return !same;
}
