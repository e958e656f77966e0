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
            if let sight = runningAccesses.lazy.compactMap({ $0.sight(of: place) }).first {
                return try ItemToken.make(of: sight, at: place.bytes, withDigest: withDigest)
            }
            return try ItemToken.take(at: place.bytes, withDigest: withDigest)
        } catch {
            throw .unexamined(error, item: 0)
        }
    }
}

extension CoordinatedAccess {
    /// What was at a path when this read was granted; nil if it does not read there.
    fileprivate func sight(of path: ItemPath) -> ItemToken.Sight? {
        state.withLock { state in
            state.items.first { $0.place.path == path && $0.seen != nil }?.seen
        }
    }
}

extension Session {
    /// Returns the present state of an item.
    package func token(
        of name: ItemName, withDigest: Bool = false
    ) throws(AccessFailure) -> ItemToken {
        let place = try tokenPlace(of: name)
        do throws(SystemError) {
            return try ItemToken.take(at: place.bytes, withDigest: withDigest)
        } catch {
            throw .unexamined(error, item: 0)
        }
    }

    /// Returns what differs between an item and what was seen of it; nil if nothing does.
    package func difference(
        from token: ItemToken, ofItemAt name: ItemName
    ) throws(AccessFailure) -> ItemDifference? {
        let place = try tokenPlace(of: name)
        do throws(SystemError) {
            return try token.difference(fromItemAt: place.bytes)
        } catch {
            throw .unexamined(error, item: 0)
        }
    }

    fileprivate func tokenPlace(of name: ItemName) throws(AccessFailure) -> ItemPath {
        do throws(PlaceError) {
            return try place(of: name).path
        } catch {
            throw .place(error, item: 0)
        }
    }
}
