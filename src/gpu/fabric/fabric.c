/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/fabric/fabric.h"

#include "engine/declare/declare.h"
#include "gpu/fabric/links.h"
#include "gpu/fabric/none.h"
#include "gpu/fabric/switch.h"

#define MNP_TABLE_OF struct gpu_fabric_parameters

static const char *const names[] = {
#define GPU_FABRIC(NAME, name, joins, connect) name,
#include "gpu/fabric/list.h"
#undef GPU_FABRIC
    NULL};

static const struct {
    bool joins;
    gpu_fabric_connector *connect;
} kinds[] = {
#define GPU_FABRIC(NAME, name, joins, connect) {joins, connect},
#include "gpu/fabric/list.h"
#undef GPU_FABRIC
};

#define ROW(TYPE, CTYPE, KEY, UNIT, FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)                                           \
    {                                                                                                                  \
        .key = KEY, .type = TYPE, .unit = UNIT, .offset = MNP_FIELD(CTYPE, FIELD), .fallback = FALLBACK,               \
        .minimum = MIN, .maximum = MAX, .help = HELP, .source = SOURCE, .of_system = true                              \
    }
#define NUMBER_ROW(...) ROW(MNP_UINT, uint64_t, __VA_ARGS__)
#define SIZE_ROW(...)   ROW(MNP_SIZE, uint64_t, __VA_ARGS__)
#define LIST_ROW(...)   ROW(MNP_LIST, struct mnp_list, __VA_ARGS__)

static const struct mnp_parameter parameters[] = {
    {.key = "fabric.kind",
     .type = MNP_CHOICE,
     .unit = "",
     .offset = MNP_FIELD(uint64_t, kind),
     .fallback = "none",
     .choices = names,
     .help = "what joins the GPUs of a system; none: they share nothing; nvlink, pcie: links, straight or by switches",
     .source = "",
     .of_system = true},
    LIST_ROW("fabric.pairs", "link", pairs, "[]", 0, 64,
             "links between each two GPUs: 0 and 1; 0 and 2, 1 and 2; 0 and 3 and so on; [] with fabric.switches",
             "NVIDIA whitepapers"),
    LIST_ROW("fabric.switches", "link", switches, "[]", 1, 64, "links of each GPU to each switch; []: there is none",
             "NVIDIA whitepapers"),
    NUMBER_ROW("fabric.rate", "MB/s", lane.rate, "25000", 1, 1000000, "bytes of a link per microsecond, each direction",
               "NVIDIA whitepapers: 25 GB/s for NVLink 2 to 4"),
    NUMBER_ROW("fabric.latency", "ns", latency, "150", 1, 1000000,
               "a link, from hub to hub or between hub and switch, beside the time of a packet's bytes",
               "Dutta et al., ISCA 2023: 360 cycles more than an own L2 hit for a round trip between two P100"),
    NUMBER_ROW("fabric.switch_latency", "ns", switch_latency, "100", 1, 1000000,
               "a switch, of a packet that waits for nothing",
               "Ishii et al., Hot Chips 2018: NVSwitch; assumed for others"),
    {.key = "fabric.multicast",
     .type = MNP_BOOL,
     .unit = "",
     .offset = MNP_FIELD(uint64_t, multicast),
     .fallback = "false",
     .help = "switches send a packet on to several GPUs and combine the replies (NVLS); needs fabric.switches",
     .source = "Ishii and Wells, Hot Chips 2022: from the third NVSwitch on",
     .of_system = true},
    SIZE_ROW("fabric.flit", "byte", lane.flit, "16", 1, 256, "what a link moves at least",
             "Foley and Danskin, IEEE Micro 2017"),
    SIZE_ROW("fabric.header", "byte", lane.header, "16", 0, 256, "of a packet, besides its data",
             "Foley and Danskin, IEEE Micro 2017"),
    SIZE_ROW("fabric.enables", "byte", lane.enables, "16", 0, 256, "byte enables of a write of parts of sectors",
             "Foley and Danskin, IEEE Micro 2017"),
    SIZE_ROW("fabric.request", "byte", lane.request, "16", 1, 256, "a request without data",
             "Foley and Danskin, IEEE Micro 2017"),
    SIZE_ROW(
        "fabric.acknowledgement", "byte", lane.acknowledgement, "16", 0, 256,
        "a reply without data; 0: it takes no room",
        "NCCL counts on 0.80 to 0.82 of the line rate, which is 128 bytes in 10 flits: data, header, acknowledgement"),
    SIZE_ROW("fabric.payload", "byte", lane.payload, "128", 32, 128, "data of a packet at most",
             "a line of the L2; NVLink 1 allows 256 bytes"),
    SIZE_ROW("fabric.queue", "flit", lane.queue, "64", 1, 65536,
             "depth of a link's receive buffer for each of requests and replies, beside what a round trip needs",
             "assumed"),
    NUMBER_ROW("fabric.outstanding", "request", outstanding, "8192", 1, 1048576,
               "requests of a GPU to others that have no reply", "assumed: more than bandwidth times round trip"),
    NUMBER_ROW("fabric.copy_engines", "engine", copy_engines, "3", 1, 64,
               "copies to and from other GPUs that the engines of a GPU carry at a time",
               "deviceQuery: 3 copy engines on A100, H100 and others"),
    NUMBER_ROW("fabric.copy_latency", "ns", copy_latency, "2750", 0, 1000000000,
               "a copy to another GPU over links before its first byte",
               "p2pBandwidthLatencyTest: 4 bytes in 2.73 to 2.87 us on 8 H100, 2.63 to 2.82 us on 4 A100"),
    SIZE_ROW("fabric.copy_payload", "byte", copy_payload, "128", 32, 256, "data of a packet of a copy engine at most",
             "NVIDIA/nccl-tests issue 149: engines can use 256 bytes, SMs 128"),
};

