/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program without an operating system that offloads apps/manycore/fibonacci.c, which checks itself. Its command line
 * (semihosting): the FIFOs' prefix, the ELF file.
 */
#include "guest_fifos.h"

#include <string.h>

enum { SYS_WRITE0 = 4, SYS_GET_CMDLINE = 0x15, SYS_EXIT_EXTENDED = 0x20, APPLICATION_EXIT = 0x20026 };
enum { CORES = 4 };

static struct mnp_device device;

static void say(const char *text)
{
    mnp_call_host(SYS_WRITE0, (const uint32_t *)(const void *)text);
}

static int leave(const char *text, uint32_t status)
{
    const uint32_t words[2] = {APPLICATION_EXIT, status};
    say(text);
    say("\n");
    return mnp_call_host(SYS_EXIT_EXTENDED, words);
}

/* Splits the command line: the word behind the first one, and the one behind that. */
static char *next_word(char *line)
{
    while (*line && *line != ' ')
        line++;
    while (*line == ' ')
        *line++ = 0;
    return line;
}

int main(void)
{
    static char line[512], where[300] = "fifos:";
    const uint32_t words[2] = {(uint32_t)(uintptr_t)line, sizeof line};
    mnp_call_host(SYS_GET_CMDLINE, words);
    char *prefix = next_word(line), *program = next_word(prefix);
    next_word(program);
    if (strlen(prefix) > 250)
        return leave("bare: a prefix that is too long", 2);
    memcpy(where + 6, prefix, strlen(prefix) + 1);
    int status = mnp_open(&device, where, 5000);
    if (status < 0)
        return leave(mnp_words(status), 2);
    struct mnp_launch launch = {.text = "fibonacci 7", .cores = CORES};
    struct mnp_result result;
    launch.program = mnp_load(&device, program, &launch.program_bytes);
    int ticket = launch.program ? mnp_launch(&device, &launch) : MNP_NO_DEVICE;
    status = ticket > 0 ? mnp_wait(&device, ticket, 60000, &result) : ticket;
    if (status != MNP_OFFLOAD_OK)
        return leave(mnp_words(status), 1);
    say(result.output);
    mnp_close(&device);
    return leave(result.host.cycles && result.host.program_status == 0 ? "bare: offloaded" : "bare: wrong",
                 result.host.program_status);
}
