/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for ptxas: what it "assembles" is the PTX itself, which our driver takes where NVIDIA's takes machine
 * code. For compilers that call ptxas and hand its output to cuModuleLoadData, Triton's above all. Options that concern
 * machine code change nothing.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Triton reads the release out of this line, and writes PTX of the version that such a ptxas takes; the last word keeps
 * what it stores apart from what NVIDIA's ptxas has made. */
static const char version[] = "ptxas: the stand-in of Maniple, which hands on PTX\n"
                              "Cuda compilation tools, release 13.0, V13.0.88-maniple\n";

static int fail(const char *path)
{
    fprintf(stderr, "maniple-ptxas: %s: %s\n", path, strerror(errno));
    return 1;
}

static int copy(const char *input, const char *output)
{
    char bytes[65536];
    FILE *from = fopen(input, "rb");
    if (!from)
        return fail(input);
    FILE *to = fopen(output, "wb");
    if (!to) {
        fail(output);
        fclose(from);
        return 1;
    }
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, from)) > 0;)
        fwrite(bytes, 1, count, to);
    bool good = !ferror(from);
    fclose(from);
    good &= fputc(0, to) != EOF; /* an image of text ends so */
    return fclose(to) == 0 && good ? 0 : fail(output);
}

int main(int argc, char **argv)
{
    const char *input = NULL, *output = "elf.o"; /* ptxas's own default */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0)
            return fputs(version, stdout) == EOF;
        if (strcmp(argv[i], "-o") == 0 || strcmp(argv[i], "--output-file") == 0)
            output = i + 1 < argc ? argv[++i] : output;
        else if (argv[i][0] != '-')
            input = argv[i];
    }
    if (input)
        return copy(input, output);
    fputs("maniple-ptxas: no input; this is a stand-in for ptxas: maniple-ptxas FILE.ptx -o FILE\n", stderr);
    return 1;
}
