// SPDX-License-Identifier: Apache-2.0
//
// Reads the text form back. A line that cannot be read is an error that names the line: without it,
// the journal would be judged wrongly.

/// A line that is no fact.
package struct HistoryTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Its number, from 1.
    package var line: Int
    /// The line.
    package var text: String

    /// One sentence.
    package var description: String { "line \(line) is no fact: \(text)" }
}

extension History {
    /// The history that a text tells, whose lines may be in any order.
    package init(text: String) throws(HistoryTextError) {
        var entries: [Entry] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        where !line.isEmpty && !line.hasPrefix("#") {
            guard let entry = Entry(line) else {
                throw HistoryTextError(line: index + 1, text: String(line))
            }
            entries.append(entry)
        }
        self.init(entries)
    }
}

extension History.Entry {
    /// The fact that a line tells, or nil.
    package init?(_ line: some StringProtocol) {
        let words = String(line).split(separator: " " as Character).map { String($0) }
        guard words.count >= 2, let moment = Moment(words[0]),
            let fact = Fact(words[1], Words(words.dropFirst(2)))
        else { return nil }
        self.init(moment, fact)
    }
}

extension Moment {
    fileprivate init?(_ text: String) {
        let parts = text.split(separator: "-").map { UInt64($0) }
        switch parts.count {
        case 1:
            guard let instant = parts[0] else { return nil }
            self.init(at: instant)
        case 2:
            guard let from = parts[0], let to = parts[1], from <= to else { return nil }
            self.init(from: from, to: to)
        default: return nil
        }
    }
}

/// The words of a line after the second.
private struct Words {
    private let words: [String]

    init(_ words: some Sequence<String>) { self.words = Array(words) }

    func has(_ flag: String) -> Bool { words.contains(flag) }

    func all(_ name: String) -> [String] {
        words.filter { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    func text(_ name: String) -> String? { all(name).first?.unescaped }

    func number(_ name: String) -> UInt64? { all(name).first.flatMap { UInt64($0) } }

    func key<Kind>(_ name: String) -> Key<Kind>? { number(name).map { Key($0) } }

    /// All of them, or nil if one cannot be read.
    func parsed<Value>(_ name: String, _ parse: ([String]) -> Value?) -> [Value]? {
        var result: [Value] = []
        for word in all(name) {
            let parts = word.split(separator: ",", omittingEmptySubsequences: false)
                .map { String($0).unescaped }
            guard !parts.contains(nil), let value = parse(parts.compactMap { $0 }) else {
                return nil
            }
            result.append(value)
        }
        return result
    }
}

extension Fact {
    fileprivate init?(_ verb: String, _ words: Words) {
        let fact =
            switch verb {
            case "replaced": Fact.arbiterReplaced
            case "rested": Fact.rested
            case "died", "stopped", "continued": Fact.ofClient(verb, words)
            case "added", "removed", "set", "asked", "answered", "reacquired", "blocked":
                Fact.ofPresenter(verb, words)
            default: Fact.ofClaim(verb, words)
            }
        guard let fact else { return nil }
        self = fact
    }

    private static func ofClient(_ verb: String, _ words: Words) -> Fact? {
        guard let client: ClientKey = words.key("client") else { return nil }
        switch verb {
        case "died": return .died(client)
        case "stopped": return .stopped(client)
        default: return .continued(client)
        }
    }

    private static func ofPresenter(_ verb: String, _ words: Words) -> Fact? {
        guard let key: PresenterKey = words.key("presenter"),
            let steps = words.parsed("do", RequiredStep.init)
        else { return nil }
        let claim: ClaimKey? = words.key("claim")
        switch verb {
        case "added": return Presenter(key, steps, words).map { .presenterAdded($0) }
        case "removed": return .presenterRemoved(key)
        case "set": return .presenterRelocated(key, words.text("place"))
        case "asked": return .asked(key, for: claim, steps)
        case "answered": return .answered(key, for: claim, succeeds: !words.has("error"))
        case "blocked": return .blocked(key, for: words.key("asking"), by: claim)
        default: return steps.first.map { .reacquired(key, $0) }
        }
    }

    private static func ofClaim(_ verb: String, _ words: Words) -> Fact? {
        guard let key: ClaimKey = words.key("claim"),
            let items = words.parsed("item", Item.init)
        else { return nil }
        switch verb {
        case "filed": return Claim(key, items, words).map { .filed($0) }
        case "placed": return .holding(key)
        case "granted": return .granted(key, items: items.isEmpty ? nil : items)
        case "returned": return .returned(key)
        case "ended": return .ended(key)
        case "cancelled": return .cancelled(key)
        case "failed": return .failed(key)
        case "cycle": return words.parsed("link", Link.init).map { .foundInCycle(key, $0) }
        case "moved": return words.parsed("move", Move.init).map { .moved(by: key, $0) }
        default: return nil
        }
    }
}

extension Claim {
    fileprivate init?(_ key: ClaimKey, _ items: [Item], _ words: Words) {
        guard let client: ClientKey = words.key("client"), let purpose = words.text("purpose"),
            let enclosing = words.parsed(
                "in", { UInt64($0.first ?? "").map { ClaimKey($0) } })
        else { return nil }
        self.init(
            key, of: client, purpose: purpose, items: items, order: words.number("order"),
            enclosing: enclosing, blocksCaller: words.has("blocks"), isBatch: words.has("batch"))
    }
}

extension Presenter {
    fileprivate init?(_ key: PresenterKey, _ steps: [RequiredStep], _ words: Words) {
        guard let client: ClientKey = words.key("client"), let purpose = words.text("purpose")
        else { return nil }
        self.init(
            key, of: client, purpose: purpose, place: words.text("place"),
            steps: steps, patience: words.number("patience"))
    }
}

extension Item {
    fileprivate init?(_ parts: [String]) {
        guard parts.count >= 2, let use = Use(rawValue: parts[0]) else { return nil }
        self.init(use, parts[1], packages: Array(parts.dropFirst(2)))
    }
}

extension Move {
    fileprivate init?(_ parts: [String]) {
        guard parts.count >= 2 else { return nil }
        self.init(from: parts[0], to: parts[1], packages: Array(parts.dropFirst(2)))
    }
}

extension Link {
    fileprivate init?(_ parts: [String]) {
        guard let claim = UInt64(parts[0]), parts.count <= 2 else { return nil }
        let presenter = parts.count == 2 ? UInt64(parts[1]) : nil
        if parts.count == 2 && presenter == nil { return nil }
        self.init(ClaimKey(claim), through: presenter.map { PresenterKey($0) })
    }
}

extension RequiredStep {
    fileprivate init?(_ parts: [String]) {
        switch (parts.first, parts.count) {
        case ("toReader", 1): self = .relinquishToReader
        case ("toWriter", 1): self = .relinquishToWriter
        case ("save", 1): self = .save
        case ("delete", 1): self = .accommodateDeletion
        case ("lose", 1): self = .accommodateSubitemDeletion(nil)
        case ("lose", 2): self = .accommodateSubitemDeletion(parts[1])
        default: return nil
        }
    }
}
