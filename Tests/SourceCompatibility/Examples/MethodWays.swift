// SPDX-License-Identifier: Apache-2.0
//
// All methods of a presenter, in every way in which a class can come by them. CalledTests checks
// that each of them is called; each says its name.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination

/// Declares them where it states the conformance.
class DeclaredMethods: Presenting, NSFilePresenter {
    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        note("toReader")
        reader(nil)
    }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        note("toWriter")
        writer(nil)
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable (Error?) -> Void) {
        note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        note("delete")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        note("delete inside")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) { note("move") }
    func presentedItemDidChange() { note("change") }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        note("attributes")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { note("gain") }
    func presentedItemDidLose(_ version: NSFileVersion) { note("lose") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolve") }
    func presentedSubitemDidAppear(at url: URL) { note("appear inside") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { note("move inside") }
    func presentedSubitemDidChange(at url: URL) { note("change inside") }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { note("gain inside") }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) { note("lose inside") }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        note("resolve inside")
    }
}

/// Overrides them, and does not ask its superclass.
class OverriddenMethods: DeclaredMethods {
    override func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        note("toReader")
        reader(nil)
    }
    override func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        note("toWriter")
        writer(nil)
    }
    override func savePresentedItemChanges(completionHandler: @escaping @Sendable (Error?) -> Void)
    {
        note("save")
        completionHandler(nil)
    }
    override func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        note("delete")
        completionHandler(nil)
    }
    override func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        note("delete inside")
        completionHandler(nil)
    }
    override func presentedItemDidMove(to newURL: URL) { note("move") }
    override func presentedItemDidChange() { note("change") }
    override func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        note("attributes")
    }
    override func presentedItemDidGain(_ version: NSFileVersion) { note("gain") }
    override func presentedItemDidLose(_ version: NSFileVersion) { note("lose") }
    override func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolve") }
    override func presentedSubitemDidAppear(at url: URL) { note("appear inside") }
    override func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { note("move inside") }
    override func presentedSubitemDidChange(at url: URL) { note("change inside") }
    override func presentedSubitem(at url: URL, didGain version: NSFileVersion) {
        note("gain inside")
    }
    override func presentedSubitem(at url: URL, didLose version: NSFileVersion) {
        note("lose inside")
    }
    override func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        note("resolve inside")
    }
}

/// Inherits them, and the overriding.
final class InheritedMethods: OverriddenMethods {}

/// Declares them in an extension, apart from the conformance.
class ExtensionMethods: Presenting, NSFilePresenter {}

extension ExtensionMethods {
    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        note("toReader")
        reader(nil)
    }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        note("toWriter")
        writer(nil)
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable (Error?) -> Void) {
        note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        note("delete")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        note("delete inside")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) { note("move") }
    func presentedItemDidChange() { note("change") }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        note("attributes")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { note("gain") }
    func presentedItemDidLose(_ version: NSFileVersion) { note("lose") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolve") }
    func presentedSubitemDidAppear(at url: URL) { note("appear inside") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { note("move inside") }
    func presentedSubitemDidChange(at url: URL) { note("change inside") }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { note("gain inside") }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) { note("lose inside") }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        note("resolve inside")
    }
}

/// Is generic, and conforms in an extension.
final class GenericMethods<Content>: Presenting {
    var content: Content?
}

extension GenericMethods: NSFilePresenter {
    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
        note("toReader")
        reader(nil)
    }
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        note("toWriter")
        writer(nil)
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable (Error?) -> Void) {
        note("save")
        completionHandler(nil)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) {
        note("delete")
        completionHandler(nil)
    }
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable (Error?) -> Void
    ) {
        note("delete inside")
        completionHandler(nil)
    }
    func presentedItemDidMove(to newURL: URL) { note("move") }
    func presentedItemDidChange() { note("change") }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
        note("attributes")
    }
    func presentedItemDidGain(_ version: NSFileVersion) { note("gain") }
    func presentedItemDidLose(_ version: NSFileVersion) { note("lose") }
    func presentedItemDidResolveConflict(_ version: NSFileVersion) { note("resolve") }
    func presentedSubitemDidAppear(at url: URL) { note("appear inside") }
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { note("move inside") }
    func presentedSubitemDidChange(at url: URL) { note("change inside") }
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) { note("gain inside") }
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) { note("lose inside") }
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {
        note("resolve inside")
    }
}

/// Returns something from each of them, for the program's own calls.
final class ReturningMethods: Presenting, NSFilePresenter {
    private func noted(_ call: String) -> Bool {
        note(call)
        return true
    }

    @discardableResult
    func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) -> Bool {
        reader(nil)
        return noted("toReader")
    }
    @discardableResult
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) -> Bool {
        writer(nil)
        return noted("toWriter")
    }
    @discardableResult
    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable (Error?) -> Void
    ) -> Bool {
        completionHandler(nil)
        return noted("save")
    }
    @discardableResult
    func accommodatePresentedItemDeletion(completionHandler: @escaping (Error?) -> Void) -> Bool {
        completionHandler(nil)
        return noted("delete")
    }
    @discardableResult
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable (Error?) -> Void
    ) -> Bool {
        completionHandler(nil)
        return noted("delete inside")
    }
    @discardableResult func presentedItemDidMove(to newURL: URL) -> Bool { noted("move") }
    @discardableResult func presentedItemDidChange() -> Bool { noted("change") }
    @discardableResult
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) -> Int {
        note("attributes")
        return attributes.count
    }
    @discardableResult
    func presentedItemDidGain(_ version: NSFileVersion) -> Bool { noted("gain") }
    @discardableResult
    func presentedItemDidLose(_ version: NSFileVersion) -> Bool { noted("lose") }
    @discardableResult
    func presentedItemDidResolveConflict(_ version: NSFileVersion) -> Bool { noted("resolve") }
    @discardableResult
    func presentedSubitemDidAppear(at url: URL) -> Void? { note("appear inside") }
    @discardableResult
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) -> Void? { note("move inside") }
    @discardableResult
    func presentedSubitemDidChange(at url: URL) -> Void? { note("change inside") }
    @discardableResult
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) -> Bool {
        noted("gain inside")
    }
    @discardableResult
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) -> Bool {
        noted("lose inside")
    }
    @discardableResult
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) -> Bool {
        noted("resolve inside")
    }
}
