// SPDX-License-Identifier: Apache-2.0
//
// The hello: which version is spoken, whose ledger it is, and what that says already.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    /// Greets a connection, and looks at its ledger; a second hello on a connection asks to look at
    /// the whole ledger again.
    func welcome(_ connection: Connection, _ hello: Hello) {
        let isFirst = !connection.isWelcome
        guard greet(connection, hello), let client = connection.client else { return }
        lookAtLedger(of: client, isFirst: isFirst)
    }

    /// Looks at what a greeted client's ledger says.
    func lookAtLedger(of client: Client, isFirst: Bool) {
        if !suspects.isEmpty {
            // Of what runs there nothing may be known yet.
            lookAtGrantedRecords(of: client)
            lookAtUnannounced(besides: client)
        }
        lookAtAllRecords(of: client)
        if isFirst { reconcile(client) }
    }

    /// Attaches a connection to the client whose ledger it names, and says what it has to know;
    /// false if it may not stay.
    func greet(_ connection: Connection, _ hello: Hello) -> Bool {
        let spoken = ProtocolVersion.supported.lowerBound...configuration.protocolVersion
        guard spoken.contains(hello.version) else {
            refuse(
                connection, .wrongVersion,
                "it speaks protocol \(hello.version), this arbiter speaks \(spoken.lowerBound) to "
                    + "\(spoken.upperBound): bring both to one version")
            return false
        }
        connection.version = hello.version
        guard hello.ledgerName.isEmpty || attach(connection, toLedger: hello.ledgerName) else {
            return false
        }
        guard !connection.isWelcome else { return true }
        connection.isWelcome = true
        let welcome = Welcome(
            version: hello.version, epoch: epoch.rawValue, processID: CurrentProcess.id,
            kind: configuration.kind, packagePolicy: packagePolicy)
        send(.welcome(welcome), on: connection)
        return true
    }

    private func attach(_ connection: Connection, toLedger name: [UInt8]) -> Bool {
        do {
            guard
                clientsByLedger[String(decoding: name, as: UTF8.self)] != nil || hasDescriptors(2)
            else {
                refuse(connection, .limitReached, Self.wantOfDescriptors)
                return false
            }
            let client = try client(named: name, by: connection)
            guard connection.client == nil || connection.client === client else {
                // Nobody would notice the end of the client whose connection it was.
                refuse(connection, .malformed, "it has named another ledger before")
                return false
            }
            attach(connection, to: client)
            return true
        } catch {
            if isDeposed {
                // It will find the next host.
                ending = ending ?? .deposed
                close(connection)
            } else if Self.isWant(error) {
                refuse(connection, .limitReached, Self.wantOfDescriptors)
            } else {
                refuse(connection, .badLedger, "its ledger cannot be used: \(error)")
            }
            return false
        }
    }

    private func attach(_ connection: Connection, to client: Client) {
        if let former = client.connection, former !== connection {
            former.client = nil
            close(former)
        }
        connection.client = client
        client.connection = connection
        suspects[client.id] = nil
        client.visibleID = connection.peer.processID
        if client.process == nil { watchProcess(of: client, connection.socket.peerProcess()) }
    }
}
