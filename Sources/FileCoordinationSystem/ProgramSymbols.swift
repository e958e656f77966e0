// SPDX-License-Identifier: Apache-2.0
//
// What the program's own symbol table says, where it was not stripped: the functions of a class,
// which nothing else tells at run time. For advice to programmers, and for nothing that must work.

internal import CFileCoordinationSystem
import Glibc

/// The symbols of the program, or of the library, that holds some address.
public enum ProgramSymbols {
    /// The names of the symbols at an address; none if the file was stripped.
    public static func names(at address: UnsafeRawPointer) -> [String] {
        names(address, prefix: nil)
    }

    /// The names that begin with `prefix`, in the file that holds `address`.
    public static func names(
        beginningWith prefix: String, besides address: UnsafeRawPointer
    ) -> [String] { names(address, prefix: prefix) }

    private static func names(_ address: UnsafeRawPointer, prefix: String?) -> [String] {
        var names: [String] = []
        _ = withUnsafeMutablePointer(to: &names) { list in
            fcs_symbols(address, prefix, list) { list, name in
                list?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
            }
        }
        return names
    }

    /// What a symbol stands for, in Swift; nil if it is none of Swift's.
    public static func demangled(_ name: String) -> String? {
        guard let text = demangle(name, name.utf8.count, nil, nil, 0) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// What the symbols of a class begin with, and an address in its file.
    ///
    /// Nil if the file was stripped.
    public static func prefix(of type: AnyClass) -> (text: String, address: UnsafeRawPointer)? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        // If classes are laid out otherwise one day, this address has no symbol of that kind.
        guard let description = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer?.self)
        else { return nil }
        let ending = "Mn"
        for name in names(at: description) where name.hasPrefix("$s") && name.hasSuffix(ending) {
            return (String(name.dropLast(ending.count)), description)
        }
        return nil
    }
}

@_silgen_name("swift_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
