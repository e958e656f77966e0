// SPDX-License-Identifier: Apache-2.0
//
// An accessor that does what the test says, line by line, until it is told to go.

import FileCoordination

/// One accessor, while it runs.
struct Accessor {
    let errand: Errand
    let inbox: Inbox<[String]>
    let urls: [URL]

    /// Says "granted" and what the first item holds.
    func run() {
        errand.say("granted \(text(of: urls.first))")
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
        case "show": errand.say("holds \(text(of: urls.last))")
        case "delete": delete(urls.last)
        case "mkdir":
            if let url = urls.last {
                try? FileManager.default.createDirectory(
                    at: url, withIntermediateDirectories: true)
            }
            errand.say("made")
        case "url": errand.say("urls \(urls.map(\.path).joined(separator: " "))")
        // Another call inside this accessor, on this thread: `nest LABEL VERB ...`
        case "nest":
            let order = Order(label: rest[0], verb: rest[1], arguments: Array(rest.dropFirst(2)))
            Errand(order, in: errand.mailroom).start()
        case "fork": return Forking.forkInside(errand, mode: rest[0])
        case "exec": Forking.exec(rest)
        case _: errand.say("cannot \(verb)")
        }
        return true
    }

    private func put(_ text: String, into url: URL?) {
        guard let url else { return }
        let isDone = (try? Data(text.utf8).write(to: url)) != nil
        errand.say(isDone ? "put" : "could not put")
    }

    private func delete(_ url: URL?) {
        guard let url else { return }
        let isDone = (try? FileManager.default.removeItem(at: url)) != nil
        errand.say(isDone ? "deleted" : "could not delete")
    }

    private func text(of url: URL?) -> String {
        guard let url, let data = try? Data(contentsOf: url) else { return "nothing" }
        return String(decoding: data, as: UTF8.self)
    }
}
