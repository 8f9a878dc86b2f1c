/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations of Weicker's synthetic benchmark (CACM 27(10), 1984; version 2.1) on every core: records, strings,
 * enumerations, arrays and short procedures. Argument: runs (100). The check: the final values that the benchmark's
 * description lists.
 */
#include "manycore.h"

enum kind { FIRST, SECOND, THIRD, FOURTH, FIFTH };
enum { TEXT = 31, SIDE = 50 };

struct record {
    struct record *next;
    enum kind discriminant, kind;
    int32_t number;
    char text[TEXT];
};

static struct record records[2], *front, *back;
static int32_t number, vector[SIDE], matrix[SIDE][SIDE];
static bool flag;
static char letter_1, letter_2;
static const char text_1[TEXT] = "DHRYSTONE PROGRAM, 1'ST STRING", text_2[TEXT] = "DHRYSTONE PROGRAM, 2'ND STRING",
                  text_3[TEXT] = "DHRYSTONE PROGRAM, 3'RD STRING", some_text[TEXT] = "DHRYSTONE PROGRAM, SOME STRING";

#define PROCEDURE static __attribute__((noinline))

PROCEDURE void copy_text(char *to, const char *from)
{
    while ((*to++ = *from++))
        ;
}

PROCEDURE int32_t compare_texts(const char *a, const char *b)
{
    for (; *a && *a == *b; b++)
        a++;
    return *a - *b;
}

PROCEDURE void add_two(int32_t a, int32_t b, int32_t *sum)
{
    *sum = a + 2 + b;
}

PROCEDURE enum kind compare_letters(char a, char b)
{
    if (a != b)
        return FIRST;
    letter_1 = a;
    return SECOND;
}

PROCEDURE bool texts_differ_upwards(const char *a, const char *b)
{
    int32_t place = 2;
    char letter = 0;
    while (place <= 2)
        if (compare_letters(a[place], b[place + 1]) == FIRST) {
            letter = 'A';
            place++;
        }
    if (letter >= 'W' && letter < 'Z')
        place = 7;
    if (letter == 'R')
        return true;
    if (compare_texts(a, b) <= 0)
        return false;
    number = place + 7;
    return true;
}

PROCEDURE bool is_third(enum kind kind)
{
    return kind == THIRD;
}

PROCEDURE void follow_kind(enum kind kind, enum kind *out)
{
    *out = is_third(kind) ? kind : FOURTH;
    switch (kind) {
    case FIRST:
        *out = FIRST;
        break;
    case SECOND:
        *out = number > 100 ? FIRST : FOURTH;
        break;
    case THIRD:
        *out = SECOND;
        break;
    case FIFTH:
        *out = THIRD;
        break;
    default:
        break;
    }
}

PROCEDURE void take_next(struct record **to)
{
    if (front)
        *to = front->next;
    add_two(10, number, &front->number);
}

PROCEDURE void work_on_record(struct record *record)
{
    struct record *next = record->next;
    *next = *front;
    record->number = 5;
    next->number = record->number;
    next->next = record->next;
    take_next(&next->next);
    if (next->discriminant != FIRST) {
        *record = *next;
        return;
    }
    next->number = 6;
    follow_kind(record->kind, &next->kind);
    next->next = front->next;
    add_two(next->number, 10, &next->number);
}

PROCEDURE void step_back(int32_t *value)
{
    int32_t raised = *value + 10;
    enum kind kind = SECOND;
    do {
        if (letter_1 == 'A') {
            raised--;
            *value = raised - number;
            kind = FIRST;
        }
    } while (kind != FIRST);
}

PROCEDURE void set_letters(void)
{
    flag |= letter_1 == 'A';
    letter_2 = 'B';
}

PROCEDURE void clear(void)
{
    letter_1 = 'A';
    flag = false;
}

PROCEDURE void fill_arrays(int32_t place, int32_t value)
{
    int32_t row = place + 5;
    vector[row] = value;
    vector[row + 1] = vector[row];
    vector[row + 30] = row;
    for (int32_t column = row; column <= row + 1; column++)
        matrix[row][column] = row;
    matrix[row][row - 1]++;
    matrix[row + 20][row] = vector[row];
    number = 5;
}

struct outcome {
    int32_t a, b, c;
    enum kind kind;
    char text[TEXT];
};

PROCEDURE void once(int32_t run, struct outcome *o)
{
    clear();
    set_letters();
    o->a = 2;
    o->b = 3;
    copy_text(o->text, text_2);
    o->kind = SECOND;
    flag = !texts_differ_upwards(text_1, o->text);
    for (; o->a < o->b; o->a++) {
        o->c = 5 * o->a - o->b;
        add_two(o->a, o->b, &o->c);
    }
    fill_arrays(o->a, o->c);
    work_on_record(front);
    for (char letter = 'A'; letter <= letter_2; letter++)
        if (o->kind == compare_letters(letter, 'C')) {
            follow_kind(FIRST, &o->kind);
            copy_text(o->text, text_3);
            o->b = number = run;
        }
    o->b *= o->a;
    o->a = o->b / o->c;
    o->b = 7 * (o->b - o->c) - o->a;
    step_back(&o->a);
}

static bool check(const struct outcome *o, int32_t runs)
{
    return number == 5 && flag && letter_1 == 'A' && letter_2 == 'B' && vector[8] == 7 && matrix[8][7] == runs &&
           front->discriminant == FIRST && front->kind == THIRD && front->number == 17 &&
           compare_texts(front->text, some_text) == 0 && back->discriminant == FIRST && back->kind == SECOND &&
           back->number == 18 && compare_texts(back->text, some_text) == 0 && o->a == 5 && o->b == 13 && o->c == 7 &&
           o->kind == SECOND && compare_texts(o->text, text_2) == 0;
}

int mc_main(void)
{
    int32_t runs = (int32_t)mc_argument(1, 100);
    struct outcome outcome = {0};
    front = &records[0];
    back = &records[1];
    *front = (struct record){.next = back, .discriminant = FIRST, .kind = THIRD, .number = 40};
    copy_text(front->text, some_text);
    if (runs == 0)
        return mc_conclude("dhrystone", true);
    for (int32_t run = 1; run <= runs; run++)
        once(run, &outcome);
    return mc_conclude("dhrystone", check(&outcome, runs));
}
