/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/operations/forms.h"

#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define ONE(name, D, A, expression)         [EXECUTE_LANE_##name] = {EXECUTE_##D, {EXECUTE_##A}},
#define TWO(name, D, A, B, expression)      [EXECUTE_LANE_##name] = {EXECUTE_##D, {EXECUTE_##A, EXECUTE_##B}},
#define THREE(name, D, A, B, C, expression) LIKE(name, D, A, B, C, , )
#define LIKE(name, D, A, B, C, function, modifiers)                                                                    \
    [EXECUTE_LANE_##name] = {EXECUTE_##D, {EXECUTE_##A, EXECUTE_##B, EXECUTE_##C}},
const struct ptx_signature ptx_signatures[EXECUTE_LANE_COUNT] = {EXECUTE_LANES(ONE, TWO, THREE, LIKE, LIKE)};

const char *ptx_form_name(uint32_t lane)
{
    static const char *const names[EXECUTE_LANE_COUNT] = {
#define X(name, ...) [EXECUTE_LANE_##name] = #name,
        EXECUTE_LANES_OF_FORMS(X, X, X, X, X)};
    return names[lane];
}

/* The function with the name of a form. */
static uint32_t named(const char *text)
{
    for (uint32_t lane = 0; lane < EXECUTE_LANE_COUNT; lane++) {
        const char *name = ptx_form_name(lane);
        size_t i = 0;
        while (name && text[i] && text[i] != '_' && (text[i] == '.' ? '_' : text[i]) == name[i])
            i++;
        if (name && !text[i] && !name[i])
            return lane;
    }
    return PTX_NO_FORM;
}

/* Whether bits move as they are: `.u32`, `.s64`, `.f32` for `.b32`, `.b64`, `.b32`. */
static bool moves(const char *type)
{
    static const char *const types[] = {".u16", ".s16", ".u32", ".s32", ".f32", ".u64", ".s64", ".f64"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (mnp_begins(type, types[i]) && (!type[4] || type[4] == '.'))
            return true;
    return false;
}

static const struct {
    const char *text, *same;
} others[] = {{"sin.approx.ftz.f32", "sin.approx.f32"},
              {"cos.approx.ftz.f32", "cos.approx.f32"},
              {"rcp.approx.ftz.f32", "rcp.rn.ftz.f32"},
              {"sqrt.approx.ftz.f32", "sqrt.rn.ftz.f32"},
              {"mad.rn.f32", "fma.rn.f32"},
              {"mad.rn.ftz.f32", "fma.rn.ftz.f32"},
              {"mad.rn.sat.f32", "fma.rn.sat.f32"},
              {"mad.rn.f64", "fma.rn.f64"},
              {"mad.rn.ftz.sat.f32", "fma.rn.ftz.sat.f32"}};

/* Forms that are done as another one: sums and lower halves of products have no sign, bits that move no type, and
 * sums and products of floats are rounded to nearest if nothing is said. `same` has room for `text`. */
static void find_same(const char *text, char *same)
{
    bool sum = mnp_begins(text, "add.") || mnp_begins(text, "sub."),
         low = mnp_begins(text, "mul.lo.") || mnp_begins(text, "mad.lo.");
    char *type = same + (mnp_begins(text, "slct.ftz.") ? 8 : mnp_begins(text, "slct.") ? 4 : 3);
    strcpy(same, text);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(text, others[i].text) == 0)
            strcpy(same, others[i].same);
    char *last = strrchr(same, '.');
    if (!last)
        return;
    if ((sum || low) && last[1] == 's' && isdigit((unsigned char)last[2]))
        last[1] = 'u';
    else if (mnp_begins(text, "shr.b"))
        last[1] = 'u';
    else if ((mnp_begins(text, "mov.") || mnp_begins(text, "slct.")) && moves(type))
        type[1] = 'b';
    else if ((sum || mnp_begins(text, "mul.")) && mnp_begins(text + 3, ".rn.") && last[1] == 'f')
        memmove(same + 3, same + 6, strlen(same + 6) + 1);
}

uint32_t ptx_form_of(const char *text)
{
    char same[64];
    uint32_t lane = named(text);
    if (lane != PTX_NO_FORM || strlen(text) >= sizeof same)
        return lane;
    find_same(text, same);
    return named(same);
}
