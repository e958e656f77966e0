/* SPDX-License-Identifier: Apache-2.0
 *
 * A home, data, configuration, cache and runtime directory for the process that runs the tests.
 * It is made when the test bundle is loaded, before anything can have read the environment.
 */
#ifndef TEST_HOME_H
#define TEST_HOME_H

/* The directory that belongs to this test process, an absolute path without links in it. Everything
 * that the environment names is inside; tests put their own directories there, too. It is removed
 * when the process exits, and by the next run of tests if the process is killed. */
const char *_Nonnull test_home_root(void);

/* How many seconds to wait for what takes at most this long on a machine with nothing else to do:
 * as many times longer as there are programs for each processor. Only a failure waits so long. */
double test_patience(double seconds);

/* Gives the calling thread a table of descriptors of its own and uses all of it up, so that the
 * thread can open nothing more, and other threads can. Returns 0, or a number of an error. */
int test_use_up_descriptors(void);

#endif
