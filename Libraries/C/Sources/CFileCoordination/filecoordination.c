/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing: what the header declares is in Swift. A target of C needs a file.
 */
#include "filecoordination.h"
