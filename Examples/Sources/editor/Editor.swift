// SPDX-License-Identifier: Apache-2.0
//
// A terminal text editor that shares its document with other programs.
//
//     editor FILE        Ctrl-S saves, Ctrl-Q quits
//
// `Document.swift` has all that concerns other programs; this file connects it with the terminal.

import FileCoordination

@main
enum Editor {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first, arguments.count == 1 else {
            fail("usage: editor FILE", status: 64)
        }
        let document = Document(URL(fileURLWithPath: path))
        do {
            try document.open()
            try run(document)
        } catch {
            fail("editor: \(path): \(error.localizedDescription)", status: 1)
        }
        document.close()
    }

    /// Shows the document until the user quits or the terminal is gone.
    private static func run(_ document: Document) throws {
        let terminal = try Terminal()
        defer { terminal.restore() }
        document.whenChanged { terminal.draw(document) }
        let signals = handleSignals(terminal, document)
        defer { signals.forEach { $0.cancel() } }

        var pending: [UInt8] = []
        var wantsToDiscard = false
        terminal.draw(document)
        while let keys = terminal.readKeys(&pending) {
            for key in keys {
                guard case .quit = key else {
                    wantsToDiscard = false
                    press(key, document)
                    continue
                }
                if wantsToDiscard || !document.view.isEdited { return }
                wantsToDiscard = true
                document.show("unsaved: Ctrl-S saves, Ctrl-Q again quits without saving")
            }
            terminal.draw(document)
        }
        document.save()
    }

    private static func press(_ key: Key, _ document: Document) {
        switch key {
        case .save: document.save()
        case .character(let character): document.edit { $0.insert(character) }
        case .enter: document.edit { $0.breakLine() }
        case .backspace: document.edit { $0.deleteBackward() }
        case .left: document.edit { $0.moveLeft() }
        case .right: document.edit { $0.moveRight() }
        case .up: document.edit { $0.moveUp() }
        case .down: document.edit { $0.moveDown() }
        case .quit: break
        }
    }

    /// Draws anew when the window's size changes; saves and leaves when the program is to end.
    private static func handleSignals(
        _ terminal: Terminal, _ document: Document
    ) -> [any DispatchSourceSignal] {
        let queue = DispatchQueue(label: "signals")
        let installed = DispatchGroup()
        // Until a source is installed, its signal is ignored. So nothing is typed before that.
        defer { installed.wait() }
        return [SIGWINCH, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            installed.enter()
            source.setRegistrationHandler { installed.leave() }
            source.setEventHandler {
                guard number != SIGWINCH else { return terminal.draw(document) }
                document.save()
                document.close()
                terminal.restore()
                exit(0)
            }
            source.resume()
            return source
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}
