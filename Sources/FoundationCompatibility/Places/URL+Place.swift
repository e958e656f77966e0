// SPDX-License-Identifier: Apache-2.0
//
// Converts paths, which are bytes, to URLs and back. Foundation would convert them to text, look at
// the disk to see whether the item is a directory, and use replacement characters for bytes that
// are not UTF-8, which denotes another file.

package import FileCoordinationArbiter
import FileCoordinationClient
import Foundation

extension URL {
    /// Creates the canonical file URL of a path, without accessing the file system.
    package init(place: ItemPath) { self.init(pathBytes: place.bytes, isDirectory: false) }

    /// Creates the file URL of an absolute path with any bytes.
    package init(pathBytes: [UInt8], isDirectory: Bool) {
        if String(validating: pathBytes, as: UTF8.self) == nil,
            let url = URL(percentEncoding: pathBytes, isDirectory: isDirectory)
        {
            self = url
            return
        }
        let path = pathBytes.map { CChar(bitPattern: $0) } + [0]
        self = unsafe path.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else {
                preconditionFailure("A path holds at least its end")
            }
            return unsafe URL(
                fileURLWithFileSystemRepresentation: start, isDirectory: isDirectory,
                relativeTo: nil)
        }
    }

    /// The absolute path of a file URL, as bytes; nil if the kernel would not accept it.
    package var pathBytes: [UInt8]? { try? PlaceResolver.pathBytes(of: self) }

    private init?(percentEncoding bytes: [UInt8], isDirectory: Bool) {
        let slash = UInt8(ascii: "/")
        let path = isDirectory && bytes.last != slash ? bytes + [slash] : bytes
        let text = path.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber)
            guard !isPlain, byte != slash, byte != UInt8(ascii: "."), byte != UInt8(ascii: "-")
            else { return String(character) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        self.init(string: "file://" + text.joined())
    }
}
