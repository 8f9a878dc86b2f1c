/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys that act under a condition alone. `mesh.width` is none of them, as programs are told the width on any machine,
 * and neither is `mesh.block`, which shapes the units of the simulation. */
#include "manycore/core/idle.h"

#include "base/text.h"
#include "engine/configure/configuration.h"

#include <string.h>

/* Keys that begin with `keys`, whether they act, and why not. */
struct condition {
    const char *keys;
    bool holds;
    const char *otherwise, *remedy;
};

static bool refuse(const char *override, const struct condition *condition, const struct mnp_settings *settings,
                   struct mnp_error *error)
{
    char key[100];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(override, "="), override);
    return mnp_settings_fail(settings, key, error,
                             "machine %s has no use for it, since %s; leave it out, or choose --set %s",
                             mnp_settings_name(settings), condition->otherwise, condition->remedy);
}

bool manycore_refuse_idle(const struct manycore_parameters *p, const struct mnp_settings *settings,
                          struct mnp_error *error)
{
    const bool mesh = p->network == MANYCORE_MESH;
    static const char no_mesh[] = "its shared.network is global", no_caches[] = "its tile.caches is false";
    static const char get_mesh[] = "shared.network=mesh", get_caches[] = "tile.caches=true";
    const struct condition conditions[] = {
        {"mesh.torus=", mesh, no_mesh, get_mesh},
        {"mesh.queue=", mesh, no_mesh, get_mesh},
        {"mesh.arbitration=", mesh, no_mesh, get_mesh},
        {"mesh.selection=", mesh, no_mesh, get_mesh},
        {"shared.latency=", mesh, no_mesh, get_mesh},
        {"shared.global_latency=", !mesh, "its shared.network is mesh", "shared.network=global"},
        {"icache.", p->caches, no_caches, get_caches},
        {"dcache.", p->caches, no_caches, get_caches},
        {"core.private=", !p->caches, "its tile.caches is true", "tile.caches=false"},
        {"dcache.write_back_latency=", p->write_back, "its dcache.write_back is false", "dcache.write_back=true"},
    };
    const char *override;
    for (size_t i = 0; (override = mnp_settings_override(settings, false, i)); i++)
        for (size_t k = 0; k < sizeof conditions / sizeof *conditions; k++)
            if (!conditions[k].holds && mnp_begins(override, conditions[k].keys))
                return refuse(override, &conditions[k], settings, error);
    return true;
}
