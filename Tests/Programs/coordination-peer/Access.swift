// SPDX-License-Identifier: Apache-2.0
//
// The calls that wait, as values, and their options by name.

import FileCoordination

/// One call of a coordinator, made ready.
struct Access {
    private let call: (inout NSError?, ([URL]) -> Void) -> Void

    func perform(_ failure: inout NSError?, _ accessor: ([URL]) -> Void) {
        call(&failure, accessor)
    }

    /// `LABEL read PATH [options=NAME,NAME]`.
    static func reading(_ call: PeerCall) throws -> Access {
        let url = url(call.order.operands[0])
        let options = readingOptions(call.order.option("options"))
        let coordinator = call.coordinator
        return Access { failure, accessor in
            coordinator.coordinate(readingItemAt: url, options: options, error: &failure) {
                accessor([$0])
            }
        }
    }

    /// `LABEL write PATH [options=NAME]`.
    static func writing(_ call: PeerCall) throws -> Access {
        let url = url(call.order.operands[0])
        let options = writingOptions(call.order.option("options"))
        let coordinator = call.coordinator
        return Access { failure, accessor in
            coordinator.coordinate(writingItemAt: url, options: options, error: &failure) {
                accessor([$0])
            }
        }
    }

    /// `LABEL readwrite PATH PATH [options=NAME,NAME] [options2=NAME]`.
    static func both(_ call: PeerCall) -> Access {
        let urls = call.order.operands.map { url($0) }
        let first = readingOptions(call.order.option("options"))
        let second = writingOptions(call.order.option("options2"))
        let coordinator = call.coordinator
        return Access { failure, accessor in
            coordinator.coordinate(
                readingItemAt: urls[0], options: first, writingItemAt: urls[1], options: second,
                error: &failure
            ) { accessor([$0, $1]) }
        }
    }

    /// `LABEL writewrite PATH PATH [options=NAME] [options2=NAME]`.
    static func two(_ call: PeerCall) -> Access {
        let urls = call.order.operands.map { url($0) }
        let first = writingOptions(call.order.option("options"))
        let second = writingOptions(call.order.option("options2"))
        let coordinator = call.coordinator
        return Access { failure, accessor in
            coordinator.coordinate(
                writingItemAt: urls[0], options: first, writingItemAt: urls[1], options: second,
                error: &failure
            ) { accessor([$0, $1]) }
        }
    }

    /// `read:PATH[:OPTION]` or `write:PATH[:OPTION]`.
    static func intent(_ text: String) -> NSFileAccessIntent? {
        let parts = text.split(separator: ":").map(String.init)
        guard parts.count > 1 else { return nil }
        let options = parts.count > 2 ? parts[2] : nil
        switch parts[0] {
        case "read":
            return .readingIntent(with: url(parts[1]), options: readingOptions(options))
        case "write":
            return .writingIntent(with: url(parts[1]), options: writingOptions(options))
        default: return nil
        }
    }

    // MARK: Words

    /// A path, or a URL as it is, for places that no path names.
    static func url(_ text: String) -> URL {
        guard !text.hasPrefix("/") else { return URL(fileURLWithPath: text) }
        if text.hasPrefix("relative:") {
            // relative:BASE:NAME
            let parts = text.split(separator: ":").map(String.init)
            let base = URL(fileURLWithPath: parts[1], isDirectory: true)
            return URL(fileURLWithPath: parts[2], relativeTo: base)
        }
        guard text != "file-without-path" else {
            var components = URLComponents()
            components.scheme = "file"
            return components.url ?? URL(fileURLWithPath: "/unexpected")
        }
        return URL(string: text) ?? URL(fileURLWithPath: "/unparsable")
    }

    static func readingOptions(_ text: String?) -> NSFileCoordinator.ReadingOptions {
        var options: NSFileCoordinator.ReadingOptions = []
        for word in (text ?? "").split(separator: ",") {
            switch word {
            case "withoutChanges": options.insert(.withoutChanges)
            case "metadataOnly": options.insert(.immediatelyAvailableMetadataOnly)
            case "resolvesSymbolicLink": options.insert(.resolvesSymbolicLink)
            case "forUploading": options.insert(.forUploading)
            case "includingContents": options.insert(.includingContents)
            case _: preconditionFailure("no reading option \(word)")
            }
        }
        return options
    }

    static func writingOptions(_ text: String?) -> NSFileCoordinator.WritingOptions {
        var options: NSFileCoordinator.WritingOptions = []
        for word in (text ?? "").split(separator: ",") {
            switch word {
            case "forDeleting": options.insert(.forDeleting)
            case "forMoving": options.insert(.forMoving)
            case "forMerging": options.insert(.forMerging)
            case "forReplacing": options.insert(.forReplacing)
            case "metadataOnly": options.insert(.contentIndependentMetadataOnly)
            case "includingContents": options.insert(.includingContents)
            case "resolvesSymbolicLink": options.insert(.resolvesSymbolicLink)
            case _: preconditionFailure("no writing option \(word)")
            }
        }
        return options
    }
}
