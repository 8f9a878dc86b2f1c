/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix fragments in the registers of a warp. For mma, the element in a lane's register follows the ISA's figures. For
 * wmma it is unspecified; here, element e of a fragment of R registers with E elements each is number (lane · R · E +
 * register · E + place) mod (elements of the matrix).
 */
#ifndef EXECUTE_FRAGMENT_H
#define EXECUTE_FRAGMENT_H

#include "execute/matrix/matrix.h"
#include "execute/warp/frame.h"

struct execute_fragment {
    enum execute_type type;
    uint32_t rows, columns, registers, per_register, bits;
    char name; /* 'a' … 'd' */
    bool wmma;
};

struct execute_fragment execute_fragment_of(const struct execute_matrix_form *form, char name, enum execute_type type,
                                            uint32_t registers);

/* Positions of elements in a matrix that stores element (row, column) at row · down + column · right: the element of a
 * lane, a register and a place in it is at lanes[lane] + parts[register · per_register + place]. Lanes before `first`
 * hold duplicates of elements; the later lanes' values are used. */
struct execute_places {
    uint32_t lanes[32], parts[128], first;
};

void execute_fragment_places(const struct execute_fragment *fragment, uint32_t down, uint32_t right,
                             struct execute_places *places);

/* Bits of all elements, of at most 32 and of 64. */
void execute_fragment_gather(const struct execute_warp *warp, const struct execute_fragment *fragment,
                             const struct execute_places *places, const uint32_t *refs, uint32_t *matrix);
void execute_fragment_scatter(struct execute_warp *warp, const struct execute_fragment *fragment,
                              const struct execute_places *places, const uint32_t *refs, const uint32_t *matrix,
                              uint32_t lanes);
void execute_fragment_gather_long(const struct execute_warp *warp, const struct execute_fragment *fragment,
                                  const struct execute_places *places, const uint32_t *refs, uint64_t *matrix);
void execute_fragment_scatter_long(struct execute_warp *warp, const struct execute_fragment *fragment,
                                   const struct execute_places *places, const uint32_t *refs, const uint64_t *matrix,
                                   uint32_t lanes);

#endif
