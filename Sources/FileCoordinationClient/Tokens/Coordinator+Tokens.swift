// SPDX-License-Identifier: Apache-2.0
//
// The tokens that a program takes itself: of an item that one of its accessors reads, the state at
// the grant; else the state now (Rule 18.16).

import FileCoordinationArbiter
import FileCoordinationSystem

extension Coordinator {
    /// Returns the state of an item.
    ///
    /// Inside a reading accessor of this coordinator, it is the state at the grant, before the
    /// accessor could read anything; otherwise, and inside a writing one, the state now.
    package func token(
        of name: ItemName, withDigest: Bool, in session: Session
    ) throws(AccessFailure) -> ItemToken {
        let place = try session.tokenPlace(of: name)
        do throws(SystemError) {
            // The innermost access to the item decides.
            let own = runningAccesses.lazy.compactMap { $0.item(at: place) }.first
            if let sight = own?.seen {
                return try ItemToken.make(of: sight, at: place.bytes, withDigest: withDigest)
            }
            return try ItemToken.take(at: place.bytes, withDigest: withDigest)
        } catch {
            throw .unexamined(error, item: 0)
        }
    }
}

extension CoordinatedAccess {
    /// The item at a path, of which the written one counts if there are two; nil if there is none.
    fileprivate func item(at path: ItemPath) -> AccessedItem? {
        state.withLock { state in
            let here = state.items.filter { $0.place.path == path }
            return here.first { $0.writing != nil } ?? here.first
        }
    }
}

extension ItemToken {
    /// Returns the present state of an item; needs no server.
    package static func take(
        of name: ItemName, withDigest: Bool = false
    ) throws(AccessFailure) -> ItemToken {
        let path = try path(of: name)
        do throws(SystemError) {
            return try take(at: path, withDigest: withDigest)
        } catch {
            throw .unexamined(error, item: 0)
        }
    }

    /// Returns what differs between the state that was seen and the item now; nil if nothing does.
    package func difference(
        fromItemNamed name: ItemName
    ) throws(AccessFailure) -> ItemDifference? {
        let path = try Self.path(of: name)
        do throws(SystemError) {
            return try difference(fromItemAt: path)
        } catch {
            throw .unexamined(error, item: 0)
        }
    }

    /// A slash at the end makes no difference (Rule 1.9).
    private static func path(of name: ItemName) throws(AccessFailure) -> [UInt8] {
        do throws(PlaceError) {
            return NativePath(try name.path.get()).withoutSlashAtEnd.bytes
        } catch {
            throw .place(error, item: 0)
        }
    }
}

extension Session {
    fileprivate func tokenPlace(of name: ItemName) throws(AccessFailure) -> ItemPath {
        do throws(PlaceError) {
            return try place(of: name).path
        } catch {
            throw .place(error, item: 0)
        }
    }
}
