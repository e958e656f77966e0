// SPDX-License-Identifier: Apache-2.0
//
// Programs that end in ways in which something of them stays for a while: one that writes its
// memory to a file, one whose half-made child shares its memory, and one with files that the kernel
// takes long to close.

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

    /// `LABEL watch DIRECTORY COUNT`: opens so many inotify instances, and says how many it got.
    ///
    /// The kernel takes some 15 ms to close each of them.
    static func watch(_ call: PeerCall) {
        let wanted = Int(call.order.arguments[1]) ?? 0
        let watches = (0..<wanted).map { _ in inotify_init1(Int32(IN_CLOEXEC)) }
            .filter { $0 >= 0 && inotify_add_watch($0, call.order.operands[0], 0x100) >= 0 }
        call.say("watches \(watches.count)")
    }

    /// `LABEL endfirst` signals this, if the program was started with PEER_FIRST_THREAD=waits: its
    /// first thread ends, and the others go on.
    static let firstThread = DispatchSemaphore(value: 0)

    static func awaitEndOfFirstThread() -> Never {
        firstThread.wait()
        pthread_exit(nil)
    }

    /// `LABEL lockall`: all memory that it gets from now on is to stay in memory.
    static func lockMemory(_ call: PeerCall) {
        call.say("lockall \(mlockall(Int32(MCL_FUTURE)))")
    }
}
