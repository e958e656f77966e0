// SPDX-License-Identifier: Apache-2.0
//
// Lets accesses use upload snapshots as temporary copies.

package import FileTree

extension UploadSnapshot: TemporaryCopy {
    /// The path of the copy.
    package var pathBytes: [UInt8] { path }
}
