#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a new user does with filecoord, one scenario after the other, each in a directory of its own.
# The program is $FILECOORD. A scenario is a function whose commands must all succeed; the line
# before it says in words what it shows. Prints "ok NAME" or "FAILED NAME" with what was said.

fc=$FILECOORD
top=$PWD
failures=0

# ---- what scenarios use

# The two are the same.
same() { [ "$1" = "$2" ] || { printf 'got <%s>, wanted <%s>\n' "$1" "$2"; return 1; }; }
# The command ends with that status; what it says on standard error is in the file "said".
ends() { wanted=$1; shift; "$@" 2>said; same "$?" "$wanted" || { cat said; return 1; }; }
# That was said.
said() { grep -q -- "$1" said || { echo "not said: $1; but:"; cat said; return 1; }; }
# Waits until the file is there and not empty.
appears() {
    tries=0
    until [ -s "$1" ]; do
        tries=$((tries + 1)); [ $tries -lt 6000 ] || { echo "no $1"; return 1; }
        sleep 0.01
    done
}
# Starts a command that holds "$@" for writing until the file "go" is there.
hold() {
    rm -f go held
    "$fc" write "$@" -- sh -c 'echo held >held; until [ -e go ]; do sleep 0.01; done' &
    holder=$!
    appears held
}
release() { touch go; wait "$holder"; }

# ---- reading and writing

reads_what_was_written() { echo milk | "$fc" write list && same "$("$fc" read list)" milk; }
appends_by_update() {
    for item in milk bread; do
        "$fc" update list -- sh -c 'cat; echo "$1"' sh "$item" || return
    done
    same "$(cat list)" "milk
bread"
}
sorts_in_place() {
    printf '3\n1\n2\n' >list && "$fc" update list -- sort && same "$(tr '\n' ' ' <list)" "1 2 3 "
}
twenty_updates_at_once() {
    i=0
    while [ $i -lt 20 ]; do
        i=$((i + 1)); "$fc" update n -- sh -c 'cat; echo x' &
    done
    wait; same "$(grep -c x n)" 20
}
failed_filter_changes_nothing() {
    echo old >f && ends 7 "$fc" update f -- sh -c 'echo new; exit 7' && same "$(cat f)" old
}
dying_producer_is_noticed() {
    echo old >f && printf abc | ends 74 "$fc" write --expect-bytes 9 f && same "$(cat f)" old
}
several_files_are_one_claim() {
    touch a b && "$fc" read a b -- "$fc" status --json >status &&
        same "$(grep -o '"state":"granted"' status | wc -l | tr -d ' ')" 1 &&
        same "$(grep -o '"access":"reading"' status | wc -l | tr -d ' ')" 2
}
several_files_in_order() { echo 1 >a; echo 2 >b; same "$("$fc" read b a | tr -d '\n')" 21; }
reads_a_pseudo_file() { same "$("$fc" read /proc/version)" "$(cat /proc/version)"; }

# ---- quoting

name_with_spaces_and_quotes() {
    n="it's \"my\" file; \$(touch pwned)"
    echo x | "$fc" write "$n" && same "$("$fc" read "$n" -- sh -c 'cat "$FILECOORD_PATH_1"')" x &&
        [ ! -e pwned ]
}
name_that_begins_with_a_dash() {
    echo x >-n && same "$("$fc" read -- -n)" x &&
        "$fc" write -- -n -- sh -c 'echo y >"$FILECOORD_PATH_1"' && same "$(cat ./-n)" y
}
dashes_end_options_everywhere() {
    mkdir d && echo 1 >-n && echo 2 >-f || return
    "$fc" mv -n -- -n -v && [ -e ./-v ] && "$fc" mv -- -v d && same "$(ls d)" -v &&
        "$fc" rm -- -f && [ ! -e ./-f ] && echo x >-q && "$fc" update -- -q -- cat &&
        same "$("$fc" hold --read=-q </dev/null)" granted && "$fc" status -- -q >status &&
        "$fc" explain -- -q >explained && grep -q -- /-q explained &&
        "$fc" versions list -- -q && : | "$fc" present -- -q | grep -q -- /-q
}
braces_of_others_stay() {
    same "$("$fc" read a -- echo 'x{}' '.a // {}' '{ }')" "x{} .a // {} { }"
}
find_exec_removes_what_find_found() {
    mkdir P && touch P/a.tmp P/b && "$fc" write -q P -- find P -name '*.tmp' -exec rm {} \; &&
        same "$(ls P)" b
}
awk_program_in_braces() {
    echo '1 2' >f && same "$("$fc" read f -- awk '{print $2}' f)" 2
}
own_mark() { same "$("$fc" read --replace %% a -- echo %% {})" "$PWD/a {}"; }
two_files_by_number() {
    echo 1 >a; echo 1 >b; "$fc" read a b -- cmp {1} {2} && ends 64 "$fc" read a b -- cmp {1} {3}
}

