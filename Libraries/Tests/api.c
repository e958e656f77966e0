/* SPDX-License-Identifier: Apache-2.0
 *
 * The C library inside one process: what each function promises, and what it does with nonsense.
 * Takes a directory to work in; says what failed, with its line, and ends with 1.
 */
#define _GNU_SOURCE
#include <filecoordination.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            failures++;                                                             \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                           \
    } while (0)

static char file[4096], other[4096];

/* An error's code; the error is freed. */
static int code(fc_error *error) {
    int code = fc_error_code(error);
    fc_error_free(error);
    return code;
}

static int code_of_begin(fc_coordinator *coordinator, const fc_item *items, size_t count,
                         double timeout) {
    fc_error *error;
    fc_hold *hold = fc_begin(coordinator, items, count, timeout, &error);
    CHECK((hold == NULL) == (error != NULL));
    fc_end(hold);
    return code(error);
}

/* What other threads do, waited for with a bound that only a hang reaches. */
struct event {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
};
#define NO_EVENT {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}

static void happen(struct event *event) {
    pthread_mutex_lock(&event->lock);
    event->count++;
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

static int await(struct event *event, int count) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    pthread_mutex_lock(&event->lock);
    while (event->count < count &&
           pthread_cond_timedwait(&event->changed, &event->lock, &end) == 0) {}
    int has_happened = event->count >= count;
    pthread_mutex_unlock(&event->lock);
    return has_happened;
}

/* ---- Nonsense */

static void takes_null_everywhere(void) {
    CHECK(strcmp(fc_version(), FC_VERSION) == 0);
    CHECK(fc_error_code(NULL) == FC_OK);
    CHECK(strcmp(fc_error_message(NULL), "") == 0 && strcmp(fc_error_domain(NULL), "") == 0);
    CHECK(fc_error_number(NULL) == 0 && fc_error_item(NULL) == -1);
    CHECK(fc_error_holder_count(NULL) == 0 && fc_error_holder(NULL, 0) == NULL);
    CHECK(fc_error_holder_pid(NULL, 0) == 0);
    fc_error_free(NULL);
    CHECK(fc_coordinator_new_for_presenter(NULL, NULL) == NULL);
    CHECK(fc_coordinator_purpose(NULL) == NULL);
    fc_coordinator_set_surroundings(NULL, NULL);
    fc_coordinator_set_enclosing(NULL, NULL, 1);
    fc_coordinator_cancel(NULL);
    fc_coordinator_free(NULL);
    CHECK(fc_begin(NULL, NULL, 1, 1, NULL) == NULL);
    CHECK(fc_begin_reading(NULL, NULL, 0, 1, NULL) == NULL);
    CHECK(fc_begin_writing(NULL, NULL, 0, 1, NULL) == NULL);
    fc_begin_async(NULL, NULL, 1, 1, NULL, NULL);
    CHECK(fc_hold_count(NULL) == 0 && fc_hold_path(NULL, 0) == NULL);
    CHECK(fc_hold_is_held(NULL) == 0 && fc_hold_environment(NULL) == NULL);
    CHECK(fc_hold_item_moved(NULL, file, other, NULL) == FC_ERROR_USAGE);
    fc_end(NULL);
    CHECK(fc_coordinate(NULL, NULL, 0, 1, NULL, NULL, NULL) == FC_ERROR_USAGE);
    CHECK(fc_read(NULL, file, 0, 1, NULL, NULL, NULL) == FC_ERROR_USAGE);
    CHECK(fc_write(NULL, NULL, 0, 1, NULL, NULL, NULL) == FC_ERROR_USAGE);
    CHECK(fc_item_moved(NULL, file, other, NULL) == FC_ERROR_USAGE);
    fc_answer_done(NULL);
    fc_answer_refuse(NULL, NULL, 1, NULL);
    CHECK(fc_presenter_add(NULL, NULL, NULL, NULL, NULL) == NULL);
    CHECK(fc_presenter_path(NULL, NULL, 0) == 0);
    fc_presenter_remove(NULL);
    fc_set_label(NULL);
}

