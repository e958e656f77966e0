// SPDX-License-Identifier: Apache-2.0
//
// What a history is about: claims, their items, presenters. Places are plain strings, so that the
// checkers share no code, and so no mistake, with the system that they judge.

/// What is done with an item.
package struct Use: Hashable, Sendable {
    /// What an access is for; several of a write are their union (Rule 2.8b).
    package enum End: String, CaseIterable, Hashable, Sendable {
        /// A read before which presenters need not save (Rule 6.9).
        case withoutChanges
        /// A write that merges.
        case merging
        /// A write of metadata alone.
        case metadata
        /// A write that deletes the item.
        case deleting
        /// A write that moves the item.
        case moving
        /// A write that replaces the item.
        case replacing
        /// An access to everything inside, too (Rule 2.23).
        case contents
    }

    /// Whether it is a write.
    package var isWrite: Bool
    /// What it is for.
    package var ends: Set<End>

    /// An access for these ends.
    package init(isWrite: Bool, _ ends: Set<End> = []) {
        self.isWrite = isWrite
        self.ends = ends
    }

    /// A coordinated read.
    package static let read = Use(isWrite: false)
    /// A read before which presenters need not save (Rule 6.9).
    package static let readWithoutChanges = Use(isWrite: false, [.withoutChanges])
    /// A plain write.
    package static let write = Use(isWrite: true)
    /// A write that merges.
    package static let merge = Use(isWrite: true, [.merging])
    /// A write of metadata alone.
    package static let writeMetadata = Use(isWrite: true, [.metadata])
    /// A write that deletes the item.
    package static let delete = Use(isWrite: true, [.deleting])
    /// A write that moves the item.
    package static let move = Use(isWrite: true, [.moving])
    /// A write that replaces the item.
    package static let replace = Use(isWrite: true, [.replacing])

    /// Whether it concerns everything inside the item:
    /// "D/M/R" in the rules, or an access to contents.
    package var isWide: Bool {
        !ends.isDisjoint(with: [.deleting, .moving, .replacing, .contents])
    }

    /// Whether the write removes the present item permanently.
    var isDeletion: Bool { !ends.isDisjoint(with: [.deleting, .replacing]) }

    /// Its words in the text form, with dots between them.
    package var rawValue: String {
        ([isWrite ? "write" : "read"] + End.allCases.filter(ends.contains).map(\.rawValue))
            .joined(separator: ".")
    }

    /// What these words say, or nil.
    package init?(rawValue: String) {
        let words = rawValue.split(separator: ".").map { String($0) }
        let ends = words.dropFirst().compactMap { End(rawValue: $0) }
        guard let first = words.first, first == "read" || first == "write",
            ends.count == words.count - 1
        else { return nil }
        self.init(isWrite: first == "write", Set(ends))
    }
}

/// One item of a claim.
package struct Item: Hashable, Sendable {
    /// What is done with it.
    package var use: Use
    /// Its absolute path, links resolved, without a slash at its end.
    package var place: String
    /// The packages that contain it, itself included if it is one; outermost first (Rule 1.12).
    package var packages: [String]

    /// One item of a claim.
    package init(_ use: Use, _ place: String, packages: [String] = []) {
        self.use = use
        self.place = place
        self.packages = packages
    }
}

/// A claim as it was filed.
package struct Claim: Hashable, Sendable {
    /// Its name.
    package var key: ClaimKey
    /// Whose it is.
    package var client: ClientKey
    /// Its coordinator's purpose.
    package var purpose: String
    /// What it wants.
    package var items: [Item]
    /// Its place in the filing order, where that is known; else the moment of its filing counts.
    package var order: UInt64?
    /// The claims inside whose accessors the call was made.
    package var enclosing: [ClaimKey]
    /// Whether those accessors wait for it (Rule 18.4).
    package var blocksCaller: Bool
    /// Whether it is a batch, which excludes no claim (Rule 14.3).
    package var isBatch: Bool

    /// A claim as it was filed.
    package init(
        _ key: ClaimKey, of client: ClientKey, purpose: String, items: [Item],
        order: UInt64? = nil, enclosing: [ClaimKey] = [], blocksCaller: Bool = false,
        isBatch: Bool = false
    ) {
        self.key = key
        self.client = client
        self.purpose = purpose
        self.items = items
        self.order = order
        self.enclosing = enclosing
        self.blocksCaller = blocksCaller
        self.isBatch = isBatch
    }
}

/// Something that a presenter is asked to do before a claim may run (section 6 of the rules).
package enum RequiredStep: Hashable, Sendable {
    /// To relinquish its item to a reader.
    case relinquishToReader
    /// To relinquish its item to a writer.
    case relinquishToWriter
    /// To save.
    case save
    /// To accommodate the deletion of its item.
    case accommodateDeletion
    /// To accommodate the deletion of an item inside; nil: of any.
    case accommodateSubitemDeletion(String?)
}

/// A presenter as it was registered.
package struct Presenter: Hashable, Sendable {
    /// Its name.
    package var key: PresenterKey
    /// The process in which it lives.
    package var client: ClientKey
    /// Its purpose.
    package var purpose: String
    /// The place that it presents, or nil while it presents none.
    package var place: String?
    /// The steps that it implements.
    ///
    /// An entry for deletions of subitems has no place.
    package var steps: [RequiredStep]
    /// How long it is waited for, in nanoseconds; nil: for ever (Rule 18.3).
    package var patience: UInt64?

    /// A presenter as it was registered.
    package init(
        _ key: PresenterKey, of client: ClientKey, purpose: String, place: String?,
        steps: [RequiredStep], patience: UInt64? = nil
    ) {
        self.key = key
        self.client = client
        self.purpose = purpose
        self.place = place
        self.steps = steps
        self.patience = patience
    }
}

/// One move of an item, and of everything inside.
package struct Move: Hashable, Sendable {
    /// Where it was.
    package var old: String
    /// Where it is.
    package var new: String
    /// The packages that contain its new place, itself included if it is one; outermost first.
    package var packages: [String]

    /// One move.
    package init(from old: String, to new: String, packages: [String] = []) {
        self.old = old
        self.new = new
        self.packages = packages
    }
}

/// One step of a cycle that was reported: a claim that waits for the next one (Rule 18.4).
package struct Link: Hashable, Sendable {
    /// The claim that waits.
    package var claim: ClaimKey
    /// The presenter through whose answer it waits for the next one, if it does.
    package var presenter: PresenterKey?

    /// One step.
    package init(_ claim: ClaimKey, through presenter: PresenterKey? = nil) {
        self.claim = claim
        self.presenter = presenter
    }
}
