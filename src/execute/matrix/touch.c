/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory accesses whose values are not needed: only their addresses are recorded. */
#include "execute/warp/frame.h"

void execute_step_touch(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    if (op->kind == EXECUTE_KIND_STORE)
        execute_note_store(warp, (enum execute_space)op->access.space);
    if (!warp->record || warp->unseen)
        return;
    warp->touches = true;
    switch (op->kind) {
    case EXECUTE_KIND_LOAD:
        execute_step_load(warp, op, lanes);
        break;
    case EXECUTE_KIND_STORE:
        execute_step_store(warp, op, lanes);
        break;
    case EXECUTE_KIND_COPY_ASYNC:
        execute_step_copy_async(warp, op, lanes);
        break;
    case EXECUTE_KIND_LOAD_MATRIX:
        execute_step_matrix_rows(warp, op, lanes);
        break;
    case EXECUTE_KIND_WMMA_ACCESS:
        execute_step_wmma_access(warp, op, lanes);
        break;
    }
    warp->touches = false;
}
