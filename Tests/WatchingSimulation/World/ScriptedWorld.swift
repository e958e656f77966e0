// SPDX-License-Identifier: Apache-2.0
//
// A simulated world without random choices: the test determines which program does what, when the
// kernel's notifications are read and when orders are carried out. The presenters' messages are
// returned as lines of text. At the end, the presenters' views are compared with the file system,
// as in the random worlds.

import FileCoordinationArbiter
public import FileCoordinationWatching

/// A world that does what it is told.
///
/// It has the directories `/r/a/b`, `/s` and `/out`, and the files `/r/f`, `/r/a/f` and `/s/f`.
public final class ScriptedWorld {
    private var world: WatchingWorld

    /// Makes a world; its kernel has room for so many watches.
    public init(watchLimit: Int = .max) {
        world = WatchingWorld(seed: 0)
        world.isScripted = true
        world.files.kernel.watchLimit = watchLimit
        world.files.kernel.room = 1 << 14
    }

    // MARK: Plain programs

    /// What a program can do.
    public enum Action {
        /// Creates an empty file.
        case create
        /// Creates a directory.
        case createDirectory
        /// Writes as many bytes.
        case write(UInt64)
        /// Changes the permissions.
        case chmod(UInt32)
        /// Removes a file or an empty directory.
        case remove
        /// Renames, over what is there.
        case move(to: String)
        /// Exchanges two names.
        case exchange(with: String)
        /// Gives a file one more name.
        case link(to: String)
    }

    /// A program does something; false if that is not possible.
    public func act(_ action: Action, _ path: String) -> Bool {
        let names = Self.names(path)
        return switch action {
        case .create: world.files.create(names)
        case .createDirectory: world.files.create(names, directory: true)
        case .write(let size): world.files.write(names, size: size)
        case .chmod(let mode): world.files.change(mode: mode, of: names)
        case .remove: world.files.remove(names)
        case .move(let to): world.files.rename(names, Self.names(to))
        case .exchange(let other): world.files.rename(names, Self.names(other), exchange: true)
        case .link(let to): world.files.link(names, Self.names(to))
        }
    }

    // MARK: Coordinated writers

    /// A coordinated writer is granted access; returns the claim's number.
    public func beginClaim(_ paths: String...) -> UInt64 {
        world.begin(paths.map(Self.names))
        return world.nextClaim - 1
    }

    /// A coordinated writer's access is over.
    public func endClaim(_ claim: UInt64) { world.finish(claim) }

    // MARK: Presenters

    /// Adds a presenter; returns its number.
    public func present(_ path: String, _ kind: PresentedKind) -> UInt64 {
        world.present(Self.names(path), kind)
        return world.nextPresenter - 1
    }

    /// Removes a presenter.
    public func unpresent(_ id: UInt64) { world.unpresent(id) }

    // MARK: The watcher

    /// The watcher reads notifications.
    public func read(_ count: Int = .max) { world.deliver(min(count, 1 << 20)) }

    /// How many watches the kernel has.
    public var watchCount: Int { world.files.kernel.watchCount }

    /// The kernel ends all watches.
    public func endWatches() { world.files.kernel.endAll() }

    /// The kernel loses what the watcher has not read.
    public func overflow() { world.files.kernel.forceOverflow() }

    /// The watcher carries out orders until there are no more, or so many.
    public func look(_ count: Int = .max) {
        var rest = count
        while rest > 0, !world.orders.isEmpty || world.reconciler.hasOrders {
            world.carryOut(1)
            rest -= 1
        }
    }

    /// Time passes, and a turn ends; returns what presenters are told.
    ///
    /// `isBehind` says that the watcher finds notifications which it has not read.
    public func turn(after milliseconds: UInt64 = 0, isBehind: Bool = false) -> [String] {
        world.now += milliseconds * 1_000_000
        if isBehind { world.reconciler.handle(.behind, at: world.now) }
        world.told = []
        world.endTurn()
        return world.told.flatMap(Self.lines)
    }

    /// All is read, carried out and told; returns what presenters are told.
    public func settle() -> [String] {
        var lines: [String] = []
        for _ in 0..<20 {
            read()
            look()
            lines += turn(after: 60)
        }
        return lines
    }

    /// What is wrong when all has come to rest; nil if each presenter believes in what is there.
    public func complaint() -> String? {
        world.compare()
        return world.outcome.complaint
    }

    // MARK: Words

    private static func names(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init)
    }

    private static func lines(_ news: WatchNews) -> [String] {
        let words: [String] =
            switch news.body {
            case .listening: ["listening"]
            case .wholeMayHaveChanged(let reason): ["whole: \(reason)"]
            case .degraded(let trouble): ["degraded: \(trouble)"]
            case .healed: ["healed"]
            case .arrived: []
            case .changes(let changes): changes.map(line)
            }
        return words.map { "\(news.presenter) " + $0 }
    }

    private static func line(_ change: WatchedChange) -> String {
        let text =
            switch change.what {
            case .appeared: "appeared \(change.path)"
            case .changed(.content): "changed \(change.path)"
            case .changed(.attributes): "attributes \(change.path)"
            case .deleted: "deleted \(change.path)"
            case .moved(let former): "moved \(former) to \(change.path)"
            }
        guard change.origin != .uncoordinated else { return text }
        // A claim that covers the former path alone announces no arrival.
        let isPart = change.origin == .coordinated && change.leftAt == nil && change.arrival != nil
        let departure = change.departure.map { ", departure \($0)" } ?? ""
        return text + " (\(change.origin))" + (isPart ? ", arrival plain" : "") + departure
    }
}
