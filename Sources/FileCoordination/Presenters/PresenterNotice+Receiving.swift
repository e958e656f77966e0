// SPDX-License-Identifier: Apache-2.0
//
// Calls the presenter's method for a notice, on the presenter's queue. A notice about a version
// contains only the identifier; the version object is created here from the present contents of the
// store.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationVersions
import Foundation

extension NSFilePresenter {
    /// Calls the method for a notice.
    ///
    /// Returns false if its arguments cannot be created.
    func receive(
        _ notice: PresenterNotice, versions: VersionStore, makeURL: (ItemPath) -> URL
    ) -> Bool {
        switch notice {
        case .itemDidChange:
            presentedItemDidChange()
        case .itemDidMove(let place):
            presentedItemDidMove(to: makeURL(place))
        case .itemDidChangeUbiquityAttributes(let names):
            presentedItemDidChangeUbiquityAttributes(Set(names.map { URLResourceKey($0) }))
        case .subitemDidAppear(let place):
            presentedSubitemDidAppear(at: makeURL(place))
        case .subitemDidChange(let place):
            presentedSubitemDidChange(at: makeURL(place))
        case .subitemDidMove(let old, let new):
            presentedSubitem(at: makeURL(old), didMoveTo: makeURL(new))
        case .itemVersion(let news, let place):
            let url = makeURL(place)
            guard let version = news.version(ofItemAt: url, in: versions) else { return false }
            switch news.fate {
            case .gained: presentedItemDidGain(version)
            case .lost: presentedItemDidLose(version)
            case .resolved: presentedItemDidResolveConflict(version)
            }
        case .subitemVersion(let news, let place):
            let url = makeURL(place)
            guard let version = news.version(ofItemAt: url, in: versions) else { return false }
            switch news.fate {
            case .gained: presentedSubitem(at: url, didGain: version)
            case .lost: presentedSubitem(at: url, didLose: version)
            case .resolved: presentedSubitem(at: url, didResolve: version)
            }
        case .plain(let notice), .by(_, let notice):
            return receive(notice, versions: versions, makeURL: makeURL)
        }
        return true
    }
}

extension VersionNews {
    /// Returns the version that the notice is about, even if it was removed; nil if the identifier
    /// is invalid.
    fileprivate func version(ofItemAt url: URL, in store: VersionStore) -> NSFileVersion? {
        NSFileVersion.version(
            ofItemAt: url, identifier: String(decoding: identifier, as: UTF8.self), in: store)
    }
}
#endif
