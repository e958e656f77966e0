// SPDX-License-Identifier: Apache-2.0
//
// Programs that end in ways in which something of them stays for a while: one that writes its
// memory to a file, and one whose half-made child shares its memory.

import FileCoordination

enum Ends {
    /// `LABEL crash DIRECTORY`: dumps core there, which takes as long as its disk does.
    static func crash(_ call: PeerCall) {
        var limits = rlimit(rlim_cur: .max, rlim_max: .max)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limits)
        chdir(call.order.operands[0])
        call.say("crashes")
        abort()
    }

    /// `LABEL ghost FIFO`: starts a child that hangs before its exec, because its input is a pipe.
    ///
    /// Until a process writes to that pipe, the child shares this program's memory.
    static func ghost(_ call: PeerCall) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, 0, call.order.operands[0], O_RDONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
        var child: pid_t = 0
        let status = posix_spawn(&child, "/bin/true", &actions, nil, &words, environ)
        call.say("ghost \(status)")
    }

    /// `LABEL lockall`: all memory that it gets from now on is to stay in memory.
    static func lockMemory(_ call: PeerCall) {
        call.say("lockall \(mlockall(Int32(MCL_FUTURE)))")
    }
}
