// SPDX-License-Identifier: Apache-2.0
//
// The messages from the server to a presenter, which its client delivers.

public import FileCoordinationArbiter

/// A message for a presenter.
public enum PresenterMessage: Hashable, Sendable {
    /// Take these steps for the claim, and answer.
    case ask(claim: UInt64, YieldSteps)
    /// The claim does not wait for an answer any more.
    case withdrawQuestion(claim: UInt64)
    /// The presenter has its item back (Rule 8.2).
    case reacquire(Relinquishment)
    /// A notice (Rule 7.1).
    case notice(Notice)
    /// The item has a new path.
    ///
    /// The client tells the presenter if `isTold`, unless it has done so before (Rule 11.4).
    case relocated(to: ItemPath, isTold: Bool)
    /// A notice about a change that no coordinated writer has made (Rule 7.14).
    case plainNotice(Notice)
    /// A program that does not coordinate has moved the item to this path.
    ///
    /// The client tells the presenter (Rule 11.9).
    case followed(to: ItemPath)
    /// A notice about a change, for a presenter that wants to know who made it.
    case noticeBy(ChangeAuthor, Notice)
    /// The item has a new path, for a presenter that wants to know who moved it.
    ///
    /// The client tells the presenter.
    case relocatedBy(ChangeAuthor, to: ItemPath)

    /// The same message with the author of the change; unchanged if it is about no change.
    public func signed(by author: ChangeAuthor) -> PresenterMessage {
        switch self {
        case .notice(let notice): .noticeBy(author, notice)
        case .relocated(let path, isTold: true): .relocatedBy(author, to: path)
        case .relocated, .ask, .withdrawQuestion, .reacquire, .plainNotice, .followed, .noticeBy,
            .relocatedBy:
            self
        }
    }

    /// The message without what it says about who made a change.
    public var withoutOrigin: PresenterMessage {
        switch self {
        case .plainNotice(let notice), .noticeBy(_, let notice): .notice(notice)
        case .followed(let path), .relocatedBy(_, let path): .relocated(to: path, isTold: true)
        case .ask, .withdrawQuestion, .reacquire, .notice, .relocated: self
        }
    }
}

/// A message and its presenter.
public struct Delivery: Hashable, Sendable {
    /// The presenter's record in the client's ledger.
    public var presenter: RecordReference
    /// The message.
    public var message: PresenterMessage

    /// Creates a delivery.
    public init(presenter: RecordReference, message: PresenterMessage) {
        self.presenter = presenter
        self.message = message
    }

    /// Encodes the delivery.
    ///
    /// ``ServerMessage/deliveryPart(_:isLast:)`` carries parts of a long one.
    ///
    /// A delivery that exceeds ``WireLimits`` is a programming error and ends the process.
    public func encode() -> [UInt8] {
        trustedEncoding(.delivery, limit: WireLimits.deliveryBytes)
    }

    /// Whether the delivery is within ``WireLimits``.
    public var isUtterable: Bool {
        // This is the question.
        (try? encoding(.delivery, limit: WireLimits.deliveryBytes)) != nil
    }

    /// Decodes a delivery.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        self = try Self.decoding(bytes, .delivery, limit: WireLimits.deliveryBytes)
    }
}

// MARK: - Coding

extension Delivery: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.value(presenter)
        encoder.value(message)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        presenter = try decoder.value(RecordReference.self)
        message = try decoder.value(PresenterMessage.self)
    }
}

extension PresenterMessage: WireCoded {
    /// The first byte of a message for a presenter.
    private enum Kind: UInt8 {
        case ask = 1
        case withdrawQuestion = 2
        case reacquire = 3
        case notice = 4
        case relocated = 5
        case plainNotice = 6
        case followed = 7
        case noticeBy = 8
        case relocatedBy = 9
    }

