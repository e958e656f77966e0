// SPDX-License-Identifier: Apache-2.0
//
// The reconciler as a world uses it: its orders are carried out on the model file system, and its
// news become the messages that the server sends to presenters.

import CoordinationCheckers
import FileCoordinationArbiter
import FileCoordinationWatching

/// What the watcher says to a presenter.
enum ModelNews {
    case listening
    case told(WatchingMessage)
    /// A change that the server tells, unless a claim explains it.
    case change(WatchedChange)
}

/// The reconciler and its orders.
struct ModelWatcher {
    private var reconciler: WatchReconciler
    private var pending: [WatchOrder] = []

    init(root: ObservedFile) { reconciler = WatchReconciler(root: root) }

    var watchCount: Int { reconciler.watchCount }
    var hasOrders: Bool { !pending.isEmpty || reconciler.hasOrders }

    mutating func handle(_ input: WatchInput, at now: Instant) { reconciler.handle(input, at: now) }

    mutating func present(_ id: UInt64, _ path: [String], _ kind: PresentedKind, at now: Instant) {
        guard let place = ItemPath(texts: path) else { return }
        reconciler.handle(.presented(id, place, kind, since: nil), at: now)
    }

    /// The server asks to be told when everything up to now has been told.
    mutating func ask(_ question: UInt64, at now: Instant) {
        reconciler.handle(.asked(question), at: now)
    }

    var lastAnswered: UInt64 { reconciler.lastAnswered }

    mutating func relocate(_ id: UInt64, to path: [String], at now: Instant) {
        guard let place = ItemPath(texts: path) else { return }
        reconciler.handle(.relocated(id, place), at: now)
    }

    mutating func unpresent(_ id: UInt64, at now: Instant) {
        reconciler.handle(.unpresented(id), at: now)
    }

    // MARK: Orders

    /// Removes and returns the next orders.
    mutating func orders(_ count: Int) -> [WatchOrder] {
        if pending.isEmpty { pending = reconciler.takeOrders() }
        let next = Array(pending.prefix(count))
        pending.removeFirst(next.count)
        return next
    }

    mutating func execute(_ order: WatchOrder, _ files: inout ModelFileSystem, at now: Instant) {
        switch order {
        case .unwatch(let watch): files.kernel.unwatch(watch)
        case .watch(let node, let path, let expected, let mode):
            let outcome: WatchOutcome =
                files.find(path, expected).map { handle in
                    files.kernel.watch(handle, mode).map { .watching($0) } ?? .failed(.limit)
                } ?? .elsewhere
            reconciler.handle(.watched(node, outcome, mode), at: now)
        case .list(let node, let path, let expected):
            let found: Found<[[UInt8]]> =
                files.find(path, expected).map { handle in
                    .seen(files[handle].names.keys.sorted().map { Array($0.utf8) })
                } ?? .elsewhere
            reconciler.handle(.listed(node, found), at: now)
        case .check(let node, let name, let path, let expected):
            guard let handle = files.find(path, expected) else {
                return reconciler.handle(.checked(node, .elsewhere), at: now)
            }
            let child = files[handle].names[String(decoding: name, as: UTF8.self)]
            reconciler.handle(
                .checked(
                    node, .seen(child.map { files[$0].observed }),
                    goneBy: child == nil ? files[handle].changed : nil), at: now)
        }
    }

    // MARK: Words

    /// A short text for a world's log.
    static func summary(_ input: WatchInput) -> String {
        guard case .notified(let event) = input else { return "\(input)" }
        let bits: [(KernelEvent.What, String)] = [
            (.created, "created"), (.removed, "removed"), (.movedFrom, "moved from"),
            (.movedTo, "moved to"), (.changed, "changed"), (.itselfGone, "itself gone"),
            (.ended, "ended"),
        ]
        let what = bits.filter { event.what.contains($0.0) }.map(\.1).joined(separator: ", ")
        let name = String(decoding: event.name, as: UTF8.self)
        return "event of watch \(event.watch): \(what) \(name)"
            + (event.cookie == 0 ? "" : " cookie \(event.cookie)")
    }

    /// A short text for a world's log.
    static func summary(_ order: WatchOrder) -> String {
        switch order {
        case .unwatch(let watch): "unwatch \(watch)"
        case .watch(_, let path, _, let mode): "watch \(path) \(mode)"
        case .list(_, let path, _): "list \(path)"
        case .check(_, let name, let path, _):
            "check \(String(decoding: name, as: UTF8.self)) in \(path)"
        }
    }

    // MARK: News

    /// Ends a turn; `paths` are those of the presenters.
    mutating func endTurn(
        at now: Instant, paths: [UInt64: [String]]
    ) -> [(UInt64, ModelNews)] {
        var result: [(UInt64, ModelNews)] = []
        for news in reconciler.endTurn(at: now) {
            let path = paths[news.presenter].flatMap { ItemPath(texts: $0) }
            guard let path else { continue }
            for message in Self.messages(news.body, path) {
                result.append((news.presenter, message))
            }
        }
        return result
    }

    private static func messages(_ body: WatchNews.Body, _ path: ItemPath) -> [ModelNews] {
        switch body {
        case .listening: [.listening]
        case .healed: []
        case .wholeMayHaveChanged, .degraded: [.told(.lookAtAll(path.text))]
        case .changes(let changes): changes.map { .change($0) }
        }
    }
}

extension ModelFileSystem {
    /// The item at a path, if it is the expected one.
    fileprivate func find(_ path: ItemPath, _ expected: FileIdentity) -> UInt64? {
        guard let handle = find(path.texts), self[handle].observed.identity.isSame(as: expected)
        else { return nil }
        return handle
    }
}

extension ItemPath {
    /// The path as the checker writes it.
    var text: String { "/" + texts.joined(separator: "/") }
}

extension WatchedChange {
    /// A short text for a world's log.
    var summary: String {
        let text =
            switch what {
            case .appeared: "appeared"
            case .changed: "changed"
            case .deleted: "deleted"
            case .moved(let former): "moved from \(former)"
            }
        return "\(path) \(text), earlier \(earlier.map { "#\($0.identity.inode)" } ?? "none"), now "
            + "\(observed.map { "#\($0.identity.inode)" } ?? "none")"
    }

    /// What a presenter is told.
    var message: WatchingMessage {
        if case .moved(let former) = what { return .moved(former.text, to: path.text) }
        let isNew = what == .appeared && observed?.isDirectory == true
        return isNew ? .lookInside(path.text) : .look(path.text)
    }
}
