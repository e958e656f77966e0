// SPDX-License-Identifier: Apache-2.0
//
// Whether a token sees each change on a file system (Rule 18.16): a file is looked at and changed
// at once, in each way in which programs change files, and the token must be stale; or nothing is
// done, and it must be current. Stores into a mapped file are counted apart: only a digest must see
// them.
//
//     coordination-soak tokens --count 1000000 --directory /mnt/xfs

import FileCoordination
import Glibc

/// The proof `tokens`.
struct TokensProof {
    private let options: Options
    private let directory: String
    private let file: String
    private let other: String
    private var dice: Dice

    init(_ options: Options, _ field: Field) {
        self.options = options
        directory = options.text("directory") ?? field.directory
        file = directory + "/token-f"
        other = directory + "/token-g"
        dice = Dice(options.seed)
    }

    /// A way in which programs change a file, or do not.
    private enum Change: String, CaseIterable {
        case nothing, sameSizeAndTime, grown, truncated, replaced, copiedBack, mode, linked, removed
        case mapped
    }

    mutating func run() throws -> Verdict {
        var verdict = Verdict()
        var tried: [Change: Int] = [:]
        var unseen: [Change: Int] = [:]
        var mappedUnseen = (plain: 0, digest: 0)
        let url = URL(fileURLWithPath: file, isDirectory: false)
        let count = options.number("count", 200_000)
        let began = Kernel.now
        try put("0123456789abcdef", at: file)
        for number in 0..<count {
            // Mapping takes long, and is about something else.
            let change =
                number % 64 == 63
                ? .mapped
                : Change.allCases[Int(dice.next() % UInt64(Change.allCases.count - 1))]
            let token = try NSFileCoordinator.token(of: url)
            let summed =
                change == .mapped ? try NSFileCoordinator.token(of: url, digest: true) : nil
            try apply(change, number)
            tried[change, default: 0] += 1
            let isCurrent = try NSFileCoordinator.isCurrent(token, of: url)
            switch change {
            case .nothing: verdict.demand(isCurrent, "refused, and nothing was done (\(number))")
            case .mapped:
                if isCurrent { mappedUnseen.plain += 1 }
                let isSeen =
                    try summed.map { try !NSFileCoordinator.isCurrent($0, of: url) } ?? true
                if !isSeen { mappedUnseen.digest += 1 }
                verdict.demand(isSeen, "a digest has not seen a store (\(number))")
            case _ where isCurrent:
                unseen[change, default: 0] += 1
                verdict.blame("accepted after \(change) (\(number))")
            case _: break
            }
            if change == .removed { try put("0123456789abcdef", at: file) }
        }
        let seconds = Double(Kernel.now - began) / 1e9
        let ways = tried.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        say(
            "\(directory): \(count) tries in \(Int(seconds)) s (\(ways)); accepted though stale: "
                + "\(unseen.values.reduce(0, +)); stores into a mapped file unseen: "
                + "\(mappedUnseen.plain) by stamps, \(mappedUnseen.digest) by a digest")
        say("refused without another content: after mode and linked, by what a token is")
        unlink(file)
        unlink(other)
        return verdict
    }

    private func put(_ text: String, at path: String, _ flags: Int32 = 0) throws {
        let number = open(path, O_WRONLY | O_CREAT | flags, 0o600)
        guard number >= 0 else { throw SoakError("cannot write \(path): \(errno)") }
        _ = write(number, text, text.utf8.count)
        close(number)
    }

    private func apply(_ change: Change, _ number: Int) throws {
        // Sixteen letters that differ each time.
        let digits = String(number, radix: 16)
        let text = String(repeating: "x", count: 16 - digits.count) + digits
        switch change {
        case .nothing: break
        case .sameSizeAndTime:
            var status = stat()
            stat(file, &status)
            try put(text, at: file)
            var times = [status.st_atim, status.st_mtim]
            utimensat(AT_FDCWD, file, &times, 0)
        case .grown: try put(text, at: file, O_APPEND)
        case .truncated: try put(text, at: file, O_TRUNC)
        case .replaced, .copiedBack:
            try put(text, at: other, O_TRUNC)
            if change == .copiedBack {
                var status = stat()
                stat(file, &status)
                var times = [status.st_atim, status.st_mtim]
                utimensat(AT_FDCWD, other, &times, 0)
            }
            rename(other, file)
        case .mode: chmod(file, number % 2 == 0 ? 0o600 : 0o640)
        case .linked:
            link(file, other)
            unlink(other)
        case .removed: unlink(file)
        case .mapped:
            let descriptor = open(file, O_RDWR)
            defer { close(descriptor) }
            guard
                let memory = mmap(
                    nil, 16, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
                memory != MAP_FAILED
            else { throw SoakError("cannot map \(file): \(errno)") }
            let first = memory.assumingMemoryBound(to: UInt8.self)
            first.pointee = first.pointee &+ 1
            munmap(memory, 16)
        }
    }
}
