// SPDX-License-Identifier: Apache-2.0
//
// A process for the ledger's tests: a client or a small server, which stops at every operation on a
// word until its supervisor lets it go on; or one half of a race.
//
//      ledger-peer client DIRECTORY FAULT PLACES     for example 0,1
//      ledger-peer server DIRECTORY FAULT ORDER      ascending or descending, of clients
//      ledger-peer depose DIRECTORY FAULT ORDER      the same, although another server has the lock
//      ledger-peer race-client DIRECTORY FAULT slot|epoch
//      ledger-peer race-server DIRECTORY FAULT slot|epoch ROUNDS SECONDS

import FileCoordinationLedger
import FileCoordinationSystem
import Glibc
import LedgerExploration

let arguments = CommandLine.arguments
guard arguments.count >= 5 else {
    print("usage: see main.swift")
    exit(2)
}

let fault = PlantedFault(rawValue: arguments[3])
let directory = try Directory.open(arguments[2])
let epochFile = try EpochFile(directory: directory)
let ledgers = try directory.openSubdirectory("ledgers", creatingWithMode: 0o700)

switch arguments[1] {
case "client":
    let places = arguments[4].split(separator: ",").compactMap { UInt8($0) }
    try PeerClient(
        directory: directory, ledgers: ledgers, globalEpoch: epochFile, fault: fault
    ).run(places: places)
case "server", "depose":
    var server = try PeerServer(
        directory: directory, ledgers: ledgers, fault: fault,
        isDescending: arguments[4] == "descending", deposes: arguments[1] == "depose")
    try server.run(globalEpoch: epochFile)
case "race-client", "race-server":
    let race = try Race(
        directory: directory, ledgers: ledgers, globalEpoch: epochFile, fault: fault,
        subject: arguments[4])
    guard arguments[1] == "race-server", arguments.count >= 7 else {
        try race.runClient()
        exit(0)
    }
    try race.runServer(rounds: UInt64(arguments[5]) ?? 0, seconds: UInt64(arguments[6]) ?? 0)
default:
    print("unknown role \(arguments[1])")
    exit(2)
}
