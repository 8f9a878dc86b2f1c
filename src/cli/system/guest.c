/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/system/system.h"

#include "base/allocate.h"
#include "base/file.h"
#include "offload/initramfs.h"

#include <elf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_PROGRAM = 256 << 20 };

/* ===== the file system ===== */

/* A program for ARM and Linux; `dynamic`: it needs the C library. */
static bool look_at(const char *path, bool *dynamic, struct mnp_error *error)
{
    size_t length;
    Elf32_Ehdr header = {0};
    char *bytes = mnp_read_file(path, LARGEST_PROGRAM, &length, error);
    if (!bytes)
        return false;
    if (length >= sizeof header)
        memcpy(&header, bytes, sizeof header);
    bool good = memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == EM_ARM &&
                header.e_ident[EI_CLASS] == ELFCLASS32;
    *dynamic = good && memmem(bytes, length, "ld-linux-armhf", 14) != NULL;
    free(bytes);
    return good || mnp_fail_at(error, path, 0,
                               "is no program for Linux on ARM; build it with arm-linux-gnueabihf-gcc "
                               "(apps/system/build.sh)");
}

/* The C library for programs that are linked to it, from Debian's libc6-armhf-cross; other libraries are the user's. */
static bool add_libraries(struct offload_initramfs *archive, struct mnp_error *error)
{
    static const char *const libraries[] = {"ld-linux-armhf.so.3", "libc.so.6",  "libm.so.6",    "libpthread.so.0",
                                            "libdl.so.2",          "librt.so.1", "libgcc_s.so.1"};
    offload_initramfs_folder(archive, "lib");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        char name[64], path[128];
        snprintf(name, sizeof name, "lib/%s", libraries[i]);
        snprintf(path, sizeof path, "/usr/arm-linux-gnueabihf/lib/%s", libraries[i]);
        if (access(path, R_OK) == 0 && !offload_initramfs_file(archive, name, path, 0755, error))
            return false;
        if (i < 2 && access(path, R_OK) != 0)
            return mnp_fail_at(error, path, 0,
                               "is missing; link the program with -static, or install "
                               "libc6-armhf-cross");
    }
    return true;
}

static bool add_modules(struct offload_initramfs *archive, const char *kernel, struct mnp_error *error)
{
    static const char *const modules[] = {"virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci",
                                          "virtio_console"};
    offload_initramfs_folder(archive, "modules");
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        char name[64];
        snprintf(name, sizeof name, "modules/%s.ko", modules[i]);
        char *path = mnp_join_path(kernel, name);
        bool good = offload_initramfs_file(archive, name, path, 0644, error);
        free(path);
        if (!good)
            return false;
    }
    return true;
}

static bool add_files(struct offload_initramfs *archive, const struct system_options *options, struct mnp_error *error)
{
    const char *const *files = options->with.items;
    offload_initramfs_folder(archive, "programs");
    for (uint32_t i = 0; i < options->with.count; i++) {
        char name[256];
        const char *slash = strrchr(files[i], '/');
        snprintf(name, sizeof name, "programs/%s", slash ? slash + 1 : files[i]);
        if (!offload_initramfs_file(archive, name, files[i], 0755, error))
            return false;
    }
    return true;
}

/* Work of the first process: variables, then the program and its arguments, a line each. */
static void add_start(struct offload_initramfs *archive, const struct system_options *options,
                      const struct system_places *places)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    MNP_NEED_MEMORY(out != NULL, "a command line");
    if (options->control == SYSTEM_FIFOS)
        fprintf(out, "MANIPLE_DEVICE=fifos:%s\n", places->fifos);
    else
        fprintf(out, "MANIPLE_DEVICE=%s\n", options->control == SYSTEM_DOORBELL ? "doorbell" : "port");
    fprintf(out, "/program\n");
    for (int i = 1; i < options->program_argc; i++)
        fprintf(out, "%s\n", options->program[i]);
    fclose(out);
    offload_initramfs_bytes(archive, "start", text, length, 0644);
    free(text);
}

