/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Source lines from a program's debug information (DWARF of any version), by libdw of elfutils; without libdw no lines
 * are known. Only messages need them, so nothing is read in advance or cached.
 */
#include "contract/program.h"

#include <stdio.h>

#ifdef MANIPLE_HAVE_DWARF

#include <elfutils/libdw.h>
#include <string.h>

/* Finds the line of an address, or NULL. Compilation units are searched one by one, because an index (.debug_aranges)
 * is optional. */
static Dwarf_Line *find_line(Dwarf *dwarf, uint32_t address)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        Dwarf_Line *line = dwarf_getsrc_die(&die, address);
        if (line)
            return line;
    }
    return NULL;
}

static bool write_line(Dwarf_Line *line, char *text, size_t room)
{
    int number = 0;
    const char *file = dwarf_linesrc(line, NULL, NULL);
    if (!file || dwarf_lineno(line, &number) != 0 || number <= 0)
        return false;
    file += strncmp(file, "./", 2) == 0 ? 2 : 0;
    size_t length = strlen(file);
    snprintf(text, room, "%s:%d", length > MNP_SOURCE_FILE ? file + length - MNP_SOURCE_FILE : file, number);
    return true;
}

bool mnp_program_source_line(const struct mnp_program *program, uint32_t address, char *text, size_t room)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    Elf *elf = elf_memory((char *)program->file, program->file_bytes);
    Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    Dwarf_Line *line = dwarf ? find_line(dwarf, address) : NULL;
    bool found = line && write_line(line, text, room);
    if (dwarf)
        dwarf_end(dwarf);
    if (elf)
        elf_end(elf);
    return found;
}

#else

bool mnp_program_source_line(const struct mnp_program *program, uint32_t address, char *text, size_t room)
{
    (void)program;
    (void)address;
    (void)text;
    (void)room;
    return false;
}

#endif

void mnp_program_describe(const struct mnp_program *program, uint32_t address, char *text, size_t room)
{
    const struct mnp_symbol *function = mnp_program_function(program, address);
    char line[MNP_SOURCE_FILE + 16];
    int length = function ? snprintf(text, room, "%.60s+0x%x", function->name, address - function->address)
                          : snprintf(text, room, "no function");
    if (length > 0 && (size_t)length < room && mnp_program_source_line(program, address, line, sizeof line))
        snprintf(text + length, room - (size_t)length, ", %s", line);
}