# ---- names

name_that_is_not_text() {
    n=$(printf 'a\377'); echo x | "$fc" write "$n" && same "$("$fc" read "$n")" x &&
        "$fc" rm "$n" && same "$(ls | grep -c '^a')" 0
}
name_with_a_newline() {
    n=$(printf 'a\nb'); ends 66 "$fc" read "$n" && said 'a\\nb' &&
        same "$(wc -l <said | tr -d ' ')" 1
}
name_with_a_colon() {
    echo x >a:b && same "$("$fc" access --read a:b -- cat {})" x &&
        ends 64 "$fc" access --write a:forMovng -- true && said forMoving
}

# ---- waiting

busy_file_at_once() {
    hold f && ends 75 "$fc" read -n f && said "has held" && release
}
busy_file_quietly() {
    hold f && ends 75 "$fc" read -nq f && same "$(cat said)" "" &&
        ends 9 "$fc" read -q -E 9 -w 0.05 f && release
}
every_command_can_be_quiet() {
    echo 1 >f && hold f || return
    for try in "read -n -q f" "write -n -q f -- true" "update -n -q f -- cat" \
        "access -n -q --write f -- true" "hold -n -q --write f" "rm --nonblock -q f" \
        "mv --nonblock -q f g"; do
        ends 75 "$fc" $try </dev/null && same "$(cat said)" "" || { echo "$try"; return 1; }
    done
    for try in "read -q -w 0.01 f" "rm -q -w 0.01 f" "mv -q -w 0.01 f g"; do
        ends 75 "$fc" $try </dev/null && same "$(cat said)" "" || { echo "$try"; return 1; }
    done
    release
}
a_wait_is_mentioned_after_a_second() {
    echo 1 >f && hold f || return
    from=$(date +%s%N); "$fc" read f >out 2>waits & reader=$!
    appears waits; seconds=$((($(date +%s%N) - from) / 1000000000))
    release && wait $reader && [ $seconds -ge 1 ] && grep -q "waiting" waits || {
        echo "after $seconds s: $(cat waits)"; return 1
    }
}
waits_for_its_turn() {
    hold f || return
    "$fc" update f -- echo after & update=$!
    tries=0
    until "$fc" status f | grep -q ' waits '; do
        tries=$((tries + 1)); [ $tries -lt 6000 ] || { echo "it does not wait"; return 1; }
        sleep 0.01
    done
    same "$(cat f 2>/dev/null)" "" && release && wait $update && same "$(cat f)" after
}
cron_has_no_environment() {
    echo x >f && same "$(env -i FILECOORDINATION_RUNTIME_DIR="$FILECOORDINATION_RUNTIME_DIR" \
        PATH=/usr/bin:/bin "$fc" read f </dev/null)" x
}
output_is_closed() {
    seq 100000 >f && { "$fc" read f; echo $? >end; } | head -n 1 >first
    same "$(cat first)" 1 && appears end && [ "$(cat end)" -ne 0 ]
}

# ---- signals

interrupt_reaches_the_command() {
    "$fc" write f -- sh -c '
        trap "echo int >got; exit 5" USR1; echo up >up; while :; do sleep 0.01; done' &
    pid=$!; appears up && kill -USR1 $pid; wait $pid; same "$?" 5 && same "$(cat got)" int
}
killed_program_frees_the_file() {
    hold f && kill -9 "$holder"; wait "$holder" 2>/dev/null; echo x | "$fc" write -w 60 f
}

