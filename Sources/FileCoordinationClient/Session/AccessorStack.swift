// SPDX-License-Identifier: Apache-2.0
//
// The accessors that each thread is inside of. A claim that is filed inside an accessor says so,
// because it must not wait for a claim that waits for that very accessor (Rules 2.17, 3.5).

import FileCoordinationLedger
import FileCoordinationSystem
import Synchronization

/// The accessors that the calling thread, or the current task, is inside of; innermost last.
enum AccessorStack {
    /// One accessor.
    enum Frame {
        case known(CoordinatedAccess)
        /// That of an access that no arbiter knows of.
        case local(LocalAccess)

        var record: RecordReference {
            switch self {
            case .known(let access): access.claim.record
            case .local(let access): access.record
            }
        }

        /// Nil for one that is over.
        var access: CoordinatedAccess? {
            switch self {
            case .known(let access): access
            case .local(let access): access.full
            }
        }
    }

    /// What a thread is inside of; that thread alone looks at it.
    private struct ThreadStack {
        /// The process whose claims these are: a forked child is inside of none.
        var process: UInt64 = 0
        var frames: [Frame] = []
    }

    private static let slot = ThreadSlot<ThreadStack>()
    /// The same of a task.
    ///
    /// Tasks that it starts inherit this, and have to be told from it: they are not the accessor.
    @TaskLocal private static var tasks: TaskStack?
    /// Whether any task ever was inside of one: asking for a task's variable takes time, the first
    /// time much.
    private static let hasTasks = Atomic(false)

    private struct TaskStack: Sendable {
        var task: Int
        var process: UInt64
        var accesses: [CoordinatedAccess]
    }

    /// Tells one task from another, while it lives.
    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// The accesses whose accessors the caller is inside of.
    static var accesses: [CoordinatedAccess] { ofTask + ofThread.compactMap(\.access) }

    /// The innermost of them, of those that pass a test.
    static func innermost(where test: (Frame) -> Bool) -> CoordinatedAccess? {
        ofThread.last(where: test)?.access ?? ofTask.last { test(.known($0)) }
    }

    private static var ofThread: [Frame] {
        guard let stack = slot.pointer, stack.pointee.process == ForkGuard.processToken else {
            return []
        }
        return stack.pointee.frames
    }

    private static var ofTask: [CoordinatedAccess] {
        guard hasTasks.load(ordering: .relaxed), let stack = tasks, stack.task == currentTask,
            stack.process == ForkGuard.processToken
        else { return [] }
        return stack.accesses
    }

    /// The claims whose accessors the caller is inside of.
    static var current: [RecordReference] {
        ofTask.map(\.claim.record) + ofThread.map(\.record)
    }

    /// Whether the caller is inside of none.
    static var isEmpty: Bool {
        if let stack = slot.pointer, !stack.pointee.frames.isEmpty,
            stack.pointee.process == ForkGuard.processToken
        {
            return false
        }
        return !hasTasks.load(ordering: .relaxed) || tasks == nil
    }

    /// Records that an accessor starts on this thread.
    static func push(_ frame: Frame) {
        let stack = slot.pointer(orNew: ThreadStack())
        let process = ForkGuard.processToken
        if stack.pointee.process != process {
            stack.pointee = ThreadStack(process: process)
        }
        stack.pointee.frames.append(frame)
    }

    /// Records that the innermost accessor has returned on this thread.
    ///
    /// - Returns: false in a forked child that returns from its parent's accessors: it was in none
    ///   of them, and owns nothing of theirs (Rule 18.8).
    @discardableResult
    static func pop() -> Bool {
        guard let stack = slot.pointer, stack.pointee.process == ForkGuard.processToken else {
            return false
        }
        return stack.pointee.frames.popLast() != nil
    }

    /// Runs an accessor in this task.
    static func within<Result>(
        _ access: CoordinatedAccess?, isolation: isolated (any Actor)? = #isolation,
        _ accessor: () async throws -> Result
    ) async rethrows -> Result {
        guard let access, let task = currentTask else { return try await accessor() }
        hasTasks.store(true, ordering: .relaxed)
        let stack = TaskStack(
            task: task, process: ForkGuard.processToken, accesses: ofTask + [access])
        return try await $tasks.withValue(stack) { try await accessor() }
    }
}
