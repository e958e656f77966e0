// SPDX-License-Identifier: Apache-2.0
//
// Narrowed access control lists, compared with the kernel's rules: for none of a thousand lists may
// a process have more access afterwards than before.

import FileCoordinationSystem
import Testing

@Suite struct AccessControlListTests {
    private typealias Entry = AccessControlList.Entry

    /// A process, as an access control list sees it; the owner is not one of them.
    private struct Process {
        var user: UInt32
        var groups: Set<UInt32>
    }

    private let oldGroup: UInt32 = 10
    private let newGroup: UInt32 = 11
    private let namedUsers: [UInt32] = [1, 2]
    private let namedGroups: [UInt32] = [12, 13]

    private var processes: [Process] {
        [UInt32(1), 2, 3].flatMap { user in
            (0..<16).map { (bits: Int) in
                let groups = [oldGroup, newGroup] + namedGroups
                return Process(
                    user: user,
                    groups: Set((0..<4).filter { bits & 1 << $0 != 0 }.map { groups[$0] }))
            }
        }
    }

    /// Whether `process` may do all of `wanted` with a file of `list` that belongs to `group`: the
    /// algorithm of acl(5).
    private func allows(
        _ list: AccessControlList, _ process: Process, _ wanted: UInt16, group: UInt32
    ) -> Bool {
        let mask = list.entries.first { $0.tag == .mask }?.rights ?? 7
        func gives(_ entry: Entry) -> Bool { entry.rights & mask & wanted == wanted }
        if let own = list.entries.first(where: { $0.tag == .user && $0.id == process.user }) {
            return gives(own)
        }
        let matching = list.entries.filter { entry in
            entry.tag == .group && process.groups.contains(group)
                || entry.tag == .namedGroup && process.groups.contains(entry.id)
        }
        guard matching.isEmpty else { return matching.contains(where: gives) }
        return list.entries.contains { $0.tag == .other && $0.rights & wanted == wanted }
    }

    private func makeLists() -> [AccessControlList] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func rights() -> UInt16 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt16(state >> 40 & 7)
        }
        return (0..<1000).map { number in
            var entries = [Entry(.owner, rights())]
            for (index, user) in namedUsers.enumerated() where number & 1 << index != 0 {
                entries.append(Entry(.user, rights(), id: user))
            }
            entries.append(Entry(.group, rights()))
            for (index, group) in namedGroups.enumerated() where number & 4 << index != 0 {
                entries.append(Entry(.namedGroup, rights(), id: group))
            }
            if entries.count > 2 { entries.append(Entry(.mask, rights())) }
            return AccessControlList(entries + [Entry(.other, rights())])
        }
    }

    private func expectNoGain(
        _ before: AccessControlList, _ after: AccessControlList, group: UInt32
    ) {
        for process in processes {
            for wanted in UInt16(1)...7
            where allows(after, process, wanted, group: group)
                && !allows(before, process, wanted, group: oldGroup)
            {
                Issue.record("\(process) gained \(wanted): \(before) became \(after)")
            }
        }
    }

    @Test func `Another group gives no user a new right`() {
        for list in makeLists() { expectNoGain(list, list.forAnotherGroup, group: newGroup) }
    }

    @Test func `The loss of named users and groups gives no user a new right`() {
        for list in makeLists() {
            expectNoGain(list, list.withoutNames, group: oldGroup)
            expectNoGain(list, list.forAnotherGroup.withoutNames, group: newGroup)
        }
    }

    /// A copy of the mode's bits would give the group the rights of the mask.
    @Test func `The model notices what is widened`() {
        let list = AccessControlList([
            Entry(.owner, 6), Entry(.user, 6, id: 1), Entry(.group, 0), Entry(.mask, 6),
            Entry(.other, 0),
        ])
        let member = Process(user: 3, groups: [oldGroup])
        #expect(!allows(list, member, 6, group: oldGroup))
        #expect(allows(AccessControlList(mode: list.mode), member, 6, group: oldGroup))
        #expect(list.withoutNames.mode == 0o600)
    }

    @Test func `A mode whose group is lost gives the new group what others had`() {
        let modes: [(UInt32, UInt32)] = [
            (0o640, 0o600), (0o664, 0o644), (0o666, 0o666), (0o604, 0o600), (0o770, 0o700),
        ]
        for (before, after) in modes {
            #expect(AccessControlList(mode: before).forAnotherGroup.mode == after)
        }
    }

    @Test func `A list is read as it was written, and nothing else is a list`() {
        for list in makeLists() {
            #expect(AccessControlList(attribute: list.attributeValue) == list)
        }
        let value = AccessControlList(mode: 0o644).attributeValue
        #expect(AccessControlList(attribute: Array(value.dropLast())) == nil)
        #expect(AccessControlList(attribute: []) == nil)
        #expect(AccessControlList(attribute: [3] + value.dropFirst()) == nil)
        #expect(AccessControlList(attribute: Array(value[..<4])) == nil)
    }
}
