/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of the descriptors of the graph interface, and their attributes. */
#include "mathlib/dnn/descriptor.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of an element of a type of attributes, by its number; 0: the type is not there. */
static size_t element_size(int type)
{
    static const unsigned char sizes[] = {
        8, 4, 1, 8, 4, 8, 8, 4, 4, 4, 4, 4, 4, 4, 4, 8, 4, 4, 4, 4, 4, 4, 4, 4, 1, 4, 16, 4, 4, 4, 4,
    };
    return type >= 0 && type < (int)sizeof sizes ? sizes[type] : 0;
}

struct dnn_content *dnn_content_make(int kind)
{
    struct dnn_content *content = calloc(1, sizeof *content);
    if (content) {
        content->holders = 1;
        content->kind = kind;
    }
    return content;
}

struct dnn_content *dnn_content_hold(struct dnn_content *content)
{
    content->holders++;
    return content;
}

static void drop(struct dnn_attribute *attribute)
{
    struct dnn_content **contents = attribute->elements;
    for (int64_t i = 0; attribute->type == DNN_TYPE_DESCRIPTOR && i < attribute->count; i++)
        dnn_content_release(contents[i]);
    free(attribute->elements);
    free(attribute);
}

void dnn_content_release(struct dnn_content *content)
{
    if (!content || --content->holders)
        return;
    for (struct dnn_attribute *at = content->attributes, *next; at; at = next) {
        next = at->next;
        drop(at);
    }
    free(content->graph);
    free(content);
}

const struct dnn_attribute *dnn_attribute(const struct dnn_content *content, int name)
{
    const struct dnn_attribute *at = content->attributes;
    while (at && at->name != name)
        at = at->next;
    return at;
}

static void remove_attribute(struct dnn_content *content, int name)
{
    struct dnn_attribute **at = &content->attributes;
    while (*at && (*at)->name != name)
        at = &(*at)->next;
    if (!*at)
        return;
    struct dnn_attribute *old = *at;
    *at = old->next;
    drop(old);
}

int dnn_set(struct dnn_content *content, int name, int type, int64_t count, const void *elements)
{
    size_t size = element_size(type);
    if (!size)
        return DNN_BAD_PARAM_ATTRIBUTE_TYPE;
    if (count < 0 || count > INT32_MAX || (count && !elements))
        return DNN_BAD_PARAM;
    struct dnn_attribute *made = calloc(1, sizeof *made);
    void *copy = calloc((size_t)count + sizeof(double), size); /* room for any type */
    if (!made || !copy) {
        free(made);
        free(copy);
        return DNN_ALLOC_FAILED;
    }
    if (count)
        memcpy(copy, elements, (size_t)count * size);
    remove_attribute(content, name);
    *made = (struct dnn_attribute){content->attributes, name, type, count, copy};
    content->attributes = made;
    return DNN_SUCCESS;
}

int dnn_set_contents(struct dnn_content *content, int name, int64_t count, struct dnn_content *const *elements)
{
    for (int64_t i = 0; i < count; i++)
        dnn_content_hold(elements[i]);
    int status = dnn_set(content, name, DNN_TYPE_DESCRIPTOR, count, elements);
    for (int64_t i = 0; status != DNN_SUCCESS && i < count; i++)
        dnn_content_release(elements[i]);
    return status;
}

int64_t dnn_integer(const struct dnn_content *content, int name, int64_t otherwise)
{
    const struct dnn_attribute *at = dnn_attribute(content, name);
    int64_t wide;
    int narrow;
    if (!at || !at->count)
        return otherwise;
    if (element_size(at->type) == 8) {
        memcpy(&wide, at->elements, sizeof wide);
        return wide;
    }
    if (element_size(at->type) == 1)
        return *(const char *)at->elements;
    memcpy(&narrow, at->elements, sizeof narrow);
    return narrow;
}

double dnn_real(const struct dnn_content *content, int name, double otherwise)
{
    const struct dnn_attribute *at = dnn_attribute(content, name);
    if (!at || !at->count)
        return otherwise;
    return at->type == DNN_TYPE_DOUBLE ? *(const double *)at->elements : (double)*(const float *)at->elements;
}

struct dnn_content *dnn_first(const struct dnn_content *content, int name)
{
    const struct dnn_attribute *at = dnn_attribute(content, name);
    return at && at->count && at->type == DNN_TYPE_DESCRIPTOR ? *(struct dnn_content *const *)at->elements : NULL;
}