bool cli_system_write_initramfs(const struct system_options *options, const struct system_places *places,
                                struct mnp_error *error)
{
    bool dynamic = false;
    struct mnp_output output = {0};
    if (!look_at(options->program[0], &dynamic, error) || !mnp_output_open(&output, places->initramfs, error))
        return false;
    struct offload_initramfs archive = {.out = output.stream};
    offload_initramfs_folder(&archive, "dev");
    offload_initramfs_console(&archive);
    bool good = offload_initramfs_file(&archive, "init", options->init, 0755, error) &&
                offload_initramfs_file(&archive, "program", options->program[0], 0755, error) &&
                (!dynamic || add_libraries(&archive, error)) && add_modules(&archive, options->kernel, error) &&
                add_files(&archive, options, error);
    if (good) {
        add_start(&archive, options, places);
        offload_initramfs_end(&archive);
        good = mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
    }
    mnp_output_discard(&output);
    return good;
}

/* ===== QEMU ===== */

static void add(struct mnp_array *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct mnp_array *words, const char *format, ...)
{
    char *word;
    va_list values;
    va_start(values, format);
    if (vasprintf(&word, format, values) < 0)
        word = NULL;
    va_end(values);
    *(char **)mnp_array_add(words, 1, sizeof word) = word;
}

/* A word with a path inside an option of QEMU's, where a comma is written twice. */
static void add_path(struct mnp_array *words, const char *before, const char *path, const char *behind)
{
    char *doubled = mnp_allocate(2 * strlen(path) + 1, 1), *to = doubled;
    for (; *path; path++) {
        if (*path == ',')
            *to++ = ',';
        *to++ = *path;
    }
    add(words, "%s%s%s", before, doubled, behind);
    free(doubled);
}

static void add_all(struct mnp_array *words, const char *text)
{
    char *copy = strdup(text), *rest = copy;
    for (char *word; (word = strsep(&rest, " ")) != NULL;)
        if (*word)
            add(words, "%s", word);
    free(copy);
}

/* The region, and the way of control. */
static void add_devices(struct mnp_array *words, const struct system_options *options,
                        const struct system_places *places)
{
    if (options->control == SYSTEM_DOORBELL) {
        add_all(words, "-chardev");
        add_path(words, "socket,id=bell,path=", places->doorbell, "");
        add_all(words, "-device ivshmem-doorbell,chardev=bell,vectors=1");
    } else {
        add_all(words, "-object");
        add(words, "memory-backend-file,id=region,share=on,mem-path=%s,size=%s", places->memory, options->memory_size);
        add_all(words, "-device ivshmem-plain,memdev=region");
    }
    if (options->control == SYSTEM_FIFOS)
        add_all(words, "-semihosting-config enable=on,target=native,userspace=on");
    add_all(words, "-chardev");
    add_path(words, "socket,id=ctl,path=", places->socket, ",server=off,reconnect=1");
    add_all(words, "-device virtio-serial-pci -device virtserialport,chardev=ctl,name=maniple.ctl");
}

char **cli_system_qemu_words(const struct system_options *options, const struct system_places *places)
{
    struct mnp_array words = {0};
    add_all(&words, "qemu-system-arm -M virt,highmem=off -cpu cortex-a15 -m 512 -nodefaults -display none -no-reboot");
    add_all(&words, "-serial stdio -kernel");
    add(&words, "%s/vmlinuz", options->kernel);
    add_all(&words, "-initrd");
    add(&words, "%s", places->initramfs);
    add_all(&words, "-append");
    add(&words, "console=ttyAMA0 quiet panic=-1");
    add_devices(&words, options, places);
    add_all(&words, "-qmp");
    add_path(&words, "unix:", places->qmp, ",server=on,wait=off");
    if (options->simulated)
        add_all(&words, "-icount shift=1,sleep=on");
    if (options->qemu_args)
        add_all(&words, options->qemu_args);
    *(char **)mnp_array_add(&words, 1, sizeof(char *)) = NULL;
    return words.items;
}
