// SPDX-License-Identifier: Apache-2.0
//
// Snapshots for uploading, as accesses have them.

package import FileTree

extension UploadSnapshot: TemporaryCopy {
    /// Where it is.
    package var pathBytes: [UInt8] { path }
}
