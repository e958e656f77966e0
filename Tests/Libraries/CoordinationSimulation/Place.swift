// SPDX-License-Identifier: Apache-2.0
//
// A small tree of files, directories and packages, and the two ways in which its places are
// written: the arbiter's, and that of histories.

package import CoordinationCheckers
package import FileCoordinationArbiter

/// A place that worlds are about.
struct Place {
    let path: ItemPath
    /// Depths of the packages on the way, itself included: components that end in `.p` are some.
    let packageDepths: [Int]

    init(_ path: ItemPath) {
        self.path = path
        var depths: [Int] = []
        for (index, component) in path.components.enumerated()
        where component.suffix(2).elementsEqual(Array(".p".utf8)) {
            depths.append(index + 1)
        }
        packageDepths = depths
    }

    /// All of them.
    static let all: [Place] = [
        "/d", "/d/f", "/d/s", "/d/s/g", "/d/k.p", "/d/k.p/a", "/d/k.p/b", "/d/k.p/b/c",
        "/d/k.p/q.p/h", "/e",
    ].compactMap { ItemPath($0).map { Place($0) } }

    func item(_ access: Access) -> AccessItem {
        AccessItem(
            path: path, access: access, isDirectory: path.components.last?.count != 1,
            packageDepths: packageDepths)
    }
}

extension ItemMove {
    init(from old: Place, to new: Place) {
        self.init(
            from: old.path, oldPackageDepths: old.packageDepths, to: new.path,
            newPackageDepths: new.packageDepths)
    }
}

// MARK: As histories write it

extension Item {
    /// The same item as histories write it.
    package init(_ item: AccessItem) {
        let use: Use =
            switch item.access {
            case .reading(let options): Use(options)
            case .writing(let options): Use(options)
            }
        self.init(
            use, item.path.description,
            packages: item.packageDepths.map { item.path.prefix(depth: $0).description })
    }
}

extension Use {
    /// The same read as histories write it.
    fileprivate init(_ options: ReadingOptions) {
        let named: [(ReadingOptions, End)] = [
            (.withoutChanges, .withoutChanges), (.includingContents, .contents),
        ]
        self.init(isWrite: false, Set(named.filter { options.contains($0.0) }.map(\.1)))
    }

    /// The same write as histories write it.
    fileprivate init(_ options: WritingOptions) {
        let named: [(WritingOptions, End)] = [
            (.deleting, .deleting), (.moving, .moving), (.merging, .merging),
            (.replacing, .replacing), (.metadataOnly, .metadata), (.includingContents, .contents),
        ]
        self.init(isWrite: true, Set(named.filter { options.contains($0.0) }.map(\.1)))
    }
}

extension Move {
    /// The same move as histories write it.
    package init(_ move: ItemMove) {
        self.init(
            from: move.old.description, to: move.new.description,
            packages: move.newPackageDepths.map { move.new.prefix(depth: $0).description })
    }
}

extension Claim {
    /// The same claim as histories write it; serial numbers are the filing order.
    package init(_ claim: FiledClaim) {
        self.init(
            ClaimKey(claim.id.rawValue), of: ClientKey(UInt64(claim.client.rawValue)),
            purpose: claim.purpose.description, items: claim.items.map { Item($0) },
            order: claim.id.rawValue, enclosing: claim.enclosing.map { ClaimKey($0.rawValue) },
            blocksCaller: claim.blocksCaller, isBatch: claim.kind == .preparation)
    }
}

extension Presenter {
    /// The same presenter as histories write it.
    package init(_ presenter: RegisteredPresenter) {
        let named: [(PresenterMethods, RequiredStep)] = [
            (.relinquishToReader, .relinquishToReader), (.relinquishToWriter, .relinquishToWriter),
            (.save, .save), (.accommodateDeletion, .accommodateDeletion),
            (.accommodateSubitemDeletion, .accommodateSubitemDeletion(nil)),
        ]
        self.init(
            PresenterKey(presenter.id.rawValue), of: ClientKey(UInt64(presenter.client.rawValue)),
            purpose: presenter.purpose.description, place: presenter.path?.description,
            steps: named.filter { presenter.methods.contains($0.0) }.map(\.1),
            patience: presenter.answerTimeout?.nanoseconds)
    }
}

extension RequiredStep {
    /// What a presenter has given away, as histories write it.
    package init(_ kind: Relinquishment) {
        switch kind {
        case .reader: self = .relinquishToReader
        case .writer: self = .relinquishToWriter
        }
    }

    /// What a presenter was asked, as histories write it.
    package static func all(_ steps: YieldSteps) -> [RequiredStep] {
        steps.relinquish.map { RequiredStep($0) } + (steps.save ? [.save] : [])
            + (steps.accommodateDeletion ? [.accommodateDeletion] : [])
            + steps.accommodateSubitemDeletions.map {
                .accommodateSubitemDeletion($0.description)
            }
    }
}
