/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/cta/tmem.h"

#include "base/allocate.h"
#include "execute/lanes/lane_math.h"
#include "execute/warp/frame.h"

#include <string.h>

enum { UNITS = EXECUTE_TMEM_COLUMNS / EXECUTE_TMEM_UNIT, COLUMN_MASK = 0xffff, LANE_SHIFT = 16, QUARTER = 32 };

static struct execute_tmem *tmem_of(struct execute_cta *cta)
{
    if (!*cta->tmem)
        *cta->tmem = mnp_allocate(1, sizeof **cta->tmem);
    return *cta->tmem;
}

uint32_t *execute_tmem_columns(struct execute_warp *warp, struct execute_cta *cta, uint32_t lane, uint32_t address,
                               uint32_t column, uint32_t count)
{
    struct execute_tmem *tmem = tmem_of(cta);
    bool good = column < EXECUTE_TMEM_COLUMNS && count <= EXECUTE_TMEM_COLUMNS - column;
    for (uint32_t i = column / EXECUTE_TMEM_UNIT; good && i * EXECUTE_TMEM_UNIT < column + count; i++)
        good = tmem->owner[i] == cta;
    if (good)
        return tmem->cells[column];
    execute_fault(warp, EXECUTE_FAULT_TMEM_COLUMNS, lane, address);
    return NULL;
}

void execute_tmem_start(struct execute_cta *cta)
{
    cta->tmem = &cta->own_tmem;
    cta->tmem_units = 0;
    cta->tmem_no_more = false;
    cta->tmem_promises = cta->tmem_returns = 0;
    if (cta->own_tmem)
        memset(cta->own_tmem->owner, 0, sizeof cta->own_tmem->owner);
}

void execute_tmem_end(struct execute_warp *last)
{
    if (!last->cta->tmem_units)
        return;
    execute_fault(last, EXECUTE_FAULT_TMEM_LEAK, 0, last->cta->tmem_units * EXECUTE_TMEM_UNIT);
    last->fault_op = last->stack[0].pc - 1; /* the exit instruction */
}

/* ===== allocations ===== */

static bool is_size(uint32_t columns)
{
    return columns >= EXECUTE_TMEM_UNIT && columns <= EXECUTE_TMEM_COLUMNS && !(columns & (columns - 1));
}

static void own(struct execute_cta *cta, uint32_t first, uint32_t units, bool takes)
{
    struct execute_tmem *tmem = tmem_of(cta);
    for (uint32_t i = first; i < first + units; i++)
        tmem->owner[i] = takes ? cta : NULL;
    cta->tmem_units = takes ? cta->tmem_units + units : cta->tmem_units - units;
    if (cta->port->allocated)
        cta->port->allocated(cta->port->context, !takes);
}

/* Returns the first unit of the lowest free place, in both CTAs of a pair if `other` is given; UNITS if there is
 * none. */
static uint32_t free_place(struct execute_cta *cta, struct execute_cta *other, uint32_t units)
{
    const struct execute_tmem *tmem = tmem_of(cta), *beside = other ? tmem_of(other) : tmem;
    for (uint32_t first = 0; first < UNITS; first += units) {
        bool taken = false;
        for (uint32_t i = 0; i < units; i++)
            taken |= tmem->owner[first + i] || beside->owner[first + i];
        if (!taken)
            return first;
    }
    return UNITS;
}

static void take(struct execute_cta *cta, uint32_t first, uint32_t units)
{
    own(cta, first, units, true);
    memset(tmem_of(cta)->cells[first * EXECUTE_TMEM_UNIT], 0,
           (size_t)units * EXECUTE_TMEM_UNIT * sizeof *tmem_of(cta)->cells);
}

/* No columns are free. In a machine, where CTAs of an SM share tensor memory, the warp waits until others free some;
 * a CTA that has a tensor memory of its own would wait forever: a fault. */
static void wait_for_columns(struct execute_warp *warp, uint32_t lane, uint32_t columns)
{
    struct execute_cta *cta = warp->cta;
    if (cta->port->columns)
        cta->port->columns(cta->port->context, columns);
    else
        execute_fault(warp, EXECUTE_FAULT_TMEM_FULL, lane, columns);
}

