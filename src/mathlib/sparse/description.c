/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix descriptors of the legacy interface: four settings, which programs create for the matrices that they multiply.
 * Only the query functions read them. */
#include "mathlib/sparse/description.h"
#include "mathlib/sparse/handle.h"

#include <stdlib.h>

struct cusparseMatDescr {
    int type, fill, diagonal, base; /* all 0: a general matrix with indices from 0 */
};
typedef struct cusparseMatDescr *cusparseMatDescr_t;

enum { TYPES = 4, TWO = 2 };

MATHLIB_API int cusparseCreateMatDescr(cusparseMatDescr_t *out)
{
    if (!out)
        return SPARSE_INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    return *out ? SPARSE_SUCCESS : SPARSE_ALLOC_FAILED;
}

MATHLIB_API int cusparseDestroyMatDescr(cusparseMatDescr_t description)
{
    free(description);
    return SPARSE_SUCCESS;
}

static int set(int *setting, int value, int kinds)
{
    if (!setting || value < 0 || value >= kinds)
        return SPARSE_INVALID_VALUE;
    *setting = value;
    return SPARSE_SUCCESS;
}

#define SETTING(Name, field, kinds)                                                                                    \
    MATHLIB_API int cusparseSet##Name(cusparseMatDescr_t description, int value)                                       \
    {                                                                                                                  \
        return set(description ? &description->field : NULL, value, kinds);                                            \
    }                                                                                                                  \
    MATHLIB_API int cusparseGet##Name(const struct cusparseMatDescr *description)                                      \
    {                                                                                                                  \
        return description ? description->field : 0;                                                                   \
    }
SETTING(MatType, type, TYPES)
SETTING(MatFillMode, fill, TWO)
SETTING(MatDiagType, diagonal, TWO)
SETTING(MatIndexBase, base, TWO)
