// SPDX-License-Identifier: Apache-2.0
//
// Touching a mapped file where it was cut off ends the process with SIGBUS, unless a signal handler
// puts a page there in time. Any process that may write the file could otherwise end ours.

internal import CFileCoordinationSystem

/// Protection of mappings against the truncation of their file.
///
/// Callable from any thread.
///
/// The first use installs a handler for SIGBUS, which hands faults that are not ours to the handler
/// that was there before. If the program replaces it later, the protection ends.
public enum MappingGuard {
    /// From now on, touching a page of `mapping` that is missing from the file finds zeros, private
    /// to this process, instead of ending it.
    ///
    /// The page replaces that part of the mapping for good. If it was the only page, the mapping no
    /// longer holds the file, nor its lock. `ErrorNumber.noSpace` if 4096 mappings are protected.
    public static func protect(_ mapping: SharedMapping) throws(SystemError) {
        try check(fcs_mapping_protect(mapping.base, mapping.length), "protect a mapping")
    }

    /// Ends the protection.
    ///
    /// Unmapping does so by itself.
    public static func unprotect(_ mapping: SharedMapping) { fcs_mapping_unprotect(mapping.base) }

    /// Whether a missing page of the protected `mapping` was touched: nothing in it can be trusted.
    public static func wasTruncated(_ mapping: SharedMapping) -> Bool {
        fcs_mapping_was_truncated(mapping.base) != 0
    }
}
