// SPDX-License-Identifier: Apache-2.0
//
// Handles what accessors announce while they run, and notifies presenters (sections 10 and 11).

extension Arbiter {
    /// Handles an announcement of a running accessor.
    ///
    /// Announcements without a granted claim are ignored (Rule 11.10).
    mutating func receive(
        _ announcement: Announcement, from id: ClaimID, _ reevaluations: inout ReevaluationQueue
    ) {
        guard let speaker = records[id], speaker.grant != nil else { return }
        switch announcement {
        case .moved(let moves): follow(moves, by: speaker, &reevaluations)
        case .versionChanged(let path, let news): tellOfVersion(news, of: path, &reevaluations)
        case .ubiquityAttributesChanged(let path, let attributes):
            tellOfAttributes(attributes, of: path, speaker.claim, &reevaluations)
        }
    }

    /// Notifies every presenter of the item and of the directories that contain it (Rule 10.1),
    /// including those of the announcer's own purpose (Rule 10.3).
    private func tellOfVersion(
        _ news: VersionNews, of path: ItemPath, _ reevaluations: inout ReevaluationQueue
    ) {
        var noticeBuffer = NoticeBuffer()
        for id in tree.presenters(at: path) {
            guard let presenter = registry[id]?.registration else { continue }
            noticeBuffer.send(.itemVersion(path, news), to: presenter, if: news.fate.itemMethod)
        }
        for (_, presenters) in tree.presenters(containing: path) {
            for id in presenters {
                guard let presenter = registry[id]?.registration else { continue }
                noticeBuffer.send(
                    .subitemVersion(path, news), to: presenter, if: news.fate.subitemMethod)
            }
        }
        for notice in noticeBuffer.effects { reevaluations.emit(notice) }
    }

    /// Notifies the presenters of the item (Rules 10.4, 10.6), except for those of the announcer's
    /// purpose.
    ///
    /// The process of each presenter filters the attributes that the presenter observes.
    private func tellOfAttributes(
        _ attributes: [[UInt8]], of path: ItemPath, _ speaker: FiledClaim,
        _ reevaluations: inout ReevaluationQueue
    ) {
        guard !attributes.isEmpty else { return }
        var noticeBuffer = NoticeBuffer()
        for id in tree.presenters(at: path) {
            guard let presenter = recipient(id, of: speaker) else { continue }
            noticeBuffer.send(
                .ubiquityAttributes(attributes), to: presenter,
                if: .itemDidChangeUbiquityAttributes)
        }
        for notice in noticeBuffer.effects { reevaluations.emit(notice) }
    }
}

extension VersionFate {
    /// The method that a presenter of the item must implement to be notified.
    fileprivate var itemMethod: PresenterMethods {
        switch self {
        case .gained: .itemDidGainVersion
        case .lost: .itemDidLoseVersion
        case .resolved: .itemDidResolveConflict
        }
    }

    /// The method that a presenter of a containing directory must implement to be notified.
    fileprivate var subitemMethod: PresenterMethods {
        switch self {
        case .gained: .subitemDidGainVersion
        case .lost: .subitemDidLoseVersion
        case .resolved: .subitemDidResolveVersion
        }
    }
}
