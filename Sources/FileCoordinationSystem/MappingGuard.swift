// SPDX-License-Identifier: Apache-2.0
//
// Protects mapped files against truncation. An access behind the end of a truncated file ends the
// process with SIGBUS, unless a signal handler maps a page there. Otherwise any process that may
// write to the file could end this one.

internal import CFileCoordinationSystem

/// Protection of mappings against the truncation of their files.
///
/// May be called on any thread. The first use installs a handler for SIGBUS, which passes other
/// faults to the previous handler. If the program replaces it later, the protection ends.
public enum MappingGuard {
    /// From now on, an access to a page of `mapping` that is missing in the file finds zeros,
    /// private to this process, instead of ending the process.
    ///
    /// Unmapping ends the protection. The new page replaces that part of the mapping permanently.
    /// If it was the only page, the mapping no longer holds the file nor its lock. Throws
    /// `ErrorNumber.noSpace` if 16,384 mappings are protected.
    public static func protect(_ mapping: SharedMapping) throws(SystemError) {
        try unsafe check(fcs_mapping_protect(mapping.base, mapping.length), "protect a mapping")
    }

    /// Whether a missing page of the protected `mapping` was accessed, so that nothing in it can be
    /// trusted.
    public static func wasTruncated(_ mapping: SharedMapping) -> Bool {
        unsafe fcs_mapping_was_truncated(mapping.base) != 0
    }
}