static void refuses_what_means_nothing(void) {
    CHECK(code_of_begin(NULL, NULL, 0, 1) == FC_ERROR_USAGE);
    CHECK(code_of_begin(NULL, &(fc_item){file, 7, 0}, 1, 1) == FC_ERROR_USAGE);
    CHECK(code_of_begin(NULL, &(fc_item){file, FC_READ, 0x80}, 1, 1) == FC_ERROR_USAGE);
    CHECK(code_of_begin(NULL, &(fc_item){file, FC_WRITE, 0x1000}, 1, 1) == FC_ERROR_USAGE);
    CHECK(code_of_begin(NULL, &(fc_item){file, FC_READ, 0}, 1, 0.0 / 0.0) == FC_ERROR_USAGE);
    CHECK(code_of_begin(NULL, &(fc_item){file, FC_READ, FC_READ_FOR_UPLOADING}, 1, 1) ==
          FC_ERROR_USAGE);
    CHECK(fc_coordinator_new("", NULL) == NULL && fc_coordinator_new("\xff", NULL) == NULL);
    fc_presenter_callbacks sizeless = {0};
    fc_error *error;
    CHECK(fc_presenter_add(file, &sizeless, NULL, NULL, &error) == NULL);
    CHECK(code(error) == FC_ERROR_USAGE);
    /* Which item is at fault. */
    fc_item items[] = {{file, FC_READ, 0}, {"", FC_WRITE, 0}};
    CHECK(fc_begin(NULL, items, 2, 1, &error) == NULL);
    CHECK(fc_error_code(error) == FC_ERROR_PATH && fc_error_item(error) == 1);
    fc_error_free(error);
    fc_hold *hold = fc_begin_writing(NULL, file, FC_WRITE_FOR_MOVING, 30, NULL);
    CHECK(fc_hold_item_moved(hold, file, "", &error) == FC_ERROR_PATH);
    CHECK(fc_error_item(error) == 1);
    fc_error_free(error);
    fc_end(hold);
}

/* ---- Access */

static void names_the_holder(void) {
    fc_error *error;
    fc_hold *hold = fc_begin_writing(NULL, file, 0, FC_NO_TIMEOUT, &error);
    CHECK(hold != NULL && error == NULL && fc_hold_is_held(hold) && fc_hold_count(hold) == 1);
    CHECK(strcmp(fc_hold_path(hold, 0), file) == 0 && fc_hold_path(hold, 1) == NULL);
    CHECK(fc_begin_reading(NULL, file, 0, 0.05, &error) == NULL);
    CHECK(fc_error_code(error) == FC_ERROR_TIMED_OUT && fc_error_holder_count(error) == 1);
    CHECK(fc_error_holder_pid(error, 0) == getpid());
    CHECK(strstr(fc_error_holder(error, 0), file) != NULL);
    CHECK(strstr(fc_error_message(error), fc_error_holder(error, 0)) != NULL);
    CHECK(strcmp(fc_error_domain(error), "filecoordination") == 0);
    CHECK(fc_error_number(error) == FC_ERROR_TIMED_OUT && fc_error_item(error) == -1);
    fc_error_free(error);
    fc_end(hold);
    CHECK(code_of_begin(NULL, &(fc_item){file, FC_WRITE, 0}, 1, 30) == FC_OK);
}

static void shares_with_its_purpose(void) {
    fc_coordinator *one = fc_coordinator_new(NULL, "the first");
    fc_coordinator *two = fc_coordinator_new(fc_coordinator_purpose(one), NULL);
    CHECK(strcmp(fc_coordinator_purpose(one), fc_coordinator_purpose(two)) == 0);
    fc_hold *hold = fc_begin_writing(one, file, 0, 30, NULL);
    CHECK(hold != NULL);
    CHECK(code_of_begin(two, &(fc_item){file, FC_WRITE, 0}, 1, 30) == FC_OK);
    CHECK(code_of_begin(NULL, &(fc_item){file, FC_WRITE, 0}, 1, 0.05) == FC_ERROR_TIMED_OUT);
    fc_error *error;
    CHECK(fc_begin_writing(NULL, file, 0, 0.05, &error) == NULL);
    CHECK(strstr(fc_error_message(error), "the first") != NULL);
    fc_error_free(error);
    /* A coordinator may go before what it holds. */
    fc_coordinator_free(one);
    fc_coordinator_free(two);
    CHECK(fc_hold_is_held(hold));
    fc_end(hold);
}

static void *cancel_soon(void *coordinator) {
    usleep(20000);
    fc_coordinator_cancel(coordinator);
    return NULL;
}

static void finds_waits_for_its_own_holds(void) {
    fc_hold *hold = fc_begin_writing(NULL, file, 0, 30, NULL);
    fc_hold *const around[] = {hold, NULL};
    fc_coordinator *inner = fc_coordinator_new(NULL, NULL);
    fc_coordinator_set_enclosing(inner, around, 2);
    fc_item item = {file, FC_READ, 0};
    CHECK(code_of_begin(inner, &item, 1, FC_NO_TIMEOUT) == FC_ERROR_DEADLOCK);
    item.path = other;
    CHECK(code_of_begin(inner, &item, 1, FC_NO_TIMEOUT) == FC_OK);
    fc_end(hold);
    item.path = file;
    CHECK(code_of_begin(inner, &item, 1, FC_NO_TIMEOUT) == FC_OK);
    fc_coordinator_free(inner);
}

