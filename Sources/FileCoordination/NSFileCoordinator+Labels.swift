// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: short texts by which people recognize claims and presenters (Rule 18.15).

#if !canImport(Darwin)
import FileCoordinationClient
import Foundation

extension NSFileCoordinator {
    /// A short text that names this coordinator's accesses in errors and in `filecoord status`
    /// (Rule 18.15).
    ///
    /// `nil` stands for ``processLabel`` or, if that is `nil` as well, for the program's name. At
    /// most 120 bytes of UTF-8 are kept, in whole characters. Control characters are escaped when
    /// the label is shown. A label does not influence which claims wait for each other.
    ///
    /// ```swift
    /// let coordinator = NSFileCoordinator()
    /// coordinator.label = "nightly export"
    /// ```
    ///
    /// **Threads.** Any thread, at any time. It applies to accesses that begin afterwards.
    ///
    /// **Cost.** None to set it. An access with a label of its own does not take part in ticket
    /// queues, and is slightly slower than one without (<doc:Performance>).
    public var label: String? {
        get { core.label }
        set { core.setLabel(newValue) }
    }

    /// A short text that names all accesses and presenters of this process without a label of their
    /// own; `nil` stands for the program's name (Rule 18.15).
    ///
    /// It has the same limits as ``label``.
    ///
    /// **Threads.** Any thread, at any time. It applies at once, even to running accesses.
    ///
    /// **Cost.** It is stored once for the process, so accesses do not become slower.
    public static var processLabel: String? {
        get {
            let text = ProcessLabel.text
            return text.isEmpty ? nil : text
        }
        set { ProcessLabel.text = newValue ?? "" }
    }

    /// Registers a presenter with a label of its own (Rule 18.15).
    ///
    /// See ``addFilePresenter(_:)`` for everything else.
    ///
    /// ```swift
    /// NSFileCoordinator.addFilePresenter(editor, label: "drafts")
    /// ```
    ///
    /// **Threads and cost.** As those of ``addFilePresenter(_:)``.
    ///
    /// - Parameters:
    ///   - filePresenter: the presenter.
    ///   - label: a short text for people, with the same limits as ``label``.
    public static func addFilePresenter(_ filePresenter: any NSFilePresenter, label: String) {
        Session.add(filePresenter, label: label)
    }

    /// Registers a presenter, and throws if that is impossible (Rule 5.4).
    ///
    /// ``addFilePresenter(_:)``, which describes everything else, prints the error to standard
    /// error instead.
    ///
    /// ```swift
    /// do {
    ///     try NSFileCoordinator.registerFilePresenter(editor)
    /// } catch {
    ///     print("Other programs do not know of this window: \(error.localizedDescription)")
    /// }
    /// ```
    ///
    /// **Threads and cost.** As those of ``addFilePresenter(_:)``.
    ///
    /// - Parameters:
    ///   - filePresenter: the presenter.
    ///   - label: a short text for people, with the same limits as ``label``; nil for that of the
    ///     process.
    /// - Throws: ``FileCoordinationError`` if no server can be reached or a limit is reached, or an
    ///   error of Foundation about ``NSFilePresenter/presentedItemURL`` (Rule 1.10). The presenter
    ///   is not registered then.
    public static func registerFilePresenter(
        _ filePresenter: any NSFilePresenter, label: String? = nil
    ) throws {
        try Session.register(filePresenter, label: label ?? "")
    }
}
#endif
