// SPDX-License-Identifier: Apache-2.0
//
// Text and paths on their way in and out. Paths are bytes and stay bytes; labels, purposes and
// messages are UTF-8, and what is not is repaired where people read it.

import FileCoordinationClient
import Glibc

/// A text that C may read for as long as this lives.
@safe final class CallerText: @unchecked Sendable {
    // Written once, before any other thread has the object, and freed with it.
    private let memory: UnsafeMutablePointer<CChar>

    /// Keeps a copy of these bytes; what comes after a NUL would be lost, and is left out.
    init(_ bytes: some Collection<UInt8>) {
        unsafe memory = .allocate(capacity: bytes.count + 1)
        var end = unsafe memory
        for byte in bytes {
            unsafe end.pointee = CChar(bitPattern: byte)
            unsafe end += 1
        }
        unsafe end.pointee = 0
    }

    convenience init(_ text: String) { self.init(text.utf8) }

    deinit { unsafe memory.deallocate() }

    /// The text, which ends with a NUL.
    var pointer: UnsafePointer<CChar> { unsafe UnsafePointer(memory) }

    /// The empty text, for handles that have none.
    static let empty = CallerText([])
}

/// Texts that C may read, and a NULL behind them, for as long as this lives.
@safe final class CallerTexts: @unchecked Sendable {
    private let texts: [CallerText]
    // As a text's.
    private let memory: UnsafeMutablePointer<UnsafePointer<CChar>?>

    init(_ texts: [CallerText]) {
        self.texts = texts
        unsafe memory = .allocate(capacity: texts.count + 1)
        unsafe memory.initialize(repeating: nil, count: texts.count + 1)
        for (index, text) in texts.enumerated() { unsafe memory[index] = unsafe text.pointer }
    }

    deinit { unsafe memory.deallocate() }

    /// The texts.
    var pointer: UnsafePointer<UnsafePointer<CChar>?> { unsafe UnsafePointer(memory) }
}

/// What C hands over.
enum Given {
    /// The bytes of a text.
    static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// A text for people; nil for NULL.
    static func text(_ text: UnsafePointer<CChar>?) -> String? {
        unsafe text.map { unsafe String(decoding: bytes($0), as: UTF8.self) }
    }

    /// A text that other programs must see as it is; nil if it is not UTF-8.
    static func exactText(_ text: UnsafePointer<CChar>) -> String? {
        unsafe String(validating: bytes(text), as: UTF8.self)
    }

    /// The name of an item, which is the `index`-th of its call; a relative path begins at the
    /// working directory.
    static func name(
        _ path: UnsafePointer<CChar>, _ index: Int = 0
    ) throws(CallFailure) -> ItemName {
        let bytes = unsafe bytes(path)
        guard !bytes.isEmpty else { throw .access(.place(.invalidName, item: index)) }
        guard bytes.first != UInt8(ascii: "/") else { return ItemName(path: bytes) }
        guard let directory = unsafe getcwd(nil, 0) else {
            throw .usage("the working directory is gone: change to another, or use absolute paths")
        }
        defer { unsafe free(directory) }
        return unsafe ItemName(path: Self.bytes(directory) + [UInt8(ascii: "/")] + bytes)
    }

    /// A length of time in seconds; nil: without bound.
    static func duration(_ seconds: Double) throws(CallFailure) -> Duration? {
        guard !seconds.isNaN else { throw .usage("the timeout is not a number") }
        guard seconds >= 0 else { return nil }
        // More than that is for ever, and would not fit.
        guard seconds < 1e9 else { return nil }
        return .seconds(seconds)
    }
}
