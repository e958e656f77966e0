// SPDX-License-Identifier: Apache-2.0
//
// A machine of its own, as far as programs see it: its /dev/shm, /run, /tmp and abstract sockets
// are in private namespaces, so logins, logouts, services and containers can be played in it.

import Foundation
import XCTest

/// Namespaces that a test's programs share, held open by a shell in which commands can be run.
final class Machine {
    private let stage: Stage
    private let shell: Program

    /// A directory of the machine that all of its programs see.
    static let home = "/mnt"

    /// Mounts the programs again if a mount over a directory hides them.
    private static let showPrograms = """
        { [ -e "$PROGRAMS/coordination-peer" ] ||
        { mkdir -p "$PROGRAMS" && mount --bind /mnt/programs "$PROGRAMS"; }; }
        """

    private static let setUp = """
        mount -t tmpfs -o mode=1777 machine /mnt && mkdir /mnt/programs || exit
        mount --bind "$PROGRAMS" /mnt/programs || exit
        for at in /dev/shm /run /tmp; do mount -t tmpfs -o mode=1777 machine $at || exit; done
        \(showPrograms)
        mount --make-rshared / && mkdir /run/user && echo ready
        while read -r line; do eval "$line"; echo "status $?"; done
        """

    init(_ stage: Stage) throws {
        try Namespaces.skipUnlessPermitted()
        self.stage = stage
        shell = try stage.start(
            "machine",
            [
                "/usr/bin/unshare", "--mount", "--net", "--propagation", "private", "/bin/sh", "-c",
                Self.setUp,
            ], environment: ["PROGRAMS": Products.directory])
        try shell.expect("ready")
        meet(in: "/dev/shm/filecoordination-0")
    }

    /// Sets the directory in which the arbiter is asked from now on.
    func meet(in path: String) { stage.meeting = "/proc/\(shell.pid)/root\(path)" }

    /// Runs a command in the machine.
    func run(_ command: String, line: UInt = #line) throws {
        shell.tell(command)
        let answer = try shell.expect("status")
        guard answer == "status 0" else {
            throw StageError("line \(line): \(command): \(shell.lines)")
        }
    }

    /// Logs in: makes the user's directory, and mounts a file system there.
    func logIn() throws {
        try run("mkdir -m 700 /run/user/0 && mount -t tmpfs -o mode=700 login /run/user/0")
    }

    /// Ends the last login: removes the user's directory.
    func endLogin() throws {
        // A server may make its directory again meanwhile, also below the mount.
        try run("rm -rf /run/user/0/*; umount -l /run/user/0; until rm -rf /run/user/0; do :; done")
    }

    /// Logs out, which also removes what the user has in /dev/shm, like `RemoveIPC`.
    func logOut() throws {
        try run("rm -rf /dev/shm/filecoordination-0")
        try endLogin()
    }

    /// The path by which this test's process finds what a path in the machine leads to.
    func outerPath(_ path: String) -> String { "/proc/\(shell.pid)/root\(path)" }

    /// Whether there is something at a path.
    func has(_ path: String) -> Bool {
        var status = stat()
        return lstat("/proc/\(shell.pid)/root\(path)", &status) == 0
    }

    /// What to start a program through, so that it is in the machine.
    var wrapper: [String] { ["/usr/bin/nsenter", "-t", "\(shell.pid)", "--mount", "--net", "--"] }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - name: its name in what the tests say.
    ///   - isLoggedIn: whether its environment is that of a login.
    ///   - preparation: commands that change mounts for this program alone, as for a service with a
    ///     private /tmp.
    ///   - environment: variables that it gets beside those of the machine.
    ///   - inner: a command and its arguments, through which the program is started.
    /// - Returns: the program, which is ready.
    /// - Throws: an error if it cannot be started.
    func peer(
        _ name: String, isLoggedIn: Bool = false, preparation: String? = nil,
        environment: [String: String] = [:], through inner: [String] = []
    ) throws -> Program {
        var changes = [
            "FILECOORDINATION_RUNTIME_DIR": "", "HOME": Self.home, "PROGRAMS": Products.directory,
        ]
        if isLoggedIn { changes["XDG_RUNTIME_DIR"] = "/run/user/0" }
        var through = wrapper
        if let preparation {
            through += [
                "/usr/bin/unshare", "--mount", "--propagation", "slave", "/bin/sh", "-c",
                "\(preparation) && \(Self.showPrograms) && exec \"$0\" \"$@\"",
            ]
        }
        return try stage.peer(
            name, environment: changes.merging(environment) { $1 }, through: through + inner)
    }
}
