// SPDX-License-Identifier: Apache-2.0
//
// The accessors that each thread is inside of. A claim that is filed inside an accessor says so,
// because it must not wait for whoever waits for that very accessor (Rules 2.17, 3.5).

import FileCoordinationLedger
import FileCoordinationSystem

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

        var access: CoordinatedAccess {
            switch self {
            case .known(let access): access
            case .local(let access): access.full
            }
        }
    }

    /// What a thread is inside of; made once, and used by that thread alone: so nobody need watch
    /// over who changes it.
    private final class ThreadStack {
        /// The process whose claims these are: a forked child is inside of none.
        @exclusivity(unchecked) var process: UInt64 = 0
        @exclusivity(unchecked) var frames: [Frame] = []

        func push(_ frame: Frame) {
            let current = ForkGuard.processToken
            if process != current {
                process = current
                frames = []
            }
            frames.append(frame)
        }
    }

    private static let slot = ThreadSlot<ThreadStack>()
    /// The same of a task.
    ///
    /// Tasks that it starts inherit this, and have to be told from it: they are not the accessor.
    @TaskLocal private static var tasks: TaskStack?

    private struct TaskStack: Sendable {
        var task: Int
        var process: UInt64
        var accesses: [CoordinatedAccess]
    }

    /// Tells one task from another, while it lives.
    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// The accesses whose accessors the caller is inside of.
    static var accesses: [CoordinatedAccess] { ofTask + ofThread.map(\.access) }

    private static var ofThread: [Frame] {
        guard let stack = slot.value, stack.process == ForkGuard.processToken else { return [] }
        return stack.frames
    }

    private static var ofTask: [CoordinatedAccess] {
        guard let stack = tasks, stack.task == currentTask,
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
        let isOfNone = slot.withValue { stack in
            guard let stack, !stack.frames.isEmpty else { return true }
            return stack.process != ForkGuard.processToken
        }
        return isOfNone && tasks == nil
    }

    /// Notes that an accessor starts on this thread.
    static func push(_ frame: Frame) {
        let isNew = slot.withValue { stack in
            guard let stack else { return true }
            stack.push(frame)
            return false
        }
        guard isNew else { return }
        let stack = ThreadStack()
        slot.value = stack
        stack.push(frame)
    }

    /// Notes that the innermost accessor has returned on this thread.
    static func pop() {
        slot.withValue { stack in
            // A forked child that returns from its parent's accessors was in none of them.
            guard let stack, stack.process == ForkGuard.processToken else { return }
            _ = stack.frames.popLast()
        }
    }

    /// Runs an accessor in this task.
    static func within<Result>(
        _ access: CoordinatedAccess?, isolation: isolated (any Actor)? = #isolation,
        _ accessor: () async throws -> Result
    ) async rethrows -> Result {
        guard let access, let task = currentTask else { return try await accessor() }
        let stack = TaskStack(
            task: task, process: ForkGuard.processToken, accesses: ofTask + [access])
        return try await $tasks.withValue(stack) { try await accessor() }
    }
}