/* Writes where columns are to shared memory. */
static bool tell_place(struct execute_warp *warp, const struct execute_op *op, uint32_t lane, uint32_t first)
{
    uint64_t addresses[32];
    uint32_t address = first * EXECUTE_TMEM_UNIT;
    execute_access_addresses(warp, op, op->immediate, addresses);
    return execute_access(warp, (enum execute_space)op->access.space, true, 1u << lane, addresses, sizeof address,
                          &address, 0);
}

static void allocate(struct execute_warp *warp, const struct execute_op *op, uint32_t lane, uint32_t columns)
{
    uint32_t units = columns / EXECUTE_TMEM_UNIT, first = free_place(warp->cta, NULL, units);
    if (first == UNITS)
        wait_for_columns(warp, lane, columns);
    else if (tell_place(warp, op, lane, first))
        take(warp->cta, first, units);
}

static void give_back(struct execute_warp *warp, uint32_t lane, uint32_t address, uint32_t columns)
{
    struct execute_cta *cta = warp->cta;
    uint32_t column = address % columns ? EXECUTE_TMEM_COLUMNS : address;
    if (!execute_tmem_columns(warp, cta, lane, address, column, columns))
        return;
    own(cta, column / EXECUTE_TMEM_UNIT, columns / EXECUTE_TMEM_UNIT, false);
}

/* ===== of a pair of CTAs ===== */

/* The first of a pair's CTAs that asks takes columns for both, at the same place; where they are apart that is the even
 * one, which says so to the other. That one finds them promised. False: they are too many, or not free there. */
bool execute_tmem_promise(struct execute_cta *cta, uint32_t first, uint32_t units)
{
    bool taken = cta->tmem_promises == EXECUTE_TMEM_PROMISES;
    for (uint32_t i = first; i < first + units; i++)
        taken |= tmem_of(cta)->owner[i] != NULL;
    if (taken)
        return false;
    cta->tmem_promised[cta->tmem_promises][0] = (uint8_t)first;
    cta->tmem_promised[cta->tmem_promises++][1] = (uint8_t)units;
    take(cta, first, units);
    return true;
}

static void take_promised(struct execute_warp *warp, const struct execute_op *op, uint32_t lane, uint32_t columns)
{
    struct execute_cta *cta = warp->cta;
    uint32_t first = cta->tmem_promised[0][0], units = cta->tmem_promised[0][1];
    if (units * EXECUTE_TMEM_UNIT != columns) {
        execute_fault(warp, EXECUTE_FAULT_TMEM_PAIR, lane, columns);
        return;
    }
    if (!tell_place(warp, op, lane, first))
        return;
    cta->tmem_promises--;
    memmove(cta->tmem_promised[0], cta->tmem_promised[1], sizeof *cta->tmem_promised * cta->tmem_promises);
}

/* Finds the peer CTA, if it is simulated here. Returns false if there is none, which is a fault. */
static bool find_other(struct execute_warp *warp, uint32_t lane, struct execute_cta **other)
{
    const struct execute_cluster *cluster = warp->cta->cluster;
    uint32_t rank = warp->cta->rank ^ 1;
    *other = rank < cluster->size ? cluster->members[rank] : NULL;
    if (rank < cluster->size)
        return true;
    execute_fault(warp, EXECUTE_FAULT_TCGEN05_PAIR, lane, warp->cta->rank);
    return false;
}

static void allocate_pair(struct execute_warp *warp, const struct execute_op *op, uint32_t lane, uint32_t columns)
{
    struct execute_cta *cta = warp->cta, *other;
    uint32_t units = columns / EXECUTE_TMEM_UNIT;
    if (!find_other(warp, lane, &other))
        return;
    if (cta->tmem_promises) {
        take_promised(warp, op, lane, columns);
        return;
    }
    uint32_t first = !other && cta->rank % 2 ? UNITS : free_place(cta, other, units);
    if (first == UNITS) {
        wait_for_columns(warp, lane, columns);
        return;
    }
    if (!tell_place(warp, op, lane, first))
        return;
    take(cta, first, units);
    if (other)
        execute_tmem_promise(other, first, units);
    else
        cta->port->columns_news(cta->port->context, first, units);
}

/* If the CTAs are simulated separately, the even one, which knows the allocations of both, waits for the peer's
 * message. */