static void cancels_waits(void) {
    fc_hold *hold = fc_begin_writing(NULL, file, 0, 30, NULL);
    fc_coordinator *coordinator = fc_coordinator_new(NULL, NULL);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, cancel_soon, coordinator) == 0);
    fc_item item = {file, FC_WRITE, 0};
    CHECK(code_of_begin(coordinator, &item, 1, FC_NO_TIMEOUT) == FC_ERROR_CANCELLED);
    pthread_join(thread, NULL);
    CHECK(code_of_begin(coordinator, &item, 1, FC_NO_TIMEOUT) == FC_ERROR_CANCELLED);
    fc_coordinator_free(coordinator);
    fc_end(hold);
}

struct outcome {
    struct event event;
    fc_hold *hold;
    fc_error *error;
};

static void granted(fc_hold *hold, fc_error *error, void *context) {
    struct outcome *outcome = context;
    outcome->hold = hold;
    outcome->error = error;
    happen(&outcome->event);
}

static void waits_without_a_thread(void) {
    fc_item items[] = {{file, FC_WRITE, 0}, {other, FC_READ, 0}};
    struct outcome first = {NO_EVENT, NULL, NULL}, late = first, next = first, wrong = first;
    fc_begin_async(NULL, items, 2, 30, granted, &first);
    CHECK(await(&first.event, 1) && first.hold != NULL && first.error == NULL);
    CHECK(fc_hold_count(first.hold) == 2 && strcmp(fc_hold_path(first.hold, 1), other) == 0);
    fc_begin_async(NULL, items, 1, 0.05, granted, &late);
    CHECK(await(&late.event, 1) && late.hold == NULL && code(late.error) == FC_ERROR_TIMED_OUT);
    fc_begin_async(NULL, items, 1, FC_NO_TIMEOUT, granted, &next);
    fc_end(first.hold);
    CHECK(await(&next.event, 1) && next.hold != NULL);
    fc_end(next.hold);
    fc_begin_async(NULL, NULL, 0, 1, granted, &wrong);
    CHECK(await(&wrong.event, 1) && wrong.hold == NULL && code(wrong.error) == FC_ERROR_USAGE);
}

static void access_inside(size_t count, const char *const *paths, void *context) {
    int *code = context;
    CHECK(count == 1 && strcmp(paths[0], file) == 0);
    fc_item item = {paths[0], FC_WRITE, 0};
    *code = code_of_begin(NULL, &item, 1, FC_NO_TIMEOUT);
}

static void runs_accessors(void) {
    int inside = -1;
    CHECK(fc_write(NULL, file, 0, 30, access_inside, &inside, NULL) == FC_OK);
    CHECK(inside == FC_ERROR_DEADLOCK);
    inside = -1;
    CHECK(fc_read(NULL, file, 0, 30, access_inside, &inside, NULL) == FC_OK);
    CHECK(inside == FC_ERROR_DEADLOCK);
}

static void copy_is_elsewhere(size_t count, const char *const *paths, void *context) {
    struct event *event = context;
    CHECK(count == 1 && strcmp(paths[0], file) != 0 && access(paths[0], R_OK) == 0);
    happen(event);
}

static void copies_for_uploading(void) {
    struct event event = NO_EVENT;
    fc_error *error;
    CHECK(fc_read(NULL, file, FC_READ_FOR_UPLOADING, 30, copy_is_elsewhere, &event, NULL) == 0);
    CHECK(event.count == 1);
    char missing[5000];
    snprintf(missing, sizeof missing, "%s.missing", file);
    CHECK(fc_read(NULL, missing, FC_READ_FOR_UPLOADING, 30, copy_is_elsewhere, &event, &error) ==
          FC_ERROR_COPY);
    CHECK(strcmp(fc_error_domain(error), "errno") == 0 && fc_error_item(error) == 0);
    fc_error_free(error);
}

static void tells_children(void) {
    fc_hold *hold = fc_begin_writing(NULL, file, 0, 30, NULL);
    const char *claim = NULL, *path = NULL;
    for (const char *const *variable = fc_hold_environment(hold); *variable; variable++) {
        if (!strncmp(*variable, "FILECOORD_CLAIM=", 16)) claim = *variable + 16;
        if (!strncmp(*variable, "FILECOORD_PATH_1=", 17)) path = *variable + 17;
    }
    CHECK(claim != NULL && path != NULL && strcmp(path, file) == 0);
    pid_t child = fork();
    if (child == 0) {
        failures = 0;
        fc_coordinator *inner = fc_coordinator_new(NULL, NULL);
        fc_coordinator_set_surroundings(inner, claim);
        fc_item item = {file, FC_WRITE, 0};
        CHECK(code_of_begin(inner, &item, 1, FC_NO_TIMEOUT) == FC_ERROR_DEADLOCK);
        fc_coordinator_free(inner);
        _exit(failures != 0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    fc_end(hold);
}

/* ---- Presenters; peer.c has those that other processes ask */

static void is_removed(void *context) { happen(context); }

static void *answer_now(void *answer) {
    fc_answer_done(answer);
    return NULL;
}

static void save_later(fc_presenter *presenter, fc_answer *answer, void *context) {
    (void)presenter, (void)context;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, answer_now, answer) == 0);
    pthread_detach(thread);
}

