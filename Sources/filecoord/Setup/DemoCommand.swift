// SPDX-License-Identifier: Apache-2.0
//
// `filecoord demo`: shows newcomers how file coordination works, with the commands that they have
// themselves. A shell runs the script in place of this process.

import ArgumentParser
import FileCoordinationSystem
import Glibc

/// The demonstration.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Watch an editor, a reader and a writer share one document.",
        discussion: """
            Starts three commands in a temporary directory, in which they meet, and shows what \
            each of them says, and when. It takes about a second, touches no files of yours, and \
            exits with 0 only if all went as the rules promise.
            """)

    func run() throws {
        guard let executable = CurrentProcess.executablePath else {
            throw Failure(.inputOutput, "filecoord's own file is gone: install it again")
        }
        let words = CStringList(["sh", "-c", Self.script, "filecoord-demo", executable])
        unsafe execv("/bin/sh", words.pointer)
        throw Failure(errorNumber: errno, doing: "run", path: "/bin/sh")
    }

    /// What the shell runs.
    ///
    /// Each line that one of the processes prints is news. When the shell ends, so do they: their
    /// input ends.
    private static let script = #"""
        place= seen= watchdog=
        clean_up() {
            exec 4>&- 5>&-
            [ -z "$watchdog" ] || kill "$watchdog"
            wait
            [ -z "$place" ] || rm -rf "$place"
        }
        trap clean_up EXIT
        trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 141' PIPE; trap 'exit 143' TERM
        place=$(mktemp -d "${TMPDIR:-/tmp}/filecoord-demo-XXXXXX") && cd "$place" || exit 74
        place=$(pwd -P)
        export FILECOORD="$1" FILECOORDINATION_RUNTIME_DIR="$place/run" FILECOORDINATIOND=
        start=$(date +%s%N)
        say() {
            printf '%5d  %-7s %s\n' $((($(date +%s%N) - start) / 1000000)) "$1" "$2"
        }
        begin() {
            who=$1 input=$2
            shift 2
            say "$who" "\$ filecoord $*"
            (
                exec <"$input" 2>&1 3<&- 4<&- 5<&-
                "$FILECOORD" "$@"
                echo "ends with status $?"
            ) | sed -u -e 's|/.*/filecoord-demo-[^/]*/||' -e 's/^[0-9:.]*  list.txt  //' \
                -e 's/  exists .*//' -e "s/^/$who /" >news 3<&- 4<&- 5<&- &
        }
        cat >save <<'END'
        echo 'saves "milk, eggs"'
        echo milk, eggs | "$FILECOORD" write --purpose "$FILECOORD_PURPOSE" list.txt
        END
        cat >look <<'END'
        echo "reads \"$(cat list.txt)\""
        read -r word
        echo 'is done'
        END
        echo milk >list.txt
        mkfifo news reader editor && exec 3<>news 4<>reader 5<>editor || exit 74
        (
            exec 3<&- 4<&- 5<&-
            trap 'kill "$nap"; exit' TERM
            sleep 30 &
            nap=$!
            wait
            echo 'demo ends with status 1' >news
        ) &
        watchdog=$!
        printf '%5s  %-7s %s\n' ms who what
        begin editor editor present list.txt --on savePresentedItemChanges 'sh save'
        while read -r who what <&3; do
            say "$who" "$what"
            case "$who $what" in
            "editor registered") begin reader reader read list.txt -- sh look ;;
            "reader reads "*)
                seen=$what
                begin writer /dev/null update list.txt -- sed 's/$/, tea/'
                ;;
            "writer "*"has held"*) echo go >&4 ;;
            "editor presentedItemDidChange"* | *"ends with status "[!0]*) break ;;
            esac
        done
        say '' "list.txt holds \"$(cat list.txt)\""
        [ "$seen" = 'reads "milk, eggs"' ] && [ "$(cat list.txt)" = 'milk, eggs, tea' ] && exit
        echo 'this is not what the rules promise: please report it' >&2
        exit 1
        """#
}