# ---- moving and removing

moves_several() {
    touch a b && mkdir d && same "$("$fc" mv -v a b d | wc -l | tr -d ' ')" 2 &&
        [ -e d/a ] && [ -e d/b ]
}
keeps_what_is_there() { echo 1 >a; echo 2 >b; "$fc" mv -n a b && same "$(cat b)" 2; }
asks_first() {
    echo 1 >a; echo 2 >b; echo n | "$fc" mv -i a b 2>said && same "$(cat b)" 2 &&
        echo y | "$fc" rm -i b 2>said && [ ! -e b ]
}
removes_without_complaint() {
    ends 0 "$fc" rm -f missing && ends 66 "$fc" rm missing && said missing
}
directory_says_what_is_not_covered() {
    mkdir d && ends 0 "$fc" read d -- true && said "use --recursive to cover what is inside" &&
        ends 66 "$fc" rm d && said -r && "$fc" rm -r d
}

# ---- attributes and links

mode_is_kept() { echo 1 >f && chmod 640 f && echo 2 | "$fc" write f && same "$(stat -c %a f)" 640; }
hard_links_are_not_broken() {
    echo 1 >a && ln a b && echo 2 >in && ends 66 "$fc" write a <in && said --in-place &&
        "$fc" write --in-place a <in && same "$(cat b)" 2
}
symbolic_link_is_followed() {
    echo 1 >a && ln -s a l && echo 2 >in && "$fc" write l <in && same "$(cat a)" 2 &&
        "$fc" update l -- echo 3 && same "$(cat a)" 3 && [ -L l ]
}

# ---- directories, labels, commands in commands, scripts that hold

recursive_claim_covers_what_is_inside() {
    mkdir d && echo 1 >d/f || return
    hold --recursive d
    ends 75 "$fc" read -n d/f && said "has held" && release && same "$("$fc" read d/f)" 1
}
label_is_what_others_see() {
    hold --label "nightly backup" f
    ends 75 "$fc" read -n f && said "nightly backup (pid" &&
        "$fc" status | grep -q "nightly backup" && release
}
command_in_a_command_is_not_stuck() {
    echo x >f && ends 70 "$fc" write f -- "$fc" read f && said "would never be granted" &&
        same "$("$fc" write f -- sh -c '"$0" read --purpose "$FILECOORD_PURPOSE" f' "$fc")" x
}
script_holds_access() {
    echo 1 >f && mkfifo in
    "$fc" hold --write f <in >granted & holder=$!
    exec 3>in; appears granted && same "$(cat granted)" granted &&
        ends 75 "$fc" read -n f && said "has held"; result=$?
    exec 3>&-; wait "$holder" && same "$("$fc" read f)" 1 && return $result
}

# ---- presenting

viewer_is_told_of_a_deletion() {
    echo 1 >f && mkfifo pipe
    "$fc" present --json f <pipe >lines & presenter=$!
    exec 3>pipe; appears lines
    "$fc" rm f; tries=0
    until grep -q '"exists":false' lines; do
        tries=$((tries + 1)); [ $tries -lt 6000 ] || { cat lines; break; }
        sleep 0.01
    done
    exec 3>&-; wait $presenter; grep -q '"exists":false' lines
}
version_and_help() {
    "$fc" --version | grep -q '^filecoord [0-9]' && "$fc" read --help | grep -q FILECOORD_PATH_1
}

# ---- all of them

for name in $(sed -n 's/^\([a-z_]*\)() {.*/\1/p' "$0"); do
    case $name in same | ends | said | appears | hold | release) continue ;; esac
    mkdir "$top/$name" && cd "$top/$name" || exit 2
    if told=$("$name" 2>&1); then
        echo "ok $name"
    else
        failures=$((failures + 1))
        printf 'FAILED %s: %s\n' "$name" "$told"
    fi
done
exit $((failures > 0))
