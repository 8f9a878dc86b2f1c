/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first process of a guest that `maniple system` starts: loads the modules that the devices need, runs the program
 * of /start (a word on each line: variables with a "=" first, then the program and its arguments), says how it has
 * ended, and switches the machine off.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 256 };

static void load(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "/modules/%s.ko", name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || syscall(SYS_finit_module, file, "", 0) != 0)
        printf("init: %s: %s\n", path, strerror(errno));
    if (file >= 0)
        close(file);
}

/* Reads the words; those that are variables are set. NULL-terminated. */
static void read_words(char *words[WORDS])
{
    static char text[65536];
    int file = open("/start", O_RDONLY | O_CLOEXEC), count = 0;
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    text[length > 0 ? length : 0] = 0;
    for (char *word = strtok(text, "\n"); word && count < WORDS - 1; word = strtok(NULL, "\n")) {
        if (count == 0 && strchr(word, '='))
            putenv(word);
        else
            words[count++] = word;
    }
    words[count] = NULL;
}

static int run(char **words)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execv(words[0], words);
        printf("init: %s: %s\n", words[0], strerror(errno));
        _exit(127);
    }
    while (waitpid(child, &status, 0) != child)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(void)
{
    static const char *const modules[] = {"virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci",
                                          "virtio_console"};
    char *words[WORDS];
    mkdir("/proc", 0755);
    mkdir("/sys", 0755);
    mkdir("/dev", 0755);
    mkdir("/tmp", 0755);
    mount("none", "/dev", "devtmpfs", 0, NULL);
    mount("none", "/proc", "proc", 0, NULL);
    mount("none", "/sys", "sysfs", 0, NULL);
    int console = open("/dev/console", O_RDWR);
    for (int i = 0; i < 3 && console >= 0; i++)
        dup2(console, i);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        load(modules[i]);
    read_words(words);
    int status = words[0] ? run(words) : 127;
    printf("\nthe guest's program has ended with status %d\n", status);
    sync();
    reboot(RB_POWER_OFF);
    return 0;
}
