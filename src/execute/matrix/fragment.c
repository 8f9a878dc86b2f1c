/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/matrix/fragment.h"

struct execute_fragment execute_fragment_of(const struct execute_matrix_form *form, char name, enum execute_type type,
                                            uint32_t registers)
{
    struct execute_fragment f = {
        .type = type, .registers = registers, .name = name, .wmma = form->wmma, .bits = execute_matrix_bits(type)};
    f.rows = name == 'b' ? form->k : form->m;
    f.columns = name == 'a' ? form->k >> form->sparse : form->n;
    f.per_register = f.bits >= 32 ? 1 : 32 / f.bits;
    return f;
}

/* ISA 9.0, figures of mma.m16n8k*, m8n8k*: row and column are sums of contributions of the lane and of the register. */
static void add_lane(const struct execute_fragment *f, uint32_t lane, uint32_t *row, uint32_t *column)
{
    uint32_t group = lane >> 2, in_group = lane & 3, e = f->per_register;
    bool sums = f->name != 'a' && f->name != 'b';
    *row = f->name == 'b' ? in_group * e : group;
    *column = f->name == 'b' ? group : in_group * (sums ? 2 : e);
}

/* The contribution of a register, and of a place in it. If A has 16 rows, even registers hold the upper eight rows, and
 * odd ones the lower eight. B's registers follow one another along k. C and D have pairs of columns in each lane: in
 * one register if elements have 16 bits, otherwise in two. */
static void add_part(const struct execute_fragment *f, uint32_t reg, uint32_t place, uint32_t *row, uint32_t *column)
{
    uint32_t e = f->per_register, tall = f->rows == 16;
    if (f->name == 'a') {
        *row = tall ? 8 * (reg & 1) : 0;
        *column = place + (tall ? reg >> 1 : reg) * 4 * e;
    } else if (f->name == 'b') {
        *row = place + reg * 4 * e;
        *column = 0;
    } else if (e == 2) { /* pairs of half precision */
        *row = 8 * reg;
        *column = place;
    } else {
        *row = 8 * (reg >> 1);
        *column = reg & 1;
    }
}

/* All sizes are powers of two, so that the number of an element is split into row and column by a shift and a mask. If
 * a wmma fragment has more places than the matrix has elements, the first lanes are duplicates, and `first` excludes
 * them. */
void execute_fragment_places(const struct execute_fragment *f, uint32_t down, uint32_t right,
                             struct execute_places *places)
{
    uint32_t parts = f->registers * f->per_register, elements = f->rows * f->columns, row, column; /* powers of two */
    uint32_t shift = (uint32_t)__builtin_ctz(f->columns), mask = f->columns - 1;
    places->first = f->wmma && 32 * parts > elements ? 32 - elements / parts : 0;
    for (uint32_t lane = 0; lane < 32 && f->wmma; lane++) {
        uint32_t number = lane * parts & (elements - 1);
        places->lanes[lane] = (number >> shift) * down + (number & mask) * right;
    }
    for (uint32_t part = 0; part < parts && f->wmma; part++)
        places->parts[part] = (part >> shift) * down + (part & mask) * right;
    for (uint32_t lane = 0; lane < 32 && !f->wmma; lane++) {
        add_lane(f, lane, &row, &column);
        places->lanes[lane] = row * down + column * right;
    }
    for (uint32_t part = 0; part < parts && !f->wmma; part++) {
        add_part(f, part / f->per_register, part % f->per_register, &row, &column);
        places->parts[part] = row * down + column * right;
    }
}

void execute_fragment_gather(const struct execute_warp *warp, const struct execute_fragment *f,
                             const struct execute_places *places, const uint32_t *refs, uint32_t *matrix)
{
    uint32_t mask = f->bits < 32 ? (1u << f->bits) - 1 : ~0u;
    for (uint32_t reg = 0; reg < f->registers; reg++) {
        const uint32_t *words = execute_at(warp, refs[reg]);
        for (uint32_t place = 0; place < f->per_register; place++) {
            uint32_t *to = matrix + places->parts[reg * f->per_register + place];
            for (uint32_t lane = places->first; lane < 32; lane++)
                to[places->lanes[lane]] = words[lane] >> f->bits * place & mask;
        }
    }
}

void execute_fragment_scatter(struct execute_warp *warp, const struct execute_fragment *f,
                              const struct execute_places *places, const uint32_t *refs, const uint32_t *matrix,
                              uint32_t lanes)
{
    for (uint32_t reg = 0; reg < f->registers; reg++) {
        uint32_t words[32] = {0};
        for (uint32_t place = 0; place < f->per_register; place++) {
            const uint32_t *from = matrix + places->parts[reg * f->per_register + place];
            for (uint32_t lane = 0; lane < 32; lane++)
                words[lane] |= from[places->lanes[lane]] << f->bits * place;
        }
        execute_blend(warp, execute_to(warp, refs[reg]), words, 4, lanes);
    }
}

void execute_fragment_gather_long(const struct execute_warp *warp, const struct execute_fragment *f,
                                  const struct execute_places *places, const uint32_t *refs, uint64_t *matrix)
{
    for (uint32_t reg = 0; reg < f->registers; reg++)
        for (uint32_t lane = 0; lane < 32; lane++)
            matrix[places->parts[reg] + places->lanes[lane]] = execute_long_at(warp, refs[reg], lane);
}

void execute_fragment_scatter_long(struct execute_warp *warp, const struct execute_fragment *f,
                                   const struct execute_places *places, const uint32_t *refs, const uint64_t *matrix,
                                   uint32_t lanes)
{
    for (uint32_t reg = 0; reg < f->registers; reg++) {
        uint64_t large[32];
        for (uint32_t lane = 0; lane < 32; lane++)
            large[lane] = matrix[places->parts[reg] + places->lanes[lane]];
        if (warp->launch->code->paths)
            execute_blend_pairs(warp, execute_to(warp, refs[reg]), large, lanes);
        else
            execute_blend(warp, execute_to(warp, refs[reg]), large, 8, lanes);
    }
}
