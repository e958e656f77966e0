// SPDX-License-Identifier: Apache-2.0
//
// Makes a self-contained HTML page of the model of a trace: the data as JSON, and the style and the
// script that show it. The page's content security policy forbids it to load anything.

import FileCoordinationClient
import FileCoordinationWire

/// Makes a page.
struct TracePage {
    private let model: TraceModel

    init(_ model: TraceModel) { self.model = model }

    /// The text of the file.
    var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" \
        content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>File coordination, \(Self.escaped(model.began))</title>
        <!-- SPDX-License-Identifier: Apache-2.0. Made by filecoord report. -->
        <style>
        \(TracePageStyle.text)
        </style>
        </head>
        <body>
        <h1>Who waited for whom</h1>
        <p>\(Self.escaped(summary))</p>
        <p class="note">\(Self.escaped(model.unseen))</p>
        \(Self.skeleton)
        <script id="data" type="application/json">
        \(data)
        </script>
        <script>
        \(TracePageModelScript.text)
        \(TracePageMarkScript.text)
        \(TracePageWaitScript.text)
        \(TracePageGraphScript.text)
        \(TracePageViewScript.text)
        </script>
        </body>
        </html>

        """
    }

    private var summary: String {
        var text =
            "Recorded from \(model.began) for \(DurationText.text(model.end)), by "
            + "\(model.program): \(model.events) events, \(model.claims.count) accesses of "
            + "\(model.processes.count) processes."
        if model.dropped > 0 {
            text += " \(model.dropped) entries are missing: the recorder did not keep up."
        }
        if model.isCut { text += " The trace was cut off: its end is missing." }
        return text
    }

    /// The elements that the script fills.
    private static let skeleton = """
        <div class="tools" role="toolbar" aria-label="Timeline">
        <label>Find <input id="find" type="search" placeholder="process or file"></label>
        <label>Lanes <select id="group"><option value="process">by process</option>\
        <option value="file">by file</option></select></label>
        <button id="in" title="Zoom in (+)">+</button>\
        <button id="out" title="Zoom out (-)">&minus;</button>\
        <button id="all" title="Show all (0)">All</button>
        <button id="help" aria-expanded="false" aria-controls="keys">Keys (?)</button>
        <span class="legend"><i class="waiting"></i>waits <i class="asking"></i>asks \
        <i class="reading"></i>reads <i class="writing"></i>writes <i class="stopped"></i>stopped\
        </span>
        </div>
        <div id="keys" hidden>Left and right move, with Shift by a page; + and - zoom; 0 shows \
        all; up and down choose a lane; n and p choose the next or the previous access of it; w \
        chooses the next of the longest waits; m and M go to the next or the previous mark: a \
        process that was stopped or runs again, a server, a delegation, a gap; / finds; Escape \
        leaves the search.</div>
        <div id="box"><canvas id="lanes" tabindex="0" role="application" \
        aria-label="Timeline; press the question mark for its keys" aria-describedby="about">\
        </canvas><div id="tip" hidden></div></div>
        <div id="about" aria-live="polite">Point at a bar, or press n.</div>
        <h2>Who waits for whom <span id="moment"></span></h2>
        <div id="graph"></div>
        <h2>The longest waits</h2>
        <table id="waits"><thead><tr><th>waited</th><th>at</th><th>who</th><th>for</th>\
        <th>because of</th></tr></thead><tbody></tbody></table>
        """

    /// Text for markup.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML allows these in no form, not even as a reference.
            case "\0"..."\u{08}", "\u{0b}", "\u{0c}", "\u{0e}"..."\u{1f}", "\u{fffe}", "\u{ffff}":
                result += "\\u{\(String(scalar.value, radix: 16))}"
            case _: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    // MARK: Data

    /// The data as JSON in which no "<" can end the script.
    private var data: String {
        let fields: [(name: String, value: JSONValue)] = [
            ("end", .integer(model.end)),
            ("processes", .list(model.processes.map(process))),
            ("paths", .list(model.paths.map { .text($0) })),
            ("claims", .list(model.claims.map(claim))),
            ("presenters", .list(model.presenters.map(presenter))),
            ("questions", .list(model.questions.map(question))),
            ("messages", .list(model.messages.map(message))),
            ("marks", .list(model.marks.map(mark))),
            ("stops", .list(model.stops.map(stop))),
            ("endings", .list(TraceModel.Ending.allCases.map { .text($0.sentence) })),
        ]
        var result: [UInt8] = []
        for byte in JSONValue.object(fields).description.utf8 {
            if byte == UInt8(ascii: "<") {
                result += Array("\\u003c".utf8)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func process(_ process: TraceModel.Process) -> JSONValue {
        .list([.integer(process.processID), .text(process.name), .text(process.label)])
    }

    private func claim(_ claim: TraceModel.Claim) -> JSONValue {
        .list([
            .integer(claim.number), .integer(claim.process), .text(claim.label),
            .integer(claim.ending.rawValue), .integer(claim.isDelegated ? 1 : 0),
            .list(claim.items.flatMap { [.integer($0.path), .integer($0.isWriting ? 1 : 0)] }),
            .list(
                claim.stays.flatMap {
                    [.integer($0.state.rawValue), .integer($0.from), .integer($0.to)]
                }),
            .list(
                claim.waits.map {
                    .list([
                        .integer($0.time), .list($0.claims.map { .integer($0) }),
                        .list($0.presenters.map { .integer($0) }), .integer($0.count),
                    ])
                }),
            .text((claim.items.flatMap(\.options) + claim.outcomes).joined(separator: ", ")),
            .list(claim.cycle.map { .integer($0) }),
        ])
    }

    private func presenter(_ presenter: TraceModel.Presenter) -> JSONValue {
        .list([
            .integer(presenter.process), .text(presenter.label), .integer(presenter.path ?? -1),
            .integer(presenter.from), .integer(presenter.to),
        ])
    }

    private func question(_ question: TraceModel.Question) -> JSONValue {
        .list([
            .integer(question.presenter), .integer(question.claim), .text(question.message),
            .integer(question.from), .integer(question.to),
            .integer(question.isRefusal ? 2 : question.isAnswered ? 1 : 0),
        ])
    }

    private func message(_ message: TraceModel.Message) -> JSONValue {
        .list([
            .integer(message.time), .integer(message.presenter), .text(message.message),
            .integer(message.claim ?? -1), .integer(message.isPlain ? 1 : 0),
        ])
    }

    private func mark(_ mark: TraceModel.Mark) -> JSONValue {
        .list([
            .integer(mark.time), .integer(mark.process ?? -1), .text(mark.text),
            .integer(mark.kind.rawValue), .integer(mark.path ?? -1),
        ])
    }

    private func stop(_ stop: TraceModel.Stop) -> JSONValue {
        .list([.integer(stop.process), .integer(stop.from), .integer(stop.to)])
    }
}

extension TraceModel.Ending {
    /// How a claim ended, as text for the user.
    fileprivate var sentence: String {
        switch self {
        case .none: "not over at the end of the recording"
        case .ended: "done"
        case .cancelled: "given up, or ended by a user"
        case .refused: "refused by a presenter"
        case .inCycle: "failed: a cycle of waits"
        case .died: "its process ended"
        case .unseen: "over when the recorder looked again; its end was not seen"
        case .unreported: "granted; the server is not told of its end"
        }
    }
}
