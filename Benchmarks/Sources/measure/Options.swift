// SPDX-License-Identifier: Apache-2.0
//
// The command line. What is not understood is an error before anything is started.

import FileCoordination

/// Something on the command line that cannot be done.
struct UsageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// What to measure, how often, and where to write it.
struct Options {
    private(set) var only: [String] = []
    private(set) var repeats = 9
    private(set) var json: String?
    private(set) var picture: String?
    private(set) var skipsLong = false
    private(set) var isStrict = false
    private(set) var isUrgent = false
    private(set) var lists = false
    private(set) var showsHelp = false
    private(set) var daemon: String?
    private(set) var filecoord: String?

    static let help = """
        Measures coordination beside its peers, and prints a table of ratios.

          Benchmarks/run [OPTION ...]                                           # static builds
          swift run -c release --package-path Benchmarks measure [OPTION ...]   # dynamic ones

          --only NAME,NAME   these rows or groups (--list names them)
          --skip-long        not the rows that take minutes
          --repeats N        instead of 9; fewer are for a look only
          --json FILE        write all samples
          --picture FILE     write the picture of the group "access" (SVG)
          --strict           status 1 if a row is not what it must be
          --urgent           go before other programs (SCHED_RR): for a machine that is not idle
          --daemon FILE      the daemon to measure; else the one beside this program
          --filecoord FILE   the command to measure; else the one beside this program
          --list             name the rows, and measure nothing
          --help             this text

        Peers that are not installed are skipped, and the table says so. Environment variables
        about file coordination are not passed on; PYTHONPATH and PATH are.
        """

    init(_ arguments: inout [String]) throws(UsageError) {
        while !arguments.isEmpty {
            let option = arguments.removeFirst()
            switch option {
            case "--only":
                let names = try Self.value(of: option, in: &arguments)
                only += names.split(separator: ",").map(String.init)
            case "--repeats":
                let text = try Self.value(of: option, in: &arguments)
                guard let number = Int(text), (1...1000).contains(number) else {
                    throw UsageError("--repeats takes a number from 1 to 1000, not \"\(text)\"")
                }
                repeats = number
            case "--json": json = try Self.value(of: option, in: &arguments)
            case "--picture": picture = try Self.value(of: option, in: &arguments)
            case "--daemon": daemon = try Self.program(of: option, in: &arguments)
            case "--filecoord": filecoord = try Self.program(of: option, in: &arguments)
            case "--skip-long": skipsLong = true
            case "--strict": isStrict = true
            case "--urgent": isUrgent = true
            case "--list": lists = true
            case "--help", "-h": showsHelp = true
            default: throw UsageError("unknown option: \(option)")
            }
        }
        try check()
    }

    private func check() throws(UsageError) {
        let known = Set(Catalogue.stages.map(\.name) + Catalogue.rows.map(\.name))
        if let stranger = only.first(where: { !known.contains($0) }) {
            throw UsageError("there is no row or group \"\(stranger)\"; --list names them")
        }
        guard picture == nil || only.isEmpty || only.contains(AccessStage.stage.name) else {
            throw UsageError("--picture shows the group \"access\": add it to --only")
        }
        for file in [json, picture].compactMap({ $0 }) {
            let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
            guard FileManager.default.isWritableFile(atPath: folder) else {
                throw UsageError("\(file) cannot be written: there is no writable \(folder)")
            }
        }
    }

    private static func value(
        of option: String, in arguments: inout [String]
    ) throws(UsageError) -> String {
        guard let value = arguments.first, !value.isEmpty else {
            throw UsageError("\(option) takes a value")
        }
        return arguments.removeFirst()
    }

    private static func program(
        of option: String, in arguments: inout [String]
    ) throws(UsageError) -> String {
        let path = URL(fileURLWithPath: try value(of: option, in: &arguments)).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw UsageError("\(option): \(path) is no program")
        }
        return path
    }

    /// Whether a row is to be measured.
    func wants(_ row: Row, of stage: Stage) -> Bool {
        guard !only.isEmpty else { return !(skipsLong && stage.isLong) }
        return only.contains(row.name) || only.contains(stage.name)
    }
}
