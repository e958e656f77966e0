// SPDX-License-Identifier: Apache-2.0
//
// A history as text, one fact a line, so that any program can write one:
//
//     1200 filed claim=5 client=2 purpose=p order=5 in=3 blocks item=write.moving,/d,/d/p.rtfd
//     1300-1350 granted claim=5
//     1400 moved claim=5 move=/d,/e
//
// First the instant, or two between which it happened; then what; then who, in any order. What
// follows a path after a comma are the packages that contain it, outermost first; of a move, those
// of its new place. Commas, spaces, percent signs and what is not printable ASCII are written as
// `%` and two hexadecimal digits. Empty lines and those that begin with `#` say nothing.

extension History {
    /// One fact a line.
    package var text: String { entries.map { "\($0)\n" }.joined() }
}

extension History.Entry: CustomStringConvertible {
    /// One line.
    package var description: String { "\(moment) \(fact)" }
}

extension Moment: CustomStringConvertible {
    /// An instant, or two with a hyphen between them.
    package var description: String { isExact ? "\(earliest)" : "\(earliest)-\(latest)" }
}

extension Fact: CustomStringConvertible {
    /// What happened, without when.
    package var description: String {
        switch self {
        case .filed(let claim): "filed \(claim.words)"
        case .holding(let claim): "placed claim=\(claim)"
        case .granted(let claim, let items):
            "granted claim=\(claim)" + (items ?? []).map { " item=\($0.word)" }.joined()
        case .returned(let claim): "returned claim=\(claim)"
        case .ended(let claim): "ended claim=\(claim)"
        case .cancelled(let claim): "cancelled claim=\(claim)"
        case .failed(let claim): "failed claim=\(claim)"
        case .foundInCycle(let claim, let links):
            "cycle claim=\(claim)" + links.map { " link=\($0.word)" }.joined()
        case .moved(let claim, let moves):
            "moved claim=\(claim)" + moves.map { " move=\($0.word)" }.joined()
        case .presenterAdded(let presenter): "added \(presenter.words)"
        case .presenterRemoved(let presenter): "removed presenter=\(presenter)"
        case .presenterRelocated(let presenter, let place):
            "set presenter=\(presenter)" + (place.map { " place=\($0.escaped)" } ?? "")
        case .asked(let presenter, let claim, let steps):
            "asked presenter=\(presenter)\(Self.word(claim))"
                + steps.map { " do=\($0.word)" }.joined()
        case .answered(let presenter, let claim, let succeeds):
            "answered presenter=\(presenter)\(Self.word(claim))" + (succeeds ? "" : " error")
        case .reacquired(let presenter, let step):
            "reacquired presenter=\(presenter) do=\(step.word)"
        case .blocked(let presenter, let asking, let claim):
            "blocked presenter=\(presenter)\(Self.word(claim))"
                + (asking.map { " asking=\($0)" } ?? "")
        case .died(let client): "died client=\(client)"
        case .stopped(let client): "stopped client=\(client)"
        case .continued(let client): "continued client=\(client)"
        case .arbiterReplaced: "replaced"
        case .rested: "rested"
        }
    }

    private static func word(_ claim: ClaimKey?) -> String { claim.map { " claim=\($0)" } ?? "" }
}

extension Claim {
    fileprivate var words: String {
        var result = "claim=\(key) client=\(client) purpose=\(purpose.escaped)"
        if let order { result += " order=\(order)" }
        for outer in enclosing { result += " in=\(outer)" }
        if blocksCaller { result += " blocks" }
        if isBatch { result += " batch" }
        for item in items { result += " item=\(item.word)" }
        return result
    }
}

extension Presenter {
    fileprivate var words: String {
        var result = "presenter=\(key) client=\(client) purpose=\(purpose.escaped)"
        if let place { result += " place=\(place.escaped)" }
        if let patience { result += " patience=\(patience)" }
        for step in steps { result += " do=\(step.word)" }
        return result
    }
}

extension Item {
    fileprivate var word: String {
        ([use.rawValue, place.escaped] + packages.map(\.escaped)).joined(separator: ",")
    }
}

extension Move {
    fileprivate var word: String {
        ([old.escaped, new.escaped] + packages.map(\.escaped)).joined(separator: ",")
    }
}

extension Link {
    fileprivate var word: String { presenter.map { "\(claim),\($0)" } ?? "\(claim)" }
}

extension RequiredStep {
    /// Its word in the text form.
    var word: String {
        switch self {
        case .relinquishToReader: "toReader"
        case .relinquishToWriter: "toWriter"
        case .save: "save"
        case .accommodateDeletion: "delete"
        case .accommodateSubitemDeletion(let place): "lose" + (place.map { ",\($0.escaped)" } ?? "")
        }
    }
}

extension String {
    /// The same without anything that would end a word.
    var escaped: String {
        var bytes: [UInt8] = []
        for byte in utf8 {
            let isPlain =
                byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: ",")
                && byte != UInt8(ascii: "%")
            if isPlain {
                bytes.append(byte)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                bytes += Array(("%" + (digits.utf8.count < 2 ? "0" : "") + digits).utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text that was escaped, or nil if it cannot have been.
    var unescaped: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
