// SPDX-License-Identifier: Apache-2.0
//
// Reads the program's symbol table, unless it was stripped: the only source of a class's methods at
// run time. Used only for warnings to programmers.

internal import CFileCoordinationSystem
import Glibc

/// The symbols of the program or library that contains an address.
public enum ProgramSymbols {
    /// Returns the names of the symbols at an address; none if the file was stripped.
    public static func names(at address: UnsafeRawPointer) -> [String] {
        unsafe names(address, prefix: nil)
    }

    /// Returns the names that begin with `prefix`, in the file that contains `address`.
    public static func names(
        beginningWith prefix: String, besides address: UnsafeRawPointer
    ) -> [String] { unsafe names(address, prefix: prefix) }

    private static func names(_ address: UnsafeRawPointer, prefix: String?) -> [String] {
        var names: [String] = []
        _ = unsafe withUnsafeMutablePointer(to: &names) { list in
            unsafe fcs_symbols(address, prefix, list) { list, name in
                unsafe list?.assumingMemoryBound(to: [String].self).pointee.append(
                    String(cString: name))
            }
        }
        return names
    }

    /// Returns the Swift declaration of a symbol; nil if it is not a Swift symbol.
    public static func demangled(_ name: String) -> String? {
        guard let text = unsafe demangle(name, name.utf8.count, nil, nil, 0) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Returns the common prefix of a class's symbols, and an address in its file.
    ///
    /// Nil if the file was stripped.
    public static func prefix(of type: AnyClass) -> (text: String, address: UnsafeRawPointer)? {
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        // If the layout of classes changes one day, there is no such symbol at this address.
        guard let description = unsafe metadata.load(fromByteOffset: 40, as: UnsafeRawPointer?.self)
        else { return nil }
        let ending = "Mn"
        for name in unsafe names(at: description)
        where name.hasPrefix("$s") && name.hasSuffix(ending) {
            return unsafe (String(name.dropLast(ending.count)), description)
        }
        return nil
    }
}

@_silgen_name("swift_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
