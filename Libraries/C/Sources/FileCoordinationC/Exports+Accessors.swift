// SPDX-License-Identifier: Apache-2.0
//
// Access for the length of a callback. What the callback asks for in turn is known to be inside, so
// that a call which would wait for itself is refused.
//
// The functions are documented in filecoordination.h; they are public, or they would be left out.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CFileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// What a call asks for, and calls.
@safe private struct AccessorCall {
    let coordinator: CallerCoordinator
    let timeout: Double
    let accessor: fc_accessor?
    let context: UnsafeMutableRawPointer?

    /// Waits for access, calls the accessor, and releases the access.
    func run(
        _ items: UnsafePointer<fc_item>?, _ count: Int, _ error: ErrorPlace
    ) -> Int32 {
        unsafe reportingCode(error, GivenItems.paths(items, count)) { () throws(CallFailure) in
            guard let accessor = unsafe accessor else { throw .usage("the accessor is NULL") }
            let requests = try unsafe GivenItems.requests(
                items, count, mayCopy: true, of: coordinator)
            let timeout = try Given.duration(timeout)
            do throws(AccessFailure) {
                try unsafe coordinate(requests, timeout) { unsafe accessor($0, $1, context) }
            } catch {
                throw CallFailure.access(error)
            }
        }
    }

    private func coordinate(
        _ requests: [RequestedItem], _ timeout: Duration?,
        _ accessor: (Int, UnsafePointer<UnsafePointer<CChar>?>) -> Void
    ) throws(AccessFailure) {
        let core = coordinator.core
        let access = try core.begin(
            requests, in: { () throws(AccessFailure) in try .ofCaller() },
            enclosing: AccessorStack.current + coordinator.enclosing.withLock { $0 },
            surroundings: coordinator.surroundings.withLock { $0 })
        let ending = access.wait(timeout: timeout)
        core.endWaiting(access)
        switch ending {
        case .granted:
            core.run(access) { items in
                let texts = CallerTexts(items.map { CallerText($0.path) })
                withExtendedLifetime(texts) { unsafe accessor(items.count, texts.pointer) }
            }
        case .failed(let failure): throw failure
        case .cancelled, .timedOut: throw .cancelled
        }
    }
}

@c @implementation
public func fc_coordinate(
    _ coordinator: OpaquePointer?, _ items: UnsafePointer<fc_item>?, _ count: Int,
    _ timeout: Double, _ accessor: fc_accessor?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    let call = unsafe AccessorCall(
        coordinator: .given(coordinator), timeout: timeout, accessor: accessor, context: context)
    return unsafe call.run(items, count, error)
}

@c @implementation
public func fc_read(
    _ coordinator: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UInt32,
    _ timeout: Double, _ accessor: fc_accessor?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    var item = unsafe fc_item(path: path, access: UInt32(FC_READ), options: options)
    let call = unsafe AccessorCall(
        coordinator: .given(coordinator), timeout: timeout, accessor: accessor, context: context)
    return unsafe call.run(&item, 1, error)
}

@c @implementation
public func fc_write(
    _ coordinator: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UInt32,
    _ timeout: Double, _ accessor: fc_accessor?, _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    var item = unsafe fc_item(path: path, access: UInt32(FC_WRITE), options: options)
    let call = unsafe AccessorCall(
        coordinator: .given(coordinator), timeout: timeout, accessor: accessor, context: context)
    return unsafe call.run(&item, 1, error)
}

@c @implementation
public func fc_item_moved(
    _ coordinator: OpaquePointer?, _ from: UnsafePointer<CChar>?, _ to: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe reportingCode(error) { () throws(CallFailure) in
        guard let coordinator = unsafe CallerCoordinator.object(coordinator),
            let from = unsafe from, let to = unsafe to
        else {
            throw .usage("the coordinator or a path is NULL")
        }
        unsafe coordinator.core.announceMove(from: try Given.name(from), to: try Given.name(to, 1))
    }
}
