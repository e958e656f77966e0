// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's: short texts by which people recognise claims and presenters (Rule 18.15).

#if !canImport(Darwin)
import FileCoordinationClient
import Foundation

extension NSFileCoordinator {
    /// A short text for people that names this coordinator's accesses in errors and in
    /// `filecoord status` (Rule 18.15).
    ///
    /// `nil` stands for ``processLabel``, and if that is `nil`, too, for the program's name. At
    /// most 120 bytes of UTF-8 are kept, in whole characters; control characters are escaped when
    /// it is shown. A label has no effect on who waits for whom. An access that is begun with a
    /// label of its own is a little slower than one without.
    ///
    /// ```swift
    /// let coordinator = NSFileCoordinator()
    /// coordinator.label = "nightly export"
    /// ```
    ///
    /// May be set at any time and on any thread; it counts for accesses that begin afterwards.
    public var label: String? {
        get { core.label }
        set { core.setLabel(newValue) }
    }

    /// A short text for people that names all accesses and presenters of this process that have no
    /// label of their own; `nil` stands for the program's name (Rule 18.15).
    ///
    /// It is kept once for the process, costs accesses nothing, and is bounded like ``label``. May
    /// be set at any time and on any thread; it counts at once, also for accesses under way.
    public static var processLabel: String? {
        get {
            let text = ProcessLabel.text
            return text.isEmpty ? nil : text
        }
        set { ProcessLabel.text = newValue ?? "" }
    }

    /// Registers a presenter that has a label of its own (Rule 18.15).
    ///
    /// See ``addFilePresenter(_:)`` for everything else.
    ///
    /// - Parameters:
    ///   - filePresenter: the presenter.
    ///   - label: a short text for people, bounded like ``label``.
    public static func addFilePresenter(_ filePresenter: any NSFilePresenter, label: String) {
        Session.add(filePresenter, label: label)
    }

    /// Registers a presenter, or says why it cannot be registered.
    ///
    /// See ``addFilePresenter(_:)`` for everything else: that one says on standard error what this
    /// one throws.
    ///
    /// ```swift
    /// do {
    ///     try NSFileCoordinator.registerFilePresenter(editor)
    /// } catch {
    ///     print("Other programs do not know of this window: \(error.localizedDescription)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - filePresenter: the presenter.
    ///   - label: a short text for people, bounded like ``label``; nil: that of the process.
    /// - Throws: ``FileCoordinationError`` if no arbiter can be reached or a limit is reached, else
    ///   an error of Foundation about ``NSFilePresenter/presentedItemURL`` (Rule 1.10). Then the
    ///   presenter is not registered.
    public static func registerFilePresenter(
        _ filePresenter: any NSFilePresenter, label: String? = nil
    ) throws {
        try Session.register(filePresenter, label: label ?? "")
    }
}
#endif
