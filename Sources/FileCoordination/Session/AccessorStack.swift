// SPDX-License-Identifier: Apache-2.0
//
// The accessors that each thread is inside of. A claim that is filed inside an accessor says so,
// because it must not wait for whoever waits for that very accessor (Rules 2.17, 3.5).

import FileCoordinationLedger
import FileCoordinationSystem

/// The accessors that the calling thread, or the current task, is inside of; innermost last.
enum AccessorStack {
    private static let slot = ThreadSlot<Stack>()
    /// The same of a task.
    ///
    /// Tasks that it starts inherit this, and have to be told from it: they are not the accessor.
    @TaskLocal private static var tasks: TaskStack?

    private struct Stack {
        /// The process whose claims these are: a forked child is inside of none.
        var process: UInt64
        var accesses: [CoordinatedAccess]
    }

    private struct TaskStack: Sendable {
        var task: Int
        var process: UInt64
        var accesses: [CoordinatedAccess]
    }

    /// Tells one task from another, while it lives.
    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// The accesses whose accessors the caller is inside of.
    static var accesses: [CoordinatedAccess] {
        ofTask + ofThread
    }

    private static var ofThread: [CoordinatedAccess] {
        guard let stack = slot.value, stack.process == ForkGuard.processToken else { return [] }
        return stack.accesses
    }

    private static var ofTask: [CoordinatedAccess] {
        guard let stack = tasks, stack.task == currentTask,
            stack.process == ForkGuard.processToken
        else { return [] }
        return stack.accesses
    }

    /// The claims whose accessors the caller is inside of.
    static var current: [RecordReference] { accesses.map(\.claim.record) }

    /// Notes that an accessor starts on this thread.
    static func push(_ access: CoordinatedAccess) { set(ofThread + [access]) }

    /// Notes that an accessor has returned on this thread.
    static func pop(_ access: CoordinatedAccess) {
        var accesses = ofThread
        if let index = accesses.lastIndex(where: { $0 === access }) { accesses.remove(at: index) }
        set(accesses)
    }

    private static func set(_ accesses: [CoordinatedAccess]) {
        slot.value =
            accesses.isEmpty ? nil : Stack(process: ForkGuard.processToken, accesses: accesses)
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
