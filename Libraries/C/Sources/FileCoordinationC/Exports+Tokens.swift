// SPDX-License-Identifier: Apache-2.0
//
// Tokens: what was seen of an item, conditions of accesses, and new contents for held files.
//
// The functions are documented in filecoordination.h; they are public, or they would be left out.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CFileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Glibc

extension Given {
    /// The token of a text; nil for NULL.
    fileprivate static func token(
        _ text: UnsafePointer<CChar>?
    ) throws(CallFailure) -> ItemToken? {
        guard let text = unsafe Given.text(text) else { return nil }
        do throws(ItemToken.TextError) {
            return try ItemToken(text: text)
        } catch {
            switch error {
            case .unknownVersion: throw .usage("the token is of another version: take it anew")
            case .malformed: throw .usage("the text is no token")
            }
        }
    }

    /// The place of a path, as an access to it would find it.
    fileprivate static func place(
        _ path: UnsafePointer<CChar>?, _ options: UInt32
    ) throws(CallFailure) -> NativePath {
        guard let path = unsafe path else { throw .usage("the path is NULL") }
        guard options & ~(FC_NO_FOLLOW | FC_DIGEST) == 0 else {
            throw .usage("the options are unknown")
        }
        let name = try unsafe Given.name(path)
        do throws(PlaceError) {
            let place = NativePath(try name.path.get())
            do throws(SystemError) {
                return options & FC_NO_FOLLOW == 0 ? try place.followed() : place
            } catch {
                throw PlaceError(error)
            }
        } catch {
            throw .access(.place(error, item: 0))
        }
    }
}

/// Puts a token where the caller wants it: `FC_TOKEN_SIZE` bytes.
private func put(_ token: ItemToken?, at place: UnsafeMutablePointer<CChar>?) {
    guard let place = unsafe place else { return }
    var end = unsafe place
    for byte in (token?.text ?? "").utf8 {
        unsafe end.pointee = CChar(bitPattern: byte)
        unsafe end += 1
    }
    unsafe end.pointee = 0
}

private func paths(_ path: UnsafePointer<CChar>?) -> [[UInt8]] {
    unsafe path.map { unsafe [Given.bytes($0)] } ?? []
}

@c @implementation
public func fc_token(
    _ path: UnsafePointer<CChar>?, _ options: UInt32, _ token: UnsafeMutablePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe reportingCode(error, paths(path)) { () throws(CallFailure) in
        let place = try unsafe Given.place(path, options)
        do throws(SystemError) {
            let found = try ItemToken.take(
                at: place.bytes, withDigest: options & FC_DIGEST != 0)
            unsafe put(found, at: token)
        } catch {
            throw CallFailure.access(.unexamined(error, item: 0))
        }
    }
}

@c @implementation
public func fc_token_check(
    _ path: UnsafePointer<CChar>?, _ options: UInt32, _ token: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe reportingCode(error, paths(path)) { () throws(CallFailure) in
        guard let seen = try unsafe Given.token(token) else { throw .usage("the token is NULL") }
        let place = try unsafe Given.place(path, options)
        let difference: ItemDifference?
        do throws(SystemError) {
            difference = try seen.difference(fromItemAt: place.bytes)
        } catch {
            throw CallFailure.access(.unexamined(error, item: 0))
        }
        if let difference { throw .differs(difference) }
    }
}

@c @implementation
public func fc_coordinator_set_only_if(
    _ coordinator: OpaquePointer?, _ tokens: UnsafePointer<UnsafePointer<CChar>?>?, _ count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe reportingCode(error) { () throws(CallFailure) in
        guard let coordinator = unsafe CallerCoordinator.object(coordinator) else {
            throw .usage("the coordinator is NULL")
        }
        var conditions: [ItemToken?] = []
        guard unsafe tokens != nil || count == 0 else { throw .usage("the tokens are NULL") }
        if let tokens = unsafe tokens {
            for index in 0..<count {
                unsafe conditions.append(try Given.token(tokens[index]))
            }
        }
        coordinator.conditions.withLock { $0 = conditions }
    }
}

@c @implementation
public func fc_hold_token(
    _ hold: OpaquePointer?, _ index: Int, _ token: UnsafeMutablePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe reportingCode(error) { () throws(CallFailure) in
        let hold = try unsafe CallerHold.with(hold, index)
        do throws(AccessFailure) {
            let found = try hold.access.token(ofItem: index)
            unsafe put(found, at: token)
        } catch {
            throw CallFailure.access(error)
        }
    }
}

@c @implementation
public func fc_hold_replace(
    _ hold: OpaquePointer?, _ index: Int, _ seen: UnsafePointer<CChar>?,
    _ contents: UnsafeRawPointer?, _ length: Int, _ token: UnsafeMutablePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    unsafe reportingCode(error) { () throws(CallFailure) in
        let hold = try unsafe CallerHold.with(hold, index)
        let seen = try unsafe Given.token(seen)
        guard hold.access.isHeld else { throw .usage("this process does not hold it") }
        guard hold.access.isWritten(item: index) else { throw .usage("the item is read") }
        let bytes = unsafe contents.map { contents in
            unsafe Array(UnsafeRawBufferPointer(start: contents, count: length))
        }
        do throws(ReplacingError) {
            let result = try hold.access.replace(item: index, with: bytes, ifSeen: seen)
            unsafe put(result.token, at: token)
        } catch {
            throw CallFailure.replacing(error)
        }
    }
}

extension CallerHold {
    /// The object of a handle, which must have such an item.
    fileprivate static func with(
        _ handle: OpaquePointer?, _ index: Int
    ) throws(CallFailure) -> CallerHold {
        guard let hold = unsafe object(handle), hold.paths.indices.contains(index) else {
            throw .usage("the hold is NULL, or has no such item")
        }
        return hold
    }
}
