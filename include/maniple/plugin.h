/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plug-ins: shared objects that add parts of machines to Maniple (docs/plugins.md). A plug-in defines one object,
 *
 *     #include <maniple/plugin.h>
 *     const struct maniple_plugin maniple_plugin = {
 *         MANIPLE_PLUGIN_HEADER, .name = "…", .summary = "…",
 *         .policies = (const struct mnp_policy *const[]){&mine, NULL},
 *     };
 *
 * and is loaded by `maniple --plugin FILE.so VERB …`. Machine files select its parts by name, like built-in parts. The
 * version changes with any change of a struct that a plug-in fills in or receives; a plug-in of another version is
 * refused.
 */
#ifndef MANIPLE_PLUGIN_H
#define MANIPLE_PLUGIN_H

#include "contract/kind.h"
#include "engine/declare/declare.h"
#include "gpu/sm/parts/stage.h"
#include "gpu/sm/prefetchers/prefetcher.h"
#include "gpu/sm/schedulers/called.h"
#include "parts/cache/policies/policy.h"
#include "parts/hashes/function.h"

#define MANIPLE_PLUGIN_VERSION 1
#define MANIPLE_PLUGIN_SYMBOL  "maniple_plugin"

/* Version and struct sizes with which a plug-in was compiled. The sizes detect incompatible headers whose version was
 * not incremented. */
#define MANIPLE_PLUGIN_HEADER                                                                                          \
    .version = MANIPLE_PLUGIN_VERSION, .size = sizeof(struct maniple_plugin),                                          \
    .sizes = {sizeof(struct mnp_machine_kind),    sizeof(struct mnp_policy),        sizeof(struct sm_prefetcher),      \
              sizeof(struct sm_called_scheduler), sizeof(struct mnp_hash_function), sizeof(struct sm_called_stage),    \
              sizeof(struct mnp_model),           sizeof(struct mnp_parameter),     sizeof(struct mnp_statistic)}

struct maniple_plugin {
    uint32_t version;  /* MANIPLE_PLUGIN_VERSION */
    uint32_t size;     /* size of this struct */
    uint32_t sizes[9]; /* MANIPLE_PLUGIN_HEADER */
    const char *name, *summary;

    /* NULL-terminated; NULL: none. */
    const struct mnp_machine_kind *const *kinds;         /* machine.kind; with `maniple` alone, not in CUDA programs */
    const struct mnp_policy *const *policies;            /* sm.l1d.replacement, l2.replacement, … */
    const struct sm_prefetcher *const *prefetchers;      /* sm.l1d.prefetcher */
    const struct sm_called_scheduler *const *schedulers; /* sm.scheduler */
    const struct mnp_hash_function *const *hashes;       /* l2.hash, l2.set_hash */
    const struct sm_called_stage *const *stages;         /* sm.stage */
};

#endif
