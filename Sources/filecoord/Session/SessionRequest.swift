// SPDX-License-Identifier: Apache-2.0
//
// The requests of a session's client, as they are read from its lines. Members that are not known
// are passed over, so that a later client can say more to an older session.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationWire

/// The client's own name for a request: a text or an integer, which comes back in its answers.
struct SessionRequestID: Hashable, Sendable {
    let json: JSONValue

    /// Integers from here on are not exact in every language.
    private static let bound: Int64 = 1 << 53

    /// Reads an identifier; nil if there is none.
    init?(_ value: JSONValue?) throws(SessionError) {
        guard let value else { return nil }
        let number: Int64? = value.integer()
        let isExact = number.map { (-Self.bound + 1..<Self.bound).contains($0) } ?? false
        guard value.text != nil || isExact else {
            throw .badRequest("\"id\" is a text, or an integer below 2 to the power of 53")
        }
        json = value
    }
}

/// One request.
struct SessionRequest: Sendable {
    /// What is to be done.
    enum Action: Sendable {
        case claim(SessionClaimTerms)
        case end(claim: String, wantsTokens: Bool)
        case cancel(SessionRequestID)
        case replace(SessionReplacement)
        case present(NativePath, label: String, answers: Set<PresenterMessage>)
        case remove(presenter: String)
        case answer(question: Int, refusal: String?)
        case token([NativePath], withDigest: Bool)
        case status
        case explain(NativePath)
    }

    /// Nil for an answer that needs no answer itself.
    let id: SessionRequestID?
    let action: Action

    /// Reads a line.
    init(object: JSONValue, id: SessionRequestID?) throws(SessionError) {
        self.id = id
        action = try Self.action(object)
        if case .answer = action { return }
        guard id != nil else { throw .badRequest("the request has no \"id\"") }
    }

    private static func action(_ object: JSONValue) throws(SessionError) -> Action {
        switch try object.text("do") {
        case "claim": return .claim(try SessionClaimTerms(object))
        case "end":
            return .end(
                claim: try object.text("claim"), wantsTokens: try object.truth("tokens") ?? false)
        case "cancel":
            guard let request = try SessionRequestID(object[field: "request"]) else {
                throw .badRequest("\"request\" is missing: the \"id\" of the request to cancel")
            }
            return .cancel(request)
        case "replace": return .replace(try SessionReplacement(object))
        case "present":
            return .present(
                try object.path(), label: try object.optionalText("label") ?? "",
                answers: try answers(object[field: "answers"]))
        case "remove": return .remove(presenter: try object.text("presenter"))
        case "answer":
            guard let question: Int = object[field: "question"]?.integer() else {
                throw .badRequest("\"question\" is the number of a question")
            }
            return .answer(question: question, refusal: try object.optionalText("error"))
        case "token":
            var paths: [NativePath] = []
            for value in try object.list("paths") { paths.append(try value.path(in: nil)) }
            return .token(paths, withDigest: try object.truth("digest") ?? false)
        case "status": return .status
        case "explain": return .explain(try object.path())
        case let word:
            throw .badRequest("there is no request \"\(UserText.line(word))\"")
        }
    }

    private static func answers(_ value: JSONValue?) throws(SessionError) -> Set<PresenterMessage> {
        guard let value else { return [] }
        let known = PresenterMessage.allCases.filter { $0.expectation != .nothing }
        let messages = value.list { word in known.first { $0.rawValue == word.text } }
        guard let messages else {
            let names = known.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw .badRequest("\"answers\" is a list of some of \(names)")
        }
        return Set(messages)
    }
}

/// The claim that a client wants.
struct SessionClaimTerms: Sendable {
    let items: [ClaimedItem]
    /// How long to wait.
    let patience: WaitLimit
    let label: String?
    /// Nil for a purpose of its own.
    let purpose: String?

    init(_ object: JSONValue) throws(SessionError) {
        var items: [ClaimedItem] = []
        for value in try object.list("items") { items.append(try Self.item(value)) }
        guard !items.isEmpty else { throw .badRequest("\"items\" is empty: name one") }
        self.items = items
        label = try object.optionalText("label")
        purpose = try object.optionalText("purpose")
        let terms = WaitingTerms(timeout: try object.number("timeout"), purpose: purpose)
        guard terms.complaint == nil, purpose?.utf8.contains(0) != true else {
            throw .badRequest(
                "\"timeout\" is a number of seconds, 0 or more, and \"purpose\" a text of 1 to "
                    + "\(WireLimits.purposeBytes) bytes without NUL")
        }
        patience = terms.patience
    }

    private static func item(_ value: JSONValue) throws(SessionError) -> ClaimedItem {
        var item = ClaimedItem(path: try value.path(), access: try access(value))
        item.wantsToken = try value.truth("token") ?? true
        item.wantsDigest = try value.truth("digest") ?? false
        item.onlyIf = try value.token("onlyIf")
        return item
    }