static void removes_presenters(void) {
    struct event event = NO_EVENT;
    fc_presenter_callbacks callbacks = {.size = sizeof callbacks, .removed = is_removed};
    callbacks.save = save_later;
    char path[4096];
    for (int turn = 1; turn <= 50; turn++) {
        fc_presenter *presenter = fc_presenter_add(file, &callbacks, &event, NULL, NULL);
        CHECK(presenter != NULL);
        CHECK(fc_presenter_path(presenter, path, sizeof path) == strlen(file));
        CHECK(strcmp(path, file) == 0);
        path[0] = 'x';
        CHECK(fc_presenter_path(presenter, path, strlen(file)) == strlen(file) && path[0] == 'x');
        CHECK(code_of_begin(NULL, &(fc_item){file, FC_READ, 0}, 1, 30) == FC_OK);
        fc_coordinator *coordinator = fc_coordinator_new_for_presenter(presenter, NULL);
        fc_presenter_remove(presenter);
        CHECK(await(&event, turn));
        fc_coordinator_free(coordinator);
    }
    /* An older program's struct ends before save. */
    callbacks.size = offsetof(fc_presenter_callbacks, save);
    fc_presenter *presenter = fc_presenter_add(file, &callbacks, NULL, NULL, NULL);
    CHECK(presenter != NULL);
    CHECK(code_of_begin(NULL, &(fc_item){file, FC_READ, 0}, 1, 30) == FC_OK);
    fc_presenter_remove(presenter);
}

static void calls_nothing_after_the_end(void) {
    pid_t child = fork();
    if (child == 0) {
        failures = 0;
        fc_item item = {file, FC_WRITE, 0};
        struct outcome before = {NO_EVENT, NULL, NULL}, after = before;
        fc_begin_async(NULL, &item, 1, 30, granted, &before);
        CHECK(await(&before.event, 1));
        fc_end(before.hold);
        CHECK(fc_end_callbacks(30) == 1);
        fc_begin_async(NULL, &item, 1, 30, granted, &after);
        /* What it was granted was given back. */
        for (int turn = 0; turn < 20; turn++) CHECK(code_of_begin(NULL, &item, 1, 30) == FC_OK);
        CHECK(after.event.count == 0);
        _exit(failures != 0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* ---- Forks */

static void children_hold_nothing(void) {
    fc_hold *hold = fc_begin_writing(NULL, file, 0, 30, NULL);
    pid_t child = fork();
    if (child == 0) {
        failures = 0;
        CHECK(!fc_hold_is_held(hold));
        fc_end(hold);
        fc_item item = {file, FC_WRITE, 0};
        CHECK(code_of_begin(NULL, &item, 1, 0.05) == FC_ERROR_TIMED_OUT);
        item.path = other;
        CHECK(code_of_begin(NULL, &item, 1, 30) == FC_OK);
        struct outcome late = {NO_EVENT, NULL, NULL};
        item.path = file;
        fc_begin_async(NULL, &item, 1, 0.05, granted, &late);
        CHECK(await(&late.event, 1) && code(late.error) == FC_ERROR_TIMED_OUT);
        _exit(failures != 0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(fc_hold_is_held(hold));
    CHECK(code_of_begin(NULL, &(fc_item){file, FC_WRITE, 0}, 1, 0.05) == FC_ERROR_TIMED_OUT);
    fc_end(hold);
}

int main(int count, char **arguments) {
    if (count != 2) return 64;
    snprintf(file, sizeof file, "%s/file", arguments[1]);
    snprintf(other, sizeof other, "%s/other", arguments[1]);
    FILE *made = fopen(file, "w");
    if (made == NULL || fputs("content", made) < 0 || fclose(made) != 0) return 74;
    takes_null_everywhere();
    refuses_what_means_nothing();
    names_the_holder();
    shares_with_its_purpose();
    finds_waits_for_its_own_holds();
    cancels_waits();
    waits_without_a_thread();
    runs_accessors();
    copies_for_uploading();
    tells_children();
    children_hold_nothing();
    removes_presenters();
    calls_nothing_after_the_end();
    return failures != 0;
}
