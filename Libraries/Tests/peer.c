/* SPDX-License-Identifier: Apache-2.0
 *
 * A process that tests drive through pipes, in C; peer.py is the same in Python.
 *
 *   peer hold read|write SECONDS PATH...   prints "granted PATH..." and holds until its input ends
 *   peer add PATH COUNT                    adds 1 to the number in PATH, COUNT times
 *   peer move FROM TO                      moves an item, and says so
 *   peer present PATH [TEXT]               prints what it is told; saves TEXT, or refuses deletion
 */
#define _GNU_SOURCE
#include <filecoordination.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail(fc_error *error) {
    printf("error %d %s\n", fc_error_code(error), fc_error_message(error));
    for (size_t index = 0; index < fc_error_holder_count(error); index++)
        printf("holder %lld\n", (long long)fc_error_holder_pid(error, index));
    fc_error_free(error);
    return 1;
}

static void await_end_of_input(void) {
    while (getchar() != EOF) {}
}

static int hold(const char *kind, double timeout, char **paths, size_t count) {
    fc_item items[16];
    for (size_t index = 0; index < count; index++)
        items[index] = (fc_item){paths[index], strcmp(kind, "read") ? FC_WRITE : FC_READ, 0};
    fc_error *error;
    fc_hold *hold = fc_begin(NULL, items, count, timeout, &error);
    if (hold == NULL) return fail(error);
    printf("granted");
    for (size_t index = 0; index < count; index++) printf(" %s", fc_hold_path(hold, index));
    printf("\n");
    await_end_of_input();
    fc_end(hold);
    printf("released\n");
    return 0;
}

static int add(const char *path, int count) {
    for (; count > 0; count--) {
        fc_error *error;
        fc_hold *hold = fc_begin_writing(NULL, path, 0, FC_NO_TIMEOUT, &error);
        if (hold == NULL) return fail(error);
        FILE *file = fopen(fc_hold_path(hold, 0), "r+");
        int number = 0;
        if (file == NULL || fscanf(file, "%d", &number) != 1) return 1;
        rewind(file);
        /* Long enough for another process to come between, if it could. */
        usleep(200);
        fprintf(file, "%d\n", number + 1);
        fclose(file);
        fc_end(hold);
    }
    return 0;
}

static int move(const char *from, const char *to) {
    fc_item items[] = {{from, FC_WRITE, FC_WRITE_FOR_MOVING},
                       {to, FC_WRITE, FC_WRITE_FOR_REPLACING}};
    fc_error *error;
    fc_hold *hold = fc_begin(NULL, items, 2, FC_NO_TIMEOUT, &error);
    if (hold == NULL) return fail(error);
    if (rename(fc_hold_path(hold, 0), fc_hold_path(hold, 1)) != 0) return 1;
    if (fc_hold_item_moved(hold, from, to, &error) != FC_OK) return fail(error);
    fc_end(hold);
    return 0;
}

/* ---- Presenting */

static const char *text;

static void relinquish_to_reader(fc_presenter *presenter, fc_answer *answer, void *context) {
    (void)presenter, (void)context;
    printf("relinquish_to_reader\n");
    fc_answer_done(answer);
}

static void relinquish_to_writer(fc_presenter *presenter, fc_answer *answer, void *context) {
    (void)presenter, (void)context;
    printf("relinquish_to_writer\n");
    fc_answer_done(answer);
}

static void reacquire_from_reader(fc_presenter *presenter, void *context) {
    (void)presenter, (void)context;
    printf("reacquire_from_reader\n");
}

static void reacquire_from_writer(fc_presenter *presenter, void *context) {
    (void)presenter, (void)context;
    printf("reacquire_from_writer\n");
}

static void save(fc_presenter *presenter, fc_answer *answer, void *context) {
    (void)context;
    char path[4096];
    fc_presenter_path(presenter, path, sizeof path);
    printf("save %s\n", path);
    fc_coordinator *coordinator = fc_coordinator_new_for_presenter(presenter, NULL);
    fc_error *error;
    fc_hold *hold = fc_begin_writing(coordinator, path, 0, 10, &error);
    fc_coordinator_free(coordinator);
    if (hold == NULL) {
        fail(error);
        fc_answer_refuse(answer, "peer", 2, "not saved");
        return;
    }
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    fc_end(hold);
    fc_answer_done(answer);
}

static void accommodate_deletion(fc_presenter *presenter, fc_answer *answer, void *context) {
    (void)presenter, (void)context;
    printf("accommodate_deletion\n");
    if (text != NULL)
        fc_answer_done(answer);
    else
        fc_answer_refuse(answer, "peer", 7, "it is needed");
}

static void did_move(fc_presenter *presenter, const char *path, uint32_t flags, void *context) {
    (void)presenter, (void)context;
    printf("did_move %s %u\n", path, flags);
}

/* As much stack as a callback may need that parses what has changed. */
static unsigned use_stack(void) {
    volatile unsigned char room[6 << 20];
    unsigned sum = 0;
    for (size_t index = 0; index < sizeof room; index += 4096) room[index] = 1;
    for (size_t index = 0; index < sizeof room; index += 4096) sum += room[index];
    return sum;
}

static void did_change(fc_presenter *presenter, uint32_t flags, void *context) {
    (void)presenter, (void)context;
    if (use_stack() != (6 << 20) / 4096) abort();
    printf("did_change %u\n", flags);
}

static void subitem_did_appear(fc_presenter *presenter, const char *path, uint32_t flags,
                               void *context) {
    (void)presenter, (void)context;
    printf("subitem_did_appear %s %u\n", path, flags);
}

static void removed(void *context) {
    printf("removed\n");
    *(volatile int *)context = 1;
}

static int present(const char *path, const char *saved) {
    text = saved;
    fc_presenter_callbacks callbacks = {
        .size = sizeof callbacks,
        .relinquish_to_reader = relinquish_to_reader,
        .relinquish_to_writer = relinquish_to_writer,
        .reacquire_from_reader = reacquire_from_reader,
        .reacquire_from_writer = reacquire_from_writer,
        .save = text != NULL ? save : NULL,
        .accommodate_deletion = accommodate_deletion,
        .did_move = did_move,
        .did_change = did_change,
        .subitem_did_appear = subitem_did_appear,
        .removed = removed,
    };
    volatile int is_removed = 0;
    fc_error *error;
    fc_presenter *presenter =
        fc_presenter_add(path, &callbacks, (void *)&is_removed, "a peer in C", &error);
    if (presenter == NULL) return fail(error);
    printf("registered\n");
    await_end_of_input();
    fc_presenter_remove(presenter);
    while (!is_removed) usleep(1000);
    return 0;
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count >= 5 && !strcmp(arguments[1], "hold"))
        return hold(arguments[2], atof(arguments[3]), arguments + 4, (size_t)count - 4);
    if (count == 4 && !strcmp(arguments[1], "add")) return add(arguments[2], atoi(arguments[3]));
    if (count == 4 && !strcmp(arguments[1], "move")) return move(arguments[2], arguments[3]);
    if (count >= 3 && !strcmp(arguments[1], "present"))
        return present(arguments[2], count > 3 ? arguments[3] : NULL);
    return 64;
}