static void give_back_pair(struct execute_warp *warp, uint32_t lane, uint32_t address, uint32_t columns)
{
    struct execute_cta *cta = warp->cta, *other;
    if (!find_other(warp, lane, &other))
        return;
    if (!other && cta->rank % 2 == 0 && !cta->tmem_returns) {
        wait_for_columns(warp, lane, columns);
        return;
    }
    cta->tmem_returns -= cta->tmem_returns > 0;
    give_back(warp, lane, address, columns);
    if (!other && cta->rank % 2 && warp->status != EXECUTE_FAULTED)
        cta->port->columns_news(cta->port->context, 0, 0);
}

void execute_step_tmem_allocate(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    warp->changed = true;
    if (op->variant == EXECUTE_TMEM_NO_MORE) {
        warp->cta->tmem_no_more = true;
        return;
    }
    uint32_t columns = ((const uint32_t *)execute_at(warp, op->b))[lane];
    bool allocates = op->variant == EXECUTE_TMEM_ALLOCATE || op->variant == EXECUTE_TMEM_ALLOCATE_PAIR;
    uint32_t address = allocates ? 0 : ((const uint32_t *)execute_at(warp, op->a))[lane];
    if (!is_size(columns))
        execute_fault(warp, EXECUTE_FAULT_TMEM_SIZE, lane, columns);
    else if (allocates && warp->cta->tmem_no_more)
        execute_fault(warp, EXECUTE_FAULT_TMEM_PERMIT, lane, columns);
    else if (op->variant == EXECUTE_TMEM_ALLOCATE)
        allocate(warp, op, lane, columns);
    else if (op->variant == EXECUTE_TMEM_ALLOCATE_PAIR)
        allocate_pair(warp, op, lane, columns);
    else if (op->variant == EXECUTE_TMEM_GIVE_BACK)
        give_back(warp, lane, address, columns);
    else
        give_back_pair(warp, lane, address, columns);
}

/* ===== loads and stores ===== */

struct cell {
    uint32_t lane, column;
};

/* The cell of a thread's register, relative to the address (PTX ISA 9.0, matrix fragments of the shapes; CUTLASS,
 * copy_traits_sm100.hpp). In the shapes of 16 lanes, thread t has lane t / 4 of a group of eight. The
 * register selects the lower or the upper eight lanes (bit 0 of its number for .16x128b, bit 1 for .16x256b); for
 * .16x64b the lowest bit of the thread's number does. */
static struct cell cell_of(const struct execute_tmem_form *form, uint32_t reg, uint32_t thread)
{
    switch ((enum execute_tmem_shape)form->shape) {
    case EXECUTE_TMEM_32X32B:
        return (struct cell){thread, reg};
    case EXECUTE_TMEM_16X64B:
        return (struct cell){thread / 4 + 8 * (thread % 2), 2 * reg + thread / 2 % 2};
    case EXECUTE_TMEM_16X128B:
        return (struct cell){thread / 4 + 8 * (reg % 2), reg / 2 * 4 + thread % 4};
    case EXECUTE_TMEM_16X256B:
        return (struct cell){thread / 4 + 8 * (reg / 2 % 2), reg / 4 * 8 + thread % 4 * 2 + reg % 2};
    default:
        return (struct cell){thread % 16, reg};
    }
}

uint32_t execute_tmem_width(const struct execute_tmem_form *form)
{
    bool narrow = form->shape == EXECUTE_TMEM_32X32B || form->shape == EXECUTE_TMEM_16X32BX2;
    return (uint32_t)form->count << (narrow ? 0 : 1) << form->halves;
}

struct access {      /* an access of a warp */
    uint32_t *cells; /* the first column's */
    uint32_t *split; /* .16x32bx2: cells of threads 16 to 31 */
    uint32_t lane;   /* lane of tensor memory of the first thread */
    const uint32_t *refs;
};

/* Checks the first lane of an address: the start of the warp's quarter of the lanes or, except for .32x32b, its
 * middle. */
static bool lanes_are_good(const struct execute_warp *warp, const struct execute_tmem_form *form, uint32_t first)
{
    uint32_t own = warp->number % 4 * QUARTER;
    return first == own || (first == own + QUARTER / 2 && form->shape != EXECUTE_TMEM_32X32B);
}

