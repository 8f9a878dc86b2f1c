/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes are created in one pass over the values; the group of a key is found by the key's prefix. */
#include "engine/configure/tree.h"

#include "base/array.h"
#include "engine/configure/keys.h"

#include <stdio.h>
#include <string.h>

enum {
    NONE = 0,      /* no node: node 0 is the root, which is not a member of any group */
    NAME_MAX = 128 /* maximum length of a group's name */
};

struct node {                         /* a group or a value */
    const struct mnp_resolved *value; /* NULL: a group */
    const char *name;
    uint32_t length;      /* length of the name in bytes */
    uint32_t first, last; /* members of a group */
    uint32_t next;        /* next member of the same group */
};

struct tree {
    struct mnp_array nodes;
    struct mnp_keys groups; /* indexed by the prefix of their members' keys, without the last dot */
};

static struct node *node_at(const struct tree *tree, uint32_t node)
{
    return (struct node *)tree->nodes.items + node;
}

/* Appends a node as the last member of a group. */
static uint32_t add(struct tree *tree, uint32_t group, const struct node *node)
{
    uint32_t added = tree->nodes.count;
    *(struct node *)mnp_array_add(&tree->nodes, 1, sizeof *node) = *node;
    struct node *owner = node_at(tree, group);
    if (owner->last == NONE)
        owner->first = added;
    else
        node_at(tree, owner->last)->next = added;
    owner->last = added;
    return added;
}

/* Finds or creates the group for keys that begin with `length` bytes of `key`; the last `own` bytes are its name. */
static uint32_t find_group(struct tree *tree, uint32_t owner, const char *key, size_t length, size_t own)
{
    uint32_t group = mnp_keys_find(&tree->groups, key, length);
    if (group != MNP_NO_KEY)
        return group;
    group = add(tree, owner, &(struct node){.name = key + length - own, .length = (uint32_t)own});
    mnp_keys_add(&tree->groups, key, length, group);
    return group;
}

static void add_value(struct tree *tree, const struct mnp_resolved *value)
{
    const char *key = value->row->key, *name = key;
    uint32_t group = 0;
    for (const char *point = strchr(name, '.'); point; point = strchr(name, '.')) {
        group = find_group(tree, group, key, (size_t)(point - key), (size_t)(point - name));
        name = point + 1;
    }
    add(tree, group, &(struct node){.value = value, .name = name, .length = (uint32_t)strlen(name)});
}

static void visit(const struct tree *tree, uint32_t group, const struct mnp_settings_visitor *visitor, unsigned depth)
{
    for (uint32_t i = node_at(tree, group)->first; i != NONE; i = node_at(tree, i)->next) {
        const struct node *node = node_at(tree, i);
        if (node->value) {
            visitor->value(visitor->context, node->name, node->value, depth);
            continue;
        }
        char name[NAME_MAX];
        snprintf(name, sizeof name, "%.*s", (int)node->length, node->name);
        visitor->open(visitor->context, name, depth);
        visit(tree, i, visitor, depth + 1);
        visitor->close(visitor->context, depth);
    }
}

static bool is_shown(const struct mnp_resolved *resolved, bool one)
{
    bool stated = !(resolved->origin && strcmp(resolved->origin, "default") == 0);
    return (!resolved->row->of_system || (!one && stated)) && (!resolved->row->quiet || stated);
}

/* Whether the value is shown: its `shown_with` flag, if any, is true. */
static bool is_wanted(const struct mnp_resolved *resolved, size_t count, const struct mnp_resolved *value)
{
    const char *key = value->row->shown_with;
    for (size_t i = 0; key && i < count; i++)
        if (strcmp(resolved[i].row->key, key) == 0)
            return resolved[i].number != 0;
    return !key;
}

void mnp_tree_walk(const struct mnp_resolved *resolved, size_t count, bool all,
                   const struct mnp_settings_visitor *visitor)
{
    struct tree tree = {0};
    mnp_array_add(&tree.nodes, 1, sizeof(struct node)); /* the root */
    for (size_t i = 0; i < count; i++)
        if (is_shown(&resolved[i], visitor->one) && (all || is_wanted(resolved, count, &resolved[i])))
            add_value(&tree, &resolved[i]);
    visit(&tree, 0, visitor, 0);
    mnp_keys_release(&tree.groups);
    mnp_array_release(&tree.nodes);
}
