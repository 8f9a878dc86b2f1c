/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/process_tree.h"

#include "cudart/base/thread_state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1024 /* processes of a tree that are looked at */ };

struct tree {
    int processes[MOST];
    uint32_t count;
};

/* Adds the children that a thread has started. */
static void add_children(struct tree *tree, int process, const char *thread)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", process, thread);
    FILE *file = fopen(path, "re");
    while (file && tree->count < MOST && fscanf(file, "%d", &child) == 1)
        if (cudart_process_lives(child))
            tree->processes[tree->count++] = child;
    if (file)
        fclose(file);
}

static void add_children_of(struct tree *tree, int process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *folder = opendir(path);
    for (struct dirent *each; folder && (each = readdir(folder)) != NULL;)
        if (each->d_name[0] != '.')
            add_children(tree, process, each->d_name);
    if (folder)
        closedir(folder);
}

bool cudart_has_children(int process)
{
    struct tree tree = {.count = 0};
    add_children_of(&tree, process);
    return tree.count != 0;
}

static bool is_among(const int *all, uint32_t count, int one)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i] == one)
            return true;
    return false;
}

bool cudart_tree_sleeps(int root, const int *left_out, uint32_t count, uint64_t *digest)
{
    struct tree tree = {.processes = {root}, .count = 1};
    *digest = 0;
    for (uint32_t i = 0; i < tree.count; i++) {
        add_children_of(&tree, tree.processes[i]);
        if (!is_among(left_out, count, tree.processes[i]) && !cudart_process_waits(tree.processes[i], digest))
            return false;
    }
    return true;
}
