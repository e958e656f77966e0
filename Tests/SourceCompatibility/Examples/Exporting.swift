// SPDX-License-Identifier: Apache-2.0
//
// One such line serves all files of a target, which stay as they are on a Mac. See UnimportedNote.

@_exported import FileCoordination
