// SPDX-License-Identifier: Apache-2.0
//
// From a notice to the presenter's method for it. News of versions come as names; the object that
// the presenter gets is made here, on its queue, from what the store has by then.

#if !canImport(Darwin)
import FileCoordinationVersions
import Foundation

extension NSFilePresenter {
    /// Calls the method that goes with a notice; false if there is nothing to call it with.
    func hear(_ notice: PresenterNotice, versions: VersionStore) -> Bool {
        switch notice {
        case .itemDidChange:
            presentedItemDidChange()
        case .itemDidMove(let url):
            presentedItemDidMove(to: url)
        case .itemDidChangeUbiquityAttributes(let attributes):
            presentedItemDidChangeUbiquityAttributes(attributes)
        case .subitemDidAppear(let url):
            presentedSubitemDidAppear(at: url)
        case .subitemDidChange(let url):
            presentedSubitemDidChange(at: url)
        case .subitemDidMove(let old, let new):
            presentedSubitem(at: old, didMoveTo: new)
        case .itemVersion(let news, let url):
            guard let version = news.version(ofItemAt: url, in: versions) else { return false }
            switch news.kind {
            case .gained: presentedItemDidGain(version)
            case .lost: presentedItemDidLose(version)
            case .conflictResolved: presentedItemDidResolveConflict(version)
            }
        case .subitemVersion(let news, let url):
            guard let version = news.version(ofItemAt: url, in: versions) else { return false }
            switch news.kind {
            case .gained: presentedSubitem(at: url, didGain: version)
            case .lost: presentedSubitem(at: url, didLose: version)
            case .conflictResolved: presentedSubitem(at: url, didResolve: version)
            }
        }
        return true
    }
}

extension VersionMessage {
    /// The version that the news are about, also one that is gone by now; nil if they name none.
    fileprivate func version(ofItemAt url: URL, in store: VersionStore) -> NSFileVersion? {
        NSFileVersion.version(ofItemAt: url, identifier: persistentIdentifier, in: store)
    }
}
#endif