const struct mnp_model gpu_fabric_model = {
    .name = "fabric",
    .summary = "What joins the GPUs of a system",
    MNP_PARAMETERS(parameters),
};

bool gpu_fabric_has_multicast(const struct gpu_fabric_parameters *p, uint64_t devices)
{
    return p->multicast && p->switches.count && gpu_fabric_joins(p, devices);
}

bool gpu_fabric_joins(const struct gpu_fabric_parameters *p, uint64_t devices)
{
    return devices > 1 && kinds[p->kind].joins;
}

/* A device without a fabric reaches its own memory alone, whatever range an address lies in: traces have any. */
uint32_t gpu_fabric_home(const struct gpu_fabric_parameters *p, uint32_t devices, uint32_t user, uint64_t address)
{
    return gpu_fabric_joins(p, devices) ? mnp_space_home(address, devices, user) : user;
}

uint32_t gpu_fabric_links_between(const struct gpu_fabric_parameters *p, uint32_t devices, uint32_t one, uint32_t other)
{
    struct gpu_hub_lanes lanes;
    if (one == other || !gpu_fabric_joins(p, devices))
        return 0;
    gpu_fabric_links_of(p, one, devices, 0, &lanes);
    return lanes.to[other].count;
}

/* Places in the list of pairs. */
static uint64_t pairs_of(uint64_t devices)
{
    return devices * (devices - 1) / 2;
}

/* Keys of a fabric that the user states where there is none, beside the key by which there would be one. */
static bool refuse_idle(const struct mnp_settings *settings, struct mnp_error *error)
{
    static const char kind[] = "fabric.kind=";
    const char *override;
    for (size_t i = 0; (override = mnp_settings_override(settings, false, i)); i++) {
        char key[100];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(override, "="), override);
        if (strncmp(key, "fabric.", 7) == 0 && strncmp(override, kind, strlen(kind)) != 0)
            return mnp_settings_fail(
                settings, key, error,
                "changes nothing, since fabric.kind is none; add --set fabric.kind=nvlink, or leave "
                "it out");
    }
    return true;
}

bool gpu_fabric_check(const struct gpu_fabric_parameters *p, uint64_t devices, const struct mnp_settings *settings,
                      struct mnp_error *error)
{
    if (!kinds[p->kind].joins)
        return refuse_idle(settings, error);
    if (!gpu_fabric_joins(p, devices))
        return true;
    if (p->pairs.count && p->switches.count)
        return mnp_settings_fail(settings, "fabric.pairs", error,
                                 "GPUs have straight links or those to switches, not both; state one of fabric.pairs "
                                 "and fabric.switches as []");
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < p->switches.count; i++)
        lanes += p->switches.value[i];
    if (p->multicast && lanes > GPU_MULTICAST_LANES)
        return mnp_settings_fail(settings, "fabric.switches", error, "GPUs with multicast have at most %u links each",
                                 GPU_MULTICAST_LANES);
    if (p->multicast && !p->switches.count)
        return mnp_settings_fail(settings, "fabric.multicast", error,
                                 "straight links do not multicast; state links to switches in fabric.switches");
    if (!p->switches.count && p->pairs.count < pairs_of(devices))
        return mnp_settings_fail(
            settings, "fabric.pairs", error,
            "states links of %lu pairs, and %lu GPUs have %lu; state as many, or links to switches "
            "in fabric.switches",
            (unsigned long)p->pairs.count, (unsigned long)devices, (unsigned long)pairs_of(devices));
    return true;
}

void gpu_fabric_init(struct gpu_fabric *fabric, const struct gpu_fabric_parameters *p, uint32_t devices, uint64_t hertz)
{
    *fabric = (struct gpu_fabric){.parameters = p};
    for (uint32_t i = 0; gpu_fabric_joins(p, devices) && i < devices; i++)
        gpu_fabric_links_of(p, i, devices, hertz, &fabric->lanes[i]);
}

void gpu_fabric_connect(struct gpu_fabric *fabric, struct mnp_engine *engine, struct gpu_device *const *devices,
                        uint32_t count)
{
    if (gpu_fabric_joins(fabric->parameters, count))
        kinds[fabric->parameters->kind].connect(fabric, engine, devices, count);
}

void gpu_fabric_release(struct gpu_fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->switch_count; i++)
        gpu_switch_release(fabric->switches[i]);
}
