// SPDX-License-Identifier: Apache-2.0
//
// fc_hold: access that lasts until fc_end, whatever thread calls that.
//
// The functions are documented in filecoordination.h; they are public, or they would be left out.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CFileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// A held access and what C reads of it.
final class CallerHold: Handled {
    let access: HeldAccess
    let paths: [CallerText]
    /// What a child is told.
    let environment: CallerTexts

    init(_ access: HeldAccess) {
        self.access = access
        paths = access.items.map { CallerText($0.path) }
        let token = access.joinToken
        environment = CallerTexts(
            [
                CallerText("\(JoinToken.variable)=\(token.text)"),
                CallerText("FILECOORD_PURPOSE=\(token.purpose)"),
                CallerText("\(SurroundingClaims.variable)=\(token.surroundings.text)"),
            ]
                + access.items.enumerated().map { index, item in
                    CallerText(Array("FILECOORD_PATH_\(index + 1)=".utf8) + item.path)
                })
    }
}

/// Waits for access, and holds it.
private func begin(
    _ coordinator: OpaquePointer?, _ items: UnsafePointer<fc_item>?, _ count: Int,
    _ timeout: Double, _ error: ErrorPlace
) -> OpaquePointer? {
    let coordinator = unsafe CallerCoordinator.given(coordinator)
    return unsafe reporting(error, GivenItems.paths(items, count)) { () throws(CallFailure) in
        let requests = try unsafe GivenItems.requests(
            items, count, mayCopy: false, of: coordinator)
        let timeout = try Given.duration(timeout)
        do throws(AccessFailure) {
            let access = try coordinator.core.hold(
                requests, in: { () throws(AccessFailure) in try .ofCaller() },
                enclosing: coordinator.enclosing.withLock { $0 },
                surroundings: coordinator.surroundings.withLock { $0 }, timeout: timeout)
            return unsafe CallerHold(access).makeHandle()
        } catch {
            throw CallFailure.access(error)
        }
    }
}

@c @implementation
public func fc_begin(
    _ coordinator: OpaquePointer?, _ items: UnsafePointer<fc_item>?, _ count: Int,
    _ timeout: Double, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    unsafe begin(coordinator, items, count, timeout, error)
}

@c @implementation
public func fc_begin_reading(
    _ coordinator: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UInt32,
    _ timeout: Double, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    var item = unsafe fc_item(path: path, access: UInt32(FC_READ), options: options)
    return unsafe begin(coordinator, &item, 1, timeout, error)
}

@c @implementation
public func fc_begin_writing(
    _ coordinator: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ options: UInt32,
    _ timeout: Double, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    var item = unsafe fc_item(path: path, access: UInt32(FC_WRITE), options: options)
    return unsafe begin(coordinator, &item, 1, timeout, error)
}

@c @implementation
public func fc_begin_async(
    _ coordinator: OpaquePointer?, _ items: UnsafePointer<fc_item>?, _ count: Int,
    _ timeout: Double, _ granted: fc_granted?, _ context: UnsafeMutableRawPointer?
) {
    guard let granted = unsafe granted else { return }
    let coordinator = unsafe CallerCoordinator.given(coordinator)
    let paths = unsafe GivenItems.paths(items, count)
    let context = unsafe CallerContext(pointer: context)
    let give: @Sendable (CallerHold?, CallerError?) -> Void = { hold, error in
        let isGiven = CallbackGate.call {
            unsafe granted(hold?.makeHandle(), error?.makeHandle(), context.pointer)
        }
        if !isGiven { hold?.access.release() }
    }
    let requests: [RequestedItem]
    let duration: Duration?
    do throws(CallFailure) {
        requests = try unsafe GivenItems.requests(
            items, count, mayCopy: false, of: coordinator)
        duration = try Given.duration(timeout)
    } catch {
        return give(nil, CallerError(error, paths))
    }
    coordinator.core.hold(
        requests, in: { () throws(AccessFailure) in try .ofCaller() },
        enclosing: coordinator.enclosing.withLock { $0 },
        surroundings: coordinator.surroundings.withLock { $0 }, timeout: duration
    ) { outcome in
        switch outcome {
        case .success(let access): give(CallerHold(access), nil)
        case .failure(let failure): give(nil, CallerError(.access(failure), paths))
        }
    }
}

@c @implementation
public func fc_hold_count(_ hold: OpaquePointer?) -> Int {
    unsafe CallerHold.object(hold)?.paths.count ?? 0
}

@c @implementation
public func fc_hold_path(_ hold: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
    guard let hold = unsafe CallerHold.object(hold), hold.paths.indices.contains(index) else {
        return nil
    }
    return unsafe hold.paths[index].pointer
}

@c @implementation
public func fc_hold_is_held(_ hold: OpaquePointer?) -> Int32 {
    unsafe CallerHold.object(hold)?.access.isHeld == true ? 1 : 0
}

@c @implementation
public func fc_hold_environment(
    _ hold: OpaquePointer?
) -> UnsafePointer<UnsafePointer<CChar>?>? {
    unsafe CallerHold.object(hold)?.environment.pointer
}

@c @implementation
public func fc_hold_item_moved(
    _ hold: OpaquePointer?, _ from: UnsafePointer<CChar>?, _ to: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe reportingCode(error) { () throws(CallFailure) in
        guard let hold = unsafe CallerHold.object(hold), let from = unsafe from, let to = unsafe to
        else {
            throw .usage("the hold or a path is NULL")
        }
        unsafe hold.access.announceMove(from: try Given.name(from), to: try Given.name(to, 1))
    }
}

@c @implementation
public func fc_end(_ hold: OpaquePointer?) { unsafe CallerHold.take(hold)?.access.release() }
