#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the proofs share; each of them sources it. A proof runs in a new directory of its own, which
# goes when it ends, and so does every process that was started there.

not_run() {
    echo "${0##*/}: not run: $1" >&2
    exit 75
}

# stage ROUNDS [ARGUMENT...]: takes the script's arguments, makes the directory and goes there.
# Sets `rounds`, by default ROUNDS, and `python`. The commands `filecoord` and `git` are those that
# a user has, but for the user's own configuration.
stage() {
    rounds="$1"
    shift
    while [ $# -gt 0 ]; do
        case "$1" in
            --rounds) rounds="${2-}" && shift ;;
            -h | --help)
                sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
                exit 0
                ;;
            *) rounds= ;;
        esac
        shift || break
    done
    [[ "$rounds" =~ ^[1-9][0-9]{0,5}$ ]] || {
        echo "usage: ${0##*/} [--rounds N]" >&2
        exit 64
    }

    local filecoord
    filecoord="$(command -v "${FILECOORD:-filecoord}")" ||
        not_run "there is no filecoord; install it, or set FILECOORD to one"
    # Not what stands before it in the PATH, as a script that chooses a version: that is slow.
    python="$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)" ||
        not_run "there is no python3"

    scratch="$(mktemp -d "${TMPDIR:-/tmp}/fc-proof.XXXXXX")"
    trap finish EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    mkdir "$scratch/bin" "$scratch/home"
    mkdir -m 700 "$scratch/run"
    ln -s "$(realpath "$filecoord")" "$scratch/bin/filecoord"
    export PATH="$scratch/bin:$PATH" HOME="$scratch/home" LC_ALL=C
    export FILECOORDINATION_RUNTIME_DIR="$scratch/run"
    unset FILECOORD_CLAIM FILECOORD_PURPOSE XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME
    cd "$scratch"
}

# needs PROGRAM: ends the script if there is no such program.
needs() { command -v "$1" >/dev/null || not_run "there is no $1"; }

# tell WORD...: for those who watch; standard output has the result alone.
tell() { echo "${0##*/}: $*" >&2; }

# verdict FAILURE REPORT PLAIN-FAILURES OF CURED-FAILURES OF: the result, in one line. False if the
# cured side has failed, or if one of the sides did not do anything.
verdict() {
    printf '{"failure":"%s","report":"%s",' "$1" "$2"
    printf '"plain":{"failures":%d,"of":%d},"cured":{"failures":%d,"of":%d}}\n' "${@:3}"
    [ "$4" -gt 0 ] && [ "$6" -gt 0 ] && [ "$5" -eq 0 ]
}

finish() {
    local status=$? environment pid pids=()
    trap '' INT TERM
    pids+=($(jobs -p))
    # Programs that were started here have the name of this place in their environment: no other
    # process has.
    for environment in /proc/[0-9]*/environ; do
        pid="${environment//[!0-9]/}"
        [ "$pid" != "$$" ] && [ "$pid" != "$BASHPID" ] || continue
        if grep -qaF "FILECOORDINATION_RUNTIME_DIR=$scratch/run" "$environment" 2>/dev/null; then
            pids+=("$pid")
        fi
    done
    for pid in "${pids[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
    done
    wait
    cd /
    rm -rf "$scratch" || rm -rf "$scratch"
    # Whatever it was that could not be run.
    case "$status" in 0 | 64 | 75 | 130 | 143) exit "$status" ;; *) exit 1 ;; esac
}
