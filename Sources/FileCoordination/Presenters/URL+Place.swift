// SPDX-License-Identifier: Apache-2.0
//
// From places, which are bytes, to URLs. Foundation would take a detour through text, and look at
// the disk for whether it is a directory.

package import FileCoordinationArbiter
import Foundation

extension URL {
    /// The file URL of a place, with the canonical spelling and without looking at the disk.
    package init(place: ItemPath) { self.init(pathBytes: place.bytes, isDirectory: false) }

    /// The file URL of an absolute path of any bytes.
    init(pathBytes: [UInt8], isDirectory: Bool) {
        let path = pathBytes.map { CChar(bitPattern: $0) } + [0]
        self = path.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else {
                preconditionFailure("A path holds at least its end")
            }
            return URL(
                fileURLWithFileSystemRepresentation: start, isDirectory: isDirectory,
                relativeTo: nil)
        }
    }
}