    private static func access(_ value: JSONValue) throws(SessionError) -> Access {
        let words = try value.optionalList("options")
        let isRecursive = try value.truth("recursive") ?? false
        let followsLinks = try !(value.truth("noFollow") ?? false)
        switch try value.text("access") {
        case "reading":
            // A copy for uploading ends its claim, and a claim of a session is held.
            let known = AccessArgument.reading.filter { $0.option != .forUploading }
            var options = try options(words, known)
            if isRecursive { options.insert(.includingContents) }
            if followsLinks { options.insert(.resolvesSymbolicLink) }
            return .reading(options)
        case "writing":
            var options = try options(words, AccessArgument.writing)
            if isRecursive { options.insert(.includingContents) }
            if followsLinks { options.insert(.resolvesSymbolicLink) }
            return .writing(options)
        case _: throw .badRequest("\"access\" is \"reading\" or \"writing\"")
        }
    }

    private static func options<Options: SetAlgebra>(
        _ words: [JSONValue], _ known: [(name: String, option: Options)]
    ) throws(SessionError) -> Options {
        var options = Options()
        for word in words {
            guard let option = known.first(where: { $0.name == word.text })?.option else {
                let names = known.map { "\"\($0.name)\"" }.joined(separator: ", ")
                throw .badRequest("\"options\" is a list of some of \(names)")
            }
            options.formUnion(option)
        }
        return options
    }
}

/// A file that is to be put in the place of a claimed item.
struct SessionReplacement: Sendable {
    let claim: String
    let item: Int
    /// Nil to remove the item.
    let file: NativePath?
    /// The state in which the item must be; nil for any.
    let onlyIf: ItemToken?

    init(_ object: JSONValue) throws(SessionError) {
        claim = try object.text("claim")
        guard let item: Int = object[field: "item"]?.integer(), item >= 0 else {
            throw .badRequest("\"item\" is the index of an item of the claim")
        }
        self.item = item
        // Nothing is removed because of a mistake in a member.
        let (texts, encoded) = (object.values(of: "from"), object.values(of: "fromBytes"))
        if texts == [.null], encoded.isEmpty {
            file = nil
        } else if max(texts.count, encoded.count) == 1, (encoded + texts)[0].text != nil {
            file = try object.path(in: "from")
        } else {
            throw .badRequest("\"from\" is, once, the path of a file, or null to remove the item")
        }
        onlyIf = try object.token("onlyIf")
    }
}

// MARK: Members

extension JSONValue {
    /// The values of all members of this name.
    fileprivate func values(of name: String) -> [JSONValue] {
        guard case .members(let members) = self else { return [] }
        return members.filter { $0.name == name }.map(\.value)
    }

    fileprivate func text(_ name: String) throws(SessionError) -> String {
        guard let text = try optionalText(name) else {
            throw .badRequest("\"\(name)\" is missing: a text")
        }
        return text
    }

    fileprivate func optionalText(_ name: String) throws(SessionError) -> String? {
        guard let value = self[field: name] else { return nil }
        guard let text = value.text else { throw .badRequest("\"\(name)\" is a text") }
        return text
    }

    fileprivate func truth(_ name: String) throws(SessionError) -> Bool? {
        guard let value = self[field: name] else { return nil }
        guard case .truth(let truth) = value else {
            throw .badRequest("\"\(name)\" is true or false")
        }
        return truth
    }

    fileprivate func number(_ name: String) throws(SessionError) -> Double? {
        guard let value = self[field: name] else { return nil }
        guard case .number(let digits) = value, let number = Double(digits) else {
            throw .badRequest("\"\(name)\" is a number")
        }
        return number
    }

    fileprivate func list(_ name: String) throws(SessionError) -> [JSONValue] {
        guard case .list(let values)? = self[field: name] else {
            throw .badRequest("\"\(name)\" is missing: a list")
        }
        return values
    }

    fileprivate func optionalList(_ name: String) throws(SessionError) -> [JSONValue] {
        self[field: name] == nil ? [] : try list(name)
    }

    fileprivate func token(_ name: String) throws(SessionError) -> ItemToken? {
        guard let text = try optionalText(name) else { return nil }
        do throws(ItemToken.TextError) {
            return try ItemToken(text: text)
        } catch {
            throw SessionError(Failure(error, text))
        }
    }

    /// The path in a member, or the value itself as a path.
    ///
    /// One that is not UTF-8 is in another member, `pathBytes`, percent-encoded, and absolute.
    fileprivate func path(in name: String? = "path") throws(SessionError) -> NativePath {
        let text = self[field: name ?? "path"]?.text ?? (name == nil ? self.text : nil)
        let name = name ?? "path"
        if let encoded = self[field: name + "Bytes"] {
            // Nil for a text that cannot be decoded.
            let bytes = encoded.text.flatMap { try? PlaceResolver.pathBytes(percentEncoded: $0) }
            guard let bytes else {
                throw .badRequest(
                    "\"\(name)Bytes\" is the percent-encoded text of an absolute path")
            }
            return NativePath(bytes).withoutSlashAtEnd
        }
        guard let text else { throw .badRequest("\"\(name)\" is missing: a path") }
        guard !text.utf8.contains(0) else {
            throw SessionError(.badPath, "a path contains a NUL byte")
        }
        do throws(Failure) {
            return try UserPath.item(ArgumentText.encode(Array(text.utf8)))
        } catch {
            throw SessionError(error)
        }
    }
}