/* False: a fault. */
static bool find(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes, struct access *access)
{
    const struct execute_tmem_form *form = &op->tmem;
    uint32_t thread = (uint32_t)__builtin_ctz(lanes), width = execute_tmem_width(form);
    uint32_t address = ((const uint32_t *)execute_at(warp, op->a))[thread] + (uint32_t)form->offset;
    uint32_t column = address & COLUMN_MASK, behind = column + (uint32_t)form->split;
    access->lane = address >> LANE_SHIFT;
    access->refs = (const uint32_t *)warp->launch->code->list.items + op->list;
    if (!lanes_are_good(warp, form, access->lane)) {
        execute_fault(warp, EXECUTE_FAULT_TMEM_LANES, thread, address);
        return false;
    }
    access->cells = execute_tmem_columns(warp, warp->cta, thread, address, column, width);
    access->split = form->shape == EXECUTE_TMEM_16X32BX2 && access->cells
                        ? execute_tmem_columns(warp, warp->cta, thread, address, behind, width)
                        : access->cells;
    return access->cells && access->split;
}

static uint32_t *place_of(const struct access *access, const struct execute_tmem_form *form, uint32_t reg,
                          uint32_t thread)
{
    struct cell cell = cell_of(form, reg, thread);
    uint32_t *cells = thread < 16 ? access->cells : access->split;
    return cells + (size_t)(cell.column << form->halves) * EXECUTE_TMEM_LANES + access->lane + cell.lane;
}

/* Selects the smaller or larger of two numbers, for tcgen05.ld.red. */
static uint32_t choose(const struct execute_tmem_form *form, uint32_t a, uint32_t b)
{
    bool most = form->reduces & EXECUTE_TMEM_REDUCE_MAX, nan = form->reduces & EXECUTE_TMEM_REDUCE_NAN;
    float x = float_of(a), y = float_of(b);
    if (form->type == EXECUTE_u32)
        return (a < b) == most ? b : a;
    if (form->type == EXECUTE_s32)
        return ((int32_t)a < (int32_t)b) == most ? b : a;
    if (most)
        return bits_of(nan ? greatest_nan(x, y) : greatest(x, y));
    return bits_of(nan ? least_nan(x, y) : least(x, y));
}

/* Reduces the registers of each thread. For .16x32bx2 each thread reduces its own half of the columns (assumption). */
static void reduce_columns(struct execute_warp *warp, const struct execute_tmem_form *form, const struct access *access,
                           uint32_t lanes)
{
    uint32_t words[32], positive = form->reduces & EXECUTE_TMEM_REDUCE_ABS ? INT32_MAX : UINT32_MAX;
    for (uint32_t thread = 0; thread < 32; thread++) {
        words[thread] = *place_of(access, form, 0, thread) & positive;
        for (uint32_t reg = 1; reg < form->count; reg++)
            words[thread] = choose(form, words[thread], *place_of(access, form, reg, thread) & positive);
    }
    execute_blend(warp, execute_to(warp, access->refs[form->count]), words, 4, lanes);
}

void execute_step_tmem_load(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_tmem_form *form = &op->tmem;
    const struct execute_port *port = warp->cta->port;
    struct access access;
    warp->changed = true;
    if (!find(warp, op, lanes, &access))
        return;
    for (uint32_t reg = 0; reg < form->count; reg++) {
        uint32_t words[32];
        for (uint32_t thread = 0; thread < 32; thread++) {
            const uint32_t *cell = place_of(&access, form, reg, thread);
            words[thread] = form->halves ? (cell[0] & 0xffff) | cell[EXECUTE_TMEM_LANES] << 16 : cell[0];
        }
        execute_blend(warp, execute_to(warp, access.refs[reg]), words, 4, lanes);
    }
    if (form->reduces)
        reduce_columns(warp, form, &access, lanes);
    if (port->moves)
        port->moves(port->context, warp, op);
}

void execute_step_tmem_store(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_tmem_form *form = &op->tmem;
    const struct execute_port *port = warp->cta->port;
    struct access access;
    warp->changed = true;
    if (!find(warp, op, lanes, &access))
        return;
    for (uint32_t reg = 0; reg < form->count; reg++) {
        const uint32_t *words = execute_at(warp, access.refs[reg]);
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            uint32_t thread = (uint32_t)__builtin_ctz(rest);
            uint32_t *cell = place_of(&access, form, reg, thread);
            cell[0] = form->halves ? words[thread] & 0xffff : words[thread];
            if (form->halves)
                cell[EXECUTE_TMEM_LANES] = words[thread] >> 16;
        }
    }
    if (port->moves)
        port->moves(port->context, warp, op);
}
