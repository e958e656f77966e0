// SPDX-License-Identifier: Apache-2.0
//
// The guard thread's operations for one guard: taking the lease, checking whether it is broken, and
// preserving what the presenter saves before the plain program continues.
//
// No process can open a file that has a lease for writing. So a presenter that is asked to save can
// only replace the file, by a rename. But the program that waits is opening the former file, which
// would then have no name, so that its changes would be lost. Therefore the former file gets a
// spare name, and is put back at the path before the program continues. The file that the presenter
// saved becomes a conflict version of the item.

import FileCoordinationArbiter
import FileCoordinationSystem

extension LeaseGuard {
    /// Takes the lease on the file at the path, if one is wanted.
    ///
    /// `watch` is called with the file before the lease is tried, so that no event is missed.
    func takeLease(watch: (FileLease) -> Void, unwatch: (FileLease) -> Void) {
        let (path, former, isSeeking) = state.withLock { ($0.path, $0.file, $0.life.isSeeking) }
        guard isSeeking else { return }
        guard let path else { return handle(.leaseRefused(.noFile)) }
        do throws(SystemError) {
            let file: FileLease
            if let former, former.isAt(path.bytes) {
                file = former
            } else {
                if let former { unwatch(former) }
                state.withLock { $0.file = nil }
                file = try FileLease(openingFileAt: path.bytes)
                watch(file)
            }
            let refusal = state.withLock { state -> LeaseGuardStatus.LeaseRefusal?? in
                state.file = file
                guard state.life.isSeeking else { return nil }
                do throws(SystemError) {
                    try file.take()
                    return .some(nil)
                } catch {
                    return LeaseGuardStatus.LeaseRefusal(error)
                }
            }
            guard let refusal else { return }
            if let refusal { return handle(.leaseRefused(refusal)) }
            handle(.leaseTaken)
            // Another file may have taken the name before the lease was taken.
            if !file.isAt(path.bytes) { handle(.replaced) }
        } catch {
            // Only a regular file is opened.
            let isOther = error.code == ErrorNumber.invalidArgument
            handle(.leaseRefused(isOther ? .notARegularFile : .init(error)))
        }
    }

    /// Checks whether the file that has the lease is still at the path.
    func checkPath() {
        let (path, file) = state.withLock { ($0.path, $0.file) }
        guard let path, let file, !file.isAt(path.bytes) else { return }
        handle(.replaced)
    }

    /// Checks whether a process waits for the lease to be dropped.
    func checkLease() {
        let (file, path, isHolding) = state.withLock { ($0.file, $0.path, $0.life.isHolding) }
        guard isHolding, let file, !file.isHeld else { return }
        let openers = file.waitingProcesses
        let isOwn = !openers.isEmpty && openers.allSatisfy { $0 == CurrentProcess.id }
        if !isOwn, let path {
            let spare = SpareFileName.make(beside: path.bytes)
            // If the file cannot get another name, the presenter is not asked to save.
            let isNamed = (try? file.link(at: spare)) != nil
            state.withLock { state in
                state.openers = Set(openers)
                state.brokenAt = file.presentStatus
                state.spareName = isNamed ? spare : nil
            }
        }
        handle(.broken(byOwnProcess: isOwn))
        // The lease may have been lifted concurrently, and then no presenter is asked.
        if state.withLock({ !$0.life.isAsking }) { removeSpareName() }
    }

    /// Checks whether the presenter's own process waits for the lease, because it opens the file to
    /// save.
    ///
    /// Returns whether to check again later, because the presenter has not answered yet.
    func checkForSaver() -> Bool {
        let (file, openers, isAsking) = state.withLock {
            ($0.file, $0.openers, $0.life.isAsking)
        }
        guard isAsking, let file else { return false }
        let waits = file.waitingProcesses.contains { process in
            !openers.contains(process) && ProcessState.isOwnOrDescendant(process)
        }
        if waits { handle(.saverWaits) }
        return !waits
    }

    /// Puts the former file back at the path, and stores what the presenter saved as a version.
    ///
    /// Returns that version. If no program has changed the former file, the saved file stays at the
    /// path, and the result is nil.
    func secure(_ versions: any VersionKeeping) -> VersionNews? {
        let (path, file, spare, brokenAt) = state.withLock {
            ($0.path, $0.file, $0.spareName, $0.brokenAt)
        }
        guard let spare else { return nil }
        guard let path, let file, !file.isAt(path.bytes),
            // If nothing is at the path, the presenter has moved or deleted its item.
            (try? FileStatus(path: path.bytes, followLinks: false))?.kind == .regular,
            // A program that was killed, or did not want to wait, has written nothing.
            !file.isUntouched(since: brokenAt)
        else {
            removeSpareName()
            return nil
        }
        do {
            try FileLease.exchange(spare, path.bytes)
            state.withLock { $0.spareName = nil }
            guard let saved = ItemPath(bytes: spare) else { return nil }
            return try versions.keepConflict(saved, of: path)
        } catch {
            Diagnostics.say(
                "what was saved before a program wrote to \(path) is in "
                    + "\(String(decoding: spare, as: UTF8.self)): \(error)")
            return nil
        }
    }

    /// Removes the other name of the file.
    func removeSpareName() {
        let spare = state.withLock { state in
            defer { state.spareName = nil }
            return state.spareName
        }
        // If this fails, the name stays until a guard of the file begins.
        if let spare { try? FileLease.removeName(spare) }
    }

    /// Tells the presenter of the version that has its saved contents.
    func tell(_ news: VersionNews) {
        let (questions, path) = state.withLock { ($0.questions, $0.path) }
        if let path { questions?.tell(news, path) }
    }
}

extension LeaseGuardStatus.LeaseRefusal {
    /// The reason for an error of opening the file or taking its lease.
    init(_ error: SystemError) {
        self =
            switch error.code {
            case ErrorNumber.tryAgain: .isOpenForWriting
            case ErrorNumber.noSuchFile, ErrorNumber.notADirectory: .noFile
            case ErrorNumber.accessDenied, ErrorNumber.notPermitted: .otherUsersFile
            case ErrorNumber.symbolicLink, ErrorNumber.isADirectory: .notARegularFile
            default: .system(error.code)
            }
    }
}

/// The names that files have besides their own while their presenters save.
package enum SpareFileName {
    private static let prefix = Array(".filecoord-guard-".utf8)

    /// Makes a name in the directory of `path`.
    static func make(beside path: [UInt8]) -> [UInt8] {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        let end = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
        return path[...end] + prefix + Array("\(CurrentProcess.id)-\(digits)".utf8)
    }

    /// Whether a name was made by ``make(beside:)``.
    package static func isSpare(_ name: [UInt8]) -> Bool { name.starts(with: prefix) }
}
