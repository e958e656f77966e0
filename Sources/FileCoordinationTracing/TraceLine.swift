// SPDX-License-Identifier: Apache-2.0
//
// Writes one line of a trace: a JSON object, byte by byte, because a busy server makes a hundred
// thousand lines in a second, and the recording must not slow it down.

import FileCoordinationArbiter
import FileCoordinationWire

/// The bytes of lines of a trace.
struct TraceLines {
    private(set) var bytes: [UInt8] = []
    /// The number of lines since the beginning of the trace.
    private(set) var count = 0
    private var isFirst = true

    init() { bytes.reserveCapacity(256 << 10) }

    /// Returns the lines so far, and begins anew.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Writes a line: the time since the trace began, what happened, and fields.
    mutating func line(
        _ time: Duration, _ event: StaticString, _ fields: (inout TraceLines) -> Void = { _ in }
    ) {
        count += 1
        add("{\"t\":")
        add(time.nanoseconds)
        add(",\"event\":\"")
        add(event)
        add("\"")
        isFirst = false
        fields(&self)
        add("}\n")
    }

    // MARK: Fields

    mutating func number(_ name: StaticString, _ value: some BinaryInteger) {
        begin(name)
        add(UInt64(clamping: value))
    }

    mutating func text(_ name: StaticString, _ value: String) {
        begin(name)
        quote(value)
    }

    mutating func text(_ name: StaticString, _ value: StaticString) {
        begin(name)
        quote(value)
    }

    /// A field that is only there if it is true.
    mutating func flag(_ name: StaticString, _ value: Bool) {
        guard value else { return }
        begin(name)
        add("true")
    }

    /// A path; one that is not UTF-8 is written with replacement characters, and once more as
    /// numbers.
    mutating func path(_ name: StaticString, _ path: [UInt8]) {
        begin(name)
        let isPlain = unsafe path.withUnsafeBufferPointer { path in
            guard unsafe Self.isPlain(path) else { return false }
            unsafe quote(path)
            return true
        }
        guard !isPlain else { return }
        let repaired = String(decoding: path, as: UTF8.self)
        quote(repaired)
        guard !repaired.utf8.elementsEqual(path) else { return }
        add(",\"")
        add(name)
        add("Bytes\":")
        list(path) { $0.add(UInt64($1)) }
    }

    mutating func numbers(_ name: StaticString, _ values: [UInt64]) {
        begin(name)
        list(values) { $0.add($1) }
    }

    mutating func texts(_ name: StaticString, _ values: [String]) {
        begin(name)
        list(values) { $0.quote($1) }
    }

    /// The names of values.
    mutating func names<Value>(
        _ name: StaticString, _ values: [Value], _ text: (Value) -> StaticString
    ) {
        begin(name)
        list(values) { $0.quote(text($1)) }
    }

    mutating func paths(_ name: StaticString, _ values: [ItemPath]) {
        begin(name)
        list(values) { lines, path in lines.object { $0.path("path", path.bytes) } }
    }

    /// The items of a claim.
    mutating func items(_ items: [AccessItem]) {
        begin("items")
        list(items) { lines, item in
            lines.object { lines in
                lines.path("path", item.path.bytes)
                let access: StaticString = item.access.isWriting ? "writing" : "reading"
                lines.text("access", access)
                let options = item.access.optionNames
                if !options.isEmpty { lines.texts("options", options) }
            }
        }
    }

    // MARK: Bytes

    private mutating func object(_ fields: (inout TraceLines) -> Void) {
        add("{")
        isFirst = true
        fields(&self)
        add("}")
        isFirst = false
    }

    private mutating func list<Element>(
        _ values: some Collection<Element>, _ element: (inout TraceLines, Element) -> Void
    ) {
        add("[")
        var isNext = false
        for value in values {
            if isNext { add(",") }
            isNext = true
            element(&self, value)
        }
        add("]")
    }

    private mutating func begin(_ name: StaticString) {
        add(isFirst ? "\"" : ",\"")
        isFirst = false
        add(name)
        add("\":")
    }

    private mutating func add(_ text: StaticString) {
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The digits of the greatest number.
    private static let mostDigits = 20

    private mutating func add(_ number: UInt64) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.mostDigits) { digits in
            var (start, rest) = (digits.count, number)
            repeat {
                start -= 1
                unsafe digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Whether no byte needs an escape sequence.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe text.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
    }

    private mutating func quote(_ text: StaticString) {
        add("\"")
        add(text)
        add("\"")
    }

    private mutating func quote(_ text: String) {
        var text = text
        text.withUTF8 { unsafe quote($0) }
    }

    private mutating func quote(_ utf8: UnsafeBufferPointer<UInt8>) {
        bytes.append(0x22)
        defer { bytes.append(0x22) }
        guard unsafe !Self.isPlain(utf8) else { return unsafe bytes.append(contentsOf: utf8) }
        for byte in unsafe Array(utf8) {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0..<0x20, 0x7F:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            case _: bytes.append(byte)
            }
        }
    }
}
