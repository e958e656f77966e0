// SPDX-License-Identifier: Apache-2.0
//
// What an accessor does to versions of its item.

import FileCoordination

/// Changes of versions.
enum Versions {
    /// `version add|conflict PATH`, `version restore|resolve|removeall PATH`, `version list PATH`.
    static func obey(_ call: PeerCall, _ words: [String]) {
        let url = Access.url(words[1])
        do {
            switch words[0] {
            case "add":
                let version = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
                call.say("added \(version.persistentIdentifier)")
            case "conflict":
                let version = try NSFileVersion.addConflictOfItem(at: url, withContentsOf: url)
                call.say("conflicting \(version.persistentIdentifier)")
            case "restore":
                let version = NSFileVersion.otherVersionsOfItem(at: url)?.first
                guard let version else { return call.say("has no version") }
                try version.replaceItem(at: url)
                call.say("restored")
            case "resolve":
                for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
                    version.isResolved = true
                }
                call.say("resolved")
            case "removeall":
                try NSFileVersion.removeOtherVersionsOfItem(at: url)
                call.say("removed")
            case "list":
                call.say("has \(NSFileVersion.otherVersionsOfItem(at: url)?.count ?? -1)")
            case let word: call.say("cannot \(word)")
            }
        } catch {
            call.say("failed \(error)")
        }
    }
}
