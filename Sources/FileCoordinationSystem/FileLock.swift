// SPDX-License-Identifier: Apache-2.0
//
// Locks on whole files. They belong to the open file description: they last until the last
// descriptor *and the last mapping* made through it are gone, however the process ends.

internal import CFileCoordinationSystem

/// Exclusive locks on whole files (F_OFD_SETLK).
///
/// The descriptor must be open for writing. The locks are advisory: only processes that request the
/// lock notice it. A forked child shares the open file description and so the lock;
/// ``SharedMapping`` says how to prevent that.
public enum FileLock {
    /// Takes the lock, unless another open file description has it.
    ///
    /// Also returns `true` if this description has it already.
    public static func tryLock(_ file: Descriptor) throws(SystemError) -> Bool {
        try check(fcs_try_lock(file.number), "lock descriptor \(file.number)") == 1
    }

    /// Releases the lock, for all that share the open file description.
    public static func unlock(_ file: Descriptor) throws(SystemError) {
        try check(fcs_unlock(file.number), "unlock descriptor \(file.number)")
    }

    /// Returns whether another open file description has a lock on the file.
    ///
    /// Changes nothing.
    public static func isHeldByAnother(_ file: Descriptor) throws(SystemError) -> Bool {
        try check(
            fcs_is_locked_by_another(file.number), "ask for the lock of descriptor \(file.number)")
            == 1
    }
}
