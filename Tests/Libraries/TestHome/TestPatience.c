/* SPDX-License-Identifier: Apache-2.0
 *
 * How long tests wait before they give up. A time limit only bounds a failure, and on a machine
 * that is busy with other programs everything takes longer.
 */
#include "TestHome.h"

#include <stdio.h>
#include <unistd.h>

double test_patience(double seconds) {
    double average = 0, others;
    int running = 0;
    FILE *file = fopen("/proc/loadavg", "re");
    if (file != NULL) {
        /* The average over a minute, and who wants a processor now. */
        if (fscanf(file, "%lf %lf %lf %d/", &average, &others, &others, &running) != 4) running = 0;
        fclose(file);
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    double load = average > running ? average : running;
    double factor = load / (processors > 0 ? (double)processors : 1);
    return seconds * (factor > 1 ? factor : 1);
}
