/* SPDX-License-Identifier: BSD-3-Clause */
/* The whole of an import: the parts of a machine are mapped, and the options that nobody has asked for are sorted. */
#include "gpu/import/map.h"

#include <ctype.h>
#include <string.h>

/* Beginnings of names that say nothing of the machine. */
static const char *const not_machine[] = {
    "-gpgpu_ptx_",
    "-gpgpu_stack_size",
    "-gpgpu_heap_size",
    "-gpgpu_runtime",
    "-gpgpu_occupancy",
    "-gpgpu_memlatency",
    "-gpgpu_simd_model",
    "-enable_ptx",
    "-visualizer",
    "-power_",
    "-accelwattch",
    "-gpuwattch",
    "-trace_enabled",
    "-trace_components",
    "-trace_sampling",
    "-gpgpu_deadlock",
    "-gpgpu_max_cycle",
    "-gpgpu_max_insn",
    "-gpgpu_max_cta",
    "-gpgpu_cflog",
    "-gpgpu_stat",
    "-liveness",
    "-gpgpu_experimental",
    "-gpgpu_registers_per_block",
    "-save_embedded",
    "-keep",
    "-gpgpu_clock_gated",
    "-gpgpu_flush_l2",
    "-gpgpu_TB_launch",
    "-gpgpu_concurrent",
    "-gpgpu_shmem_per_block",
    "-gpgpu_ignore_resources",
    "-inter_config_file",
    "-aerial",
    "-dvfs",
    "-hw_perf",
};

/* Classifies the options that the mapping has not read. */
static void classify(struct gpu_import *import)
{
    for (uint32_t i = 0; i < import->option_count; i++) {
        struct gpu_import_option *option = &import->options[i];
        if (option->fate != GPU_IMPORT_UNKNOWN)
            continue;
        for (size_t j = 0; j < sizeof not_machine / sizeof *not_machine; j++)
            if (strncmp(option->name, not_machine[j], strlen(not_machine[j])) == 0)
                option->fate = GPU_IMPORT_NOT_MACHINE;
    }
}

/* The folder of the file is usually named after the machine: SM7_QV100/gpgpusim.config. */
static void choose_name(struct gpu_import *import)
{
    const char *path = import->files[0], *slash = strrchr(path, '/'), *start = slash;
    while (start && start > path && start[-1] != '/')
        start--;
    size_t length = slash ? (size_t)(slash - start) : 0, used = 0;
    for (size_t i = 0; i < length && used + 1 < sizeof import->name; i++)
        if (isalnum((unsigned char)start[i]) || start[i] == '-' || start[i] == '_')
            import->name[used++] = (char)tolower((unsigned char)start[i]);
    import->name[used] = 0;
    if (!used)
        strcpy(import->name, "imported");
}

bool gpu_import_map(struct gpu_import *import, struct mnp_error *error)
{
    struct gpu_mapping mapping = {.import = import, .error = error};
    MNP_REQUIRE(import->file_count > 0, "nothing has been read");
    choose_name(import);
    gpu_map_sm(&mapping);
    gpu_map_memory(&mapping);
    classify(import);
    if (mapping.missing[0]) /* a mistake in a value, which comes first, stays */
        mnp_fail(error,
                 "%s: there is no %s, or it is none, without which no machine can be made; is this a gpgpusim.config?",
                 import->files[0], mapping.missing);
    return !error->text[0];
}
