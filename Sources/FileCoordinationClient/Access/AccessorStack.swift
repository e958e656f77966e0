// SPDX-License-Identifier: Apache-2.0
//
// The accessors that each thread or task is running. A claim that is filed inside an accessor names
// it, because it must not wait for a claim that waits for that accessor (Rules 2.17, 3.5).
//
// They are in thread-local memory, together with the delegated place that the thread used last, so
// that a delegated access finds both in one lookup without a lock.

package import FileCoordinationArbiter
import FileCoordinationSystem
import Synchronization

/// The accessors that the calling thread or the current task is running, innermost last.
package enum AccessorStack {
    /// One running accessor.
    @safe enum Frame {
        case known(CoordinatedAccess)
        /// The accessor of an access that the server does not know.
        ///
        /// Not retained: the call that runs the accessor keeps the access until it removes the
        /// frame.
        case local(Unmanaged<LocalAccess>)

        var record: RecordReference {
            switch self {
            case .known(let access): access.claim.record
            case .local(let access): unsafe access.takeUnretainedValue().record
            }
        }

        /// The access; nil if it is over.
        var access: CoordinatedAccess? {
            switch self {
            case .known(let access): access
            case .local(let access): unsafe access.takeUnretainedValue().full
            }
        }
    }

    /// The accessors of the current task.
    ///
    /// Child tasks inherit this value but are not the accessor, so the task is stored with it.
    @TaskLocal private static var tasks: TaskStack?
    /// Whether any task ever ran an accessor.
    ///
    /// Reading a task-local value takes time, especially the first time.
    private static let hasTasks = Atomic<UInt8>(0)

    private struct TaskStack: Sendable {
        var task: Int
        var process: UInt64
        var accesses: [CoordinatedAccess]
    }

    /// Identifies the current task during its life.
    private static var currentTask: Int? { unsafe withUnsafeCurrentTask { unsafe $0?.hashValue } }

    /// The accesses whose accessors the caller is running.
    static var accesses: [CoordinatedAccess] { ofTask + ofThread.compactMap(\.access) }

    /// Returns the innermost access whose frame passes a test.
    static func innermost(where test: (Frame) -> Bool) -> CoordinatedAccess? {
        ofThread.last(where: test)?.access ?? ofTask.last { test(.known($0)) }
    }

    private static var ofThread: [Frame] { unsafe CallingThread.known?.memory.pointee.frames ?? [] }

    private static var ofTask: [CoordinatedAccess] {
        guard hasTasks.load(ordering: .relaxed) != 0, let stack = tasks, stack.task == currentTask,
            stack.process == ForkGuard.processToken
        else { return [] }
        return stack.accesses
    }

    /// The claims whose accessors the caller is running.
    package static var current: [RecordReference] {
        ofTask.map(\.claim.record) + ofThread.map(\.record)
    }

    /// Whether the caller is running no accessor.
    static func isEmpty(on thread: CallingThread) -> Bool {
        unsafe thread.memory.pointee.frames.isEmpty
            && (hasTasks.load(ordering: .relaxed) == 0 || tasks == nil)
    }

    /// Records that an accessor starts on the calling thread.
    static func push(_ frame: Frame, on thread: CallingThread = .current) {
        unsafe thread.memory.pointee.frames.append(frame)
    }

    /// Records that the innermost accessor has returned on the calling thread.
    ///
    /// - Returns: false in a forked child that returns from its parent's accessor. The child was in
    ///   no accessor of its own and owns none of its parent's claims (Rule 18.8).
    @discardableResult
    static func pop(on thread: CallingThread) -> Bool {
        unsafe thread.isOfThisProcess && thread.memory.pointee.frames.popLast() != nil
    }

    /// Runs an accessor in this task.
    static func within<Result>(
        _ access: CoordinatedAccess?, isolation: isolated (any Actor)? = #isolation,
        _ accessor: () async throws -> Result
    ) async rethrows -> Result {
        guard let access, let task = currentTask else { return try await accessor() }
        hasTasks.store(1, ordering: .relaxed)
        let stack = TaskStack(
            task: task, process: ForkGuard.processToken, accesses: ofTask + [access])
        return try await $tasks.withValue(stack) { try await accessor() }
    }
}

/// The thread-local memory of the calling thread.
///
/// Must not be passed to another thread.
@safe struct CallingThread {
    /// The contents of the memory.
    struct Memory: ~Copyable {
        /// The process to which the accesses belong.
        ///
        /// A forked child runs none of its parent's accessors.
        let process: UInt64
        /// The accessors that the thread is running, innermost last.
        var frames: [AccessorStack.Frame] = []
        /// The delegated place that the thread used last.
        var recent = RecentPlace()

        init(process: UInt64 = 0) { self.process = process }
    }

    let memory: UnsafeMutablePointer<Memory>

    static let slot = ThreadSlot<Memory>()

    /// The calling thread's memory.
    ///
    /// It is created if missing, and emptied in a forked child.
    static var current: CallingThread {
        let memory = unsafe slot.pointer(orNew: Memory())
        let process = ForkGuard.processToken
        if unsafe memory.pointee.process != process {
            unsafe memory.pointee = Memory(process: process)
        }
        return unsafe CallingThread(memory: memory)
    }

    /// The calling thread's memory, if it was used in this process.
    static var known: CallingThread? {
        guard let memory = unsafe slot.pointer else { return nil }
        let thread = unsafe CallingThread(memory: memory)
        return thread.isOfThisProcess ? thread : nil
    }

    /// Whether the process has not been forked since the memory was found: an accessor may return
    /// in a child.
    var isOfThisProcess: Bool { unsafe memory.pointee.process == ForkGuard.processToken }
}
