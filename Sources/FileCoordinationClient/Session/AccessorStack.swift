// SPDX-License-Identifier: Apache-2.0
//
// The accessors that each thread is inside of. A claim that is filed inside an accessor says so,
// because it must not wait for a claim that waits for that very accessor (Rules 2.17, 3.5).
//
// They are kept in memory of the thread's own, together with the delegated place that it has used
// last: a delegated access finds both without a lock, by one look.

package import FileCoordinationLedger
import FileCoordinationSystem
import Synchronization

/// The accessors that the calling thread, or the current task, is inside of; innermost last.
package enum AccessorStack {
    /// One accessor.
    enum Frame {
        case known(CoordinatedAccess)
        /// That of an access that no arbiter knows of.
        ///
        /// Not retained: the call that runs the accessor holds it until it takes the frame away.
        case local(Unmanaged<LocalAccess>)

        var record: RecordReference {
            switch self {
            case .known(let access): access.claim.record
            case .local(let access): access.takeUnretainedValue().record
            }
        }

        /// Nil for one that is over.
        var access: CoordinatedAccess? {
            switch self {
            case .known(let access): access
            case .local(let access): access.takeUnretainedValue().full
            }
        }
    }

    /// What tasks are inside of.
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

    private static var ofThread: [Frame] { CallingThread.known?.memory.pointee.frames ?? [] }

    private static var ofTask: [CoordinatedAccess] {
        guard hasTasks.load(ordering: .relaxed), let stack = tasks, stack.task == currentTask,
            stack.process == ForkGuard.processToken
        else { return [] }
        return stack.accesses
    }

    /// The claims whose accessors the caller is inside of.
    package static var current: [RecordReference] {
        ofTask.map(\.claim.record) + ofThread.map(\.record)
    }

    /// Whether the caller is inside of none.
    static func isEmpty(on thread: CallingThread) -> Bool {
        thread.memory.pointee.frames.isEmpty
            && (!hasTasks.load(ordering: .relaxed) || tasks == nil)
    }

    /// Records that an accessor starts on the calling thread.
    static func push(_ frame: Frame, on thread: CallingThread = .current) {
        thread.memory.pointee.frames.append(frame)
    }

    /// Records that the innermost accessor has returned on the calling thread.
    ///
    /// - Returns: false in a forked child that returns from its parent's accessors: it was in none
    ///   of them, and owns nothing of theirs (Rule 18.8).
    @discardableResult
    static func pop(on thread: CallingThread) -> Bool {
        thread.isOfThisProcess && thread.memory.pointee.frames.popLast() != nil
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

/// The memory of the calling thread; not to be handed to another one.
struct CallingThread {
    /// What it holds.
    struct Memory: ~Copyable {
        /// The process whose accesses these are: a forked child is inside of none, and owns nothing
        /// of its parent's.
        let process: UInt64
        /// The accessors that the thread is inside of; innermost last.
        var frames: [AccessorStack.Frame] = []
        /// The delegated place that it has used last.
        var recent = RecentPlace()

        init(process: UInt64 = 0) { self.process = process }
    }

    let memory: UnsafeMutablePointer<Memory>

    private static let slot = ThreadSlot<Memory>()

    /// The calling thread's, as a process has it that is not a forked child.
    static var current: CallingThread {
        let memory = slot.pointer(orNew: Memory())
        let process = ForkGuard.processToken
        if memory.pointee.process != process { memory.pointee = Memory(process: process) }
        return CallingThread(memory: memory)
    }

    /// The same, if the thread has used it in this process.
    static var known: CallingThread? {
        guard let memory = slot.pointer else { return nil }
        let thread = CallingThread(memory: memory)
        return thread.isOfThisProcess ? thread : nil
    }

    /// Whether the process was not forked since the memory was looked for: an accessor may return
    /// in a child.
    var isOfThisProcess: Bool { memory.pointee.process == ForkGuard.processToken }
}
