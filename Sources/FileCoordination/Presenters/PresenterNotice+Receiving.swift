// SPDX-License-Identifier: Apache-2.0
//
// From a notice to the presenter's method for it. News of versions come as names; the object that
// the presenter gets is made here, on its queue, from what the store has by then.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationVersions
import Foundation

extension NSFilePresenter {
    /// Calls the method that goes with a notice; false if there is nothing to call it with.
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
        case .plain(let notice): return receive(notice, versions: versions, makeURL: makeURL)
        }
        return true
    }
}

extension VersionNews {
    /// The version that the news are about, also one that is gone by now; nil if they name none.
    fileprivate func version(ofItemAt url: URL, in store: VersionStore) -> NSFileVersion? {
        NSFileVersion.version(
            ofItemAt: url, identifier: String(decoding: identifier, as: UTF8.self), in: store)
    }
}
#endif
