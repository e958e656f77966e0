// SPDX-License-Identifier: Apache-2.0
//
// An accessor that does what the test says, line by line, until it is told to go.

import FileCoordination
import Glibc

/// One accessor, while it runs.
struct Accessor {
    let call: PeerCall
    let inbox: Inbox<[String]>
    let urls: [URL]

    /// Says "granted" and what the first item holds.
    func run() {
        call.say("granted \(text(of: urls.first))")
        while true {
            let words = inbox.take()
            guard words != ["go"] else { return }
            guard obey(words) else { return }
        }
    }

    /// Does one thing; returns false if the accessor is to return.
    private func obey(_ words: [String]) -> Bool {
        let verb = words[0]
        let rest = Array(words.dropFirst())
        switch verb {
        // In place, so that its time of change is all that tells.
        case "put": put(rest.joined(separator: " "), into: urls.last)
        // In place, and with the old time of modification: what some programs do to hide.
        case "restamp": restamp(rest.joined(separator: " "), urls.last)
        case "show": call.say("holds \(text(of: urls.last))")
        case "delete": delete(urls.last)
        case "mkdir":
            if let url = urls.last {
                try? FileManager.default.createDirectory(
                    at: url, withIntermediateDirectories: true)
            }
            call.say("made")
        // What an accessor does to files besides, by whole paths.
        case "rename":
            let isDone = Glibc.rename(rest[0], rest[1]) == 0
            call.say(isDone ? "renamed" : "could not rename: \(errno)")
        case "copyover":
            do {
                try FileManager.default.copyItem(atPath: rest[0], toPath: rest[1])
                try FileManager.default.removeItem(atPath: rest[0])
                call.say("copied over")
            } catch {
                call.say("could not copy over: \(error)")
            }
        case "didmove": Self.announceMove(call, rest)
        case "willmove":
            call.coordinator.item(
                at: Access.url(rest[0]), willMoveTo: Access.url(rest[1]))
            call.say("announced")
        case "version": Versions.obey(call, rest)
        case "replace":
            attempt(verb) {
                try FileManager.default.replaceItemAt(
                    Access.url(rest[0]), withItemAt: Access.url(rest[1]))
            }
        case "trash":
            attempt(verb) {
                try FileManager.default.trashItem(
                    at: Access.url(rest[0]), resultingItemURL: nil)
            }
        case "url": call.say("urls \(urls.map(\.path).joined(separator: " "))")
        // Another call inside this accessor, on this thread: `nest LABEL VERB ...`
        case "nest":
            let order = Order(label: rest[0], verb: rest[1], arguments: Array(rest.dropFirst(2)))
            PeerCall(order, in: call.callRegistry).start()
        case "fork": return Forking.forkInside(call, mode: rest[0])
        case "exec": Forking.exec(rest)
        case _: call.say("cannot \(verb)")
        }
        return true
    }

    /// `didmove OLD NEW`: tells the coordinator of a move.
    static func announceMove(_ call: PeerCall, _ paths: [String]) {
        call.coordinator.item(at: Access.url(paths[0]), didMoveTo: Access.url(paths[1]))
        call.say("announced")
    }

    /// Says whether something could be done; if not, with the error's domain and code.
    private func attempt(_ what: String, _ body: () throws -> Void) {
        do {
            try body()
            call.say("could \(what)")
        } catch {
            let failure = error as NSError
            call.say("could not \(what) \(failure.domain) \(failure.code)")
        }
    }

    private func put(_ text: String, into url: URL?) {
        guard let url else { return }
        let isDone = (try? Data(text.utf8).write(to: url)) != nil
        call.say(isDone ? "put" : "could not put")
    }

    private func restamp(_ text: String, _ url: URL?) {
        var status = stat()
        guard let path = url?.path, stat(path, &status) == 0 else { return }
        let number = open(path, O_WRONLY)
        defer { close(number) }
        let isWritten = Glibc.write(number, text, text.utf8.count) == text.utf8.count
        let times = [status.st_atim, status.st_mtim]
        call.say(isWritten && futimens(number, times) == 0 ? "restamped" : "could not restamp")
    }

    private func delete(_ url: URL?) {
        guard let url else { return }
        let isDone = (try? FileManager.default.removeItem(at: url)) != nil
        call.say(isDone ? "deleted" : "could not delete")
    }

    private func text(of url: URL?) -> String {
        guard let url, let data = try? Data(contentsOf: url) else { return "nothing" }
        return String(decoding: data, as: UTF8.self)
    }
}
