// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import Testing

@Suite struct PresenterMethodsTests {
    @Test func `A presenter that implements nothing is found to implement nothing`() {
        #expect(PresenterMethods(implementedBy: SilentPresenter()) == [])
    }

    @Test func `A presenter that implements everything is found to`() {
        #expect(PresenterMethods(implementedBy: ThoroughPresenter()) == .all)
        #expect(PresenterMethods(implementedBy: ThoroughSubclass()) == .all)
    }

    @Test func `The methods for versions are found, each by itself`() async {
        #expect(
            PresenterMethods(implementedBy: VersionPresenter()) == [
                .itemDidGainVersion, .itemDidLoseVersion, .itemDidResolveConflict,
                .subitemDidGainVersion, .subitemDidLoseVersion, .subitemDidResolveVersion,
            ])
        let presenter = await MainActorVersionPresenter()
        #expect(PresenterMethods(implementedBy: presenter) == .itemDidGainVersion)
    }

    @Test func `Either spelling counts`() {
        #expect(
            PresenterMethods(implementedBy: AsyncPresenter()) == [
                .save, .accommodateDeletion, .accommodateSubitemDeletion, .accommodateEviction,
            ])
        #expect(
            PresenterMethods(implementedBy: CalmAsyncPresenter()) == [.save, .accommodateDeletion])
    }

    @Test func `Nothing has to be called to find out, on the main actor neither`() async {
        let presenters = await (MainActorPresenter(), NonisolatedPresenter())
        #expect(
            PresenterMethods(implementedBy: presenters.0) == [
                .save, .itemDidChange, .subitemDidChange,
            ])
        #expect(PresenterMethods(implementedBy: presenters.1) == [.save, .itemDidChange])
    }

    @Test(arguments: [0, 1, 2, 3])
    func `However the conformance came about, the method is found`(index: Int) {
        let presenters: [any NSFilePresenter] = [
            ExtendedPresenter(), GenericPresenter<Int>(), DocumentPresenter(), ChattyPresenter(),
        ]
        #expect(PresenterMethods(implementedBy: presenters[index]) == .itemDidChange)
    }

    @Test func `A method that only a subclass of the conforming class adds is not found`() {
        #expect(PresenterMethods(implementedBy: LateSubclass()) == .save)
    }

    @Test func `By default every ubiquity attribute is observed`() {
        let observed = SilentPresenter().observedPresentedItemUbiquityAttributes
        #expect(observed.contains(.isUbiquitousItemKey))
        #expect(observed.allSatisfy { $0.rawValue.contains("Ubiquitous") })
        #expect(observed.count == 19)
        #expect(observed.contains(.ubiquitousItemIsSharedKey))
        #expect(SilentPresenter().primaryPresentedItemURL == nil)
    }

    @Test func `Presenters can be held, compared and cast`() {
        let holder = PresenterHolder()
        let presenter = DocumentPresenter()
        holder.presenter = presenter
        #expect(holder.adopt(presenter))
        #expect(holder.adopt(presenter))
        #expect(holder.others.count == 1)
        #expect(presenter.reloads == 2)
        #expect(holder.presenter === presenter)
        #expect(!holder.adopt(5))
    }
}
