/* SPDX-License-Identifier: BSD-3-Clause */
#include "redirect/ours.h"

#include <string.h>

/* Tables of the dynamic section that a lookup needs. */
struct exports {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *table; /* hash table of DT_GNU_HASH */
};

/* The dynamic linker relocates the addresses in the dynamic section of a loaded object, except if the section is
 * read-only. */
static const void *address_in(const struct link_map *library, ElfW(Addr) address)
{
    return (const void *)(address < library->l_addr ? address + library->l_addr : address);
}

static bool read_exports(const struct link_map *library, struct exports *exports)
{
    *exports = (struct exports){0};
    for (const ElfW(Dyn) *row = library->l_ld; row && row->d_tag != DT_NULL; row++) {
        const void *at = address_in(library, row->d_un.d_ptr);
        if (row->d_tag == DT_SYMTAB)
            exports->symbols = at;
        if (row->d_tag == DT_STRTAB)
            exports->names = at;
        if (row->d_tag == DT_GNU_HASH)
            exports->table = at;
    }
    return exports->symbols && exports->names && exports->table;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        hash = hash * 33 + *c;
    return hash;
}

uintptr_t redirect_exported(const struct link_map *library, const char *name)
{
    struct exports exports;
    if (!read_exports(library, &exports) || !exports.table[0])
        return 0;
    /* Layout of the table: number of buckets, first hashed symbol, words of the Bloom filter; then the filter, the
     * buckets, and the hashes. */
    uint32_t count = exports.table[0], first = exports.table[1], words = exports.table[2], hash = hash_of(name);
    const uint32_t *buckets = exports.table + 4 + (size_t)words * sizeof(ElfW(Addr)) / sizeof(uint32_t);
    const uint32_t *hashes = buckets + count;
    for (uint32_t i = buckets[hash % count]; i >= first; i++) {
        const ElfW(Sym) *symbol = &exports.symbols[i];
        uint32_t other = hashes[i - first];
        if ((other | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
            strcmp(exports.names + symbol->st_name, name) == 0)
            return library->l_addr + symbol->st_value;
        if (other & 1) /* the lowest bit marks the last symbol of a bucket */
            break;
    }
    return 0;
}

bool redirect_is_ours(const struct link_map *library)
{
    const char *slash = library->l_name ? strrchr(library->l_name, '/') : NULL;
    return slash && strcmp(slash, "/libcuda.so.1") == 0 && redirect_exported(library, "maniple_serve_runtime");
}