    func write(to encoder: inout MessageEncoder) {
        switch self {
        case .ask(let claim, let steps):
            encoder.raw(Kind.ask)
            encoder.integer(claim)
            encoder.value(steps)
        case .withdrawQuestion(let claim):
            encoder.raw(Kind.withdrawQuestion)
            encoder.integer(claim)
        case .reacquire(let kind):
            encoder.raw(Kind.reacquire)
            encoder.raw(kind)
        case .notice(let notice):
            encoder.raw(Kind.notice)
            encoder.value(notice)
        case .relocated(let path, let isTold):
            encoder.raw(Kind.relocated)
            encoder.value(path)
            encoder.bool(isTold)
        case .plainNotice(let notice):
            encoder.raw(Kind.plainNotice)
            encoder.value(notice)
        case .followed(let path):
            encoder.raw(Kind.followed)
            encoder.value(path)
        case .noticeBy(let author, let notice):
            encoder.raw(Kind.noticeBy)
            encoder.value(author)
            encoder.value(notice)
        case .relocatedBy(let author, let path):
            encoder.raw(Kind.relocatedBy)
            encoder.value(author)
            encoder.value(path)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        switch try decoder.raw(Kind.self, .presenterMessage) {
        case .ask:
            self = .ask(
                claim: try decoder.integer(UInt64.self), try decoder.value(YieldSteps.self))
        case .withdrawQuestion: self = .withdrawQuestion(claim: try decoder.integer(UInt64.self))
        case .reacquire: self = .reacquire(try decoder.raw(Relinquishment.self, .relinquishment))
        case .notice: self = .notice(try decoder.value(Notice.self))
        case .relocated:
            self = .relocated(to: try decoder.value(ItemPath.self), isTold: try decoder.bool())
        case .plainNotice: self = .plainNotice(try decoder.value(Notice.self))
        case .followed: self = .followed(to: try decoder.value(ItemPath.self))
        case .noticeBy:
            self = .noticeBy(
                try decoder.value(ChangeAuthor.self), try decoder.value(Notice.self))
        case .relocatedBy:
            self = .relocatedBy(
                try decoder.value(ChangeAuthor.self), to: try decoder.value(ItemPath.self))
        }
    }
}

extension YieldSteps: WireCoded {
    /// The steps without a path.
    ///
    /// Their order is not encoded, because Rule 6.5 defines it.
    private struct Flags: OptionSet {
        var rawValue: UInt8

        static let toReader = Self(rawValue: 1 << 0)
        static let toWriter = Self(rawValue: 1 << 1)
        static let save = Self(rawValue: 1 << 2)
        static let accommodateDeletion = Self(rawValue: 1 << 3)
        static let accommodateEviction = Self(rawValue: 1 << 4)
        static let all = Self(rawValue: (1 << 5) - 1)
    }

    func write(to encoder: inout MessageEncoder) {
        var flags: Flags = []
        if relinquish.contains(.reader) { flags.insert(.toReader) }
        if relinquish.contains(.writer) { flags.insert(.toWriter) }
        if save { flags.insert(.save) }
        if accommodateDeletion { flags.insert(.accommodateDeletion) }
        if accommodateEviction { flags.insert(.accommodateEviction) }
        encoder.raw(flags)
        encoder.list(accommodateSubitemDeletions, .yieldSteps, limit: WireLimits.items)
        encoder.list(provideContents, .yieldSteps, limit: WireLimits.items)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        let flags = try decoder.raw(Flags.self, .yieldSteps)
        guard flags.isSubset(of: .all) else { throw .illegalValue(.yieldSteps) }
        var relinquish: Relinquishments = []
        if flags.contains(.toReader) { relinquish.insert(.reader) }
        if flags.contains(.toWriter) { relinquish.insert(.writer) }
        self.init(
            relinquish: relinquish, save: flags.contains(.save),
            accommodateDeletion: flags.contains(.accommodateDeletion),
            accommodateSubitemDeletions: try decoder.list(
                of: ItemPath.self, .yieldSteps, limit: WireLimits.items),
            accommodateEviction: flags.contains(.accommodateEviction),
            provideContents: try decoder.list(
                of: ItemPath.self, .yieldSteps, limit: WireLimits.items))
    }
}
