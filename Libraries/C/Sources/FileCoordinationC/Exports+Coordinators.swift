// SPDX-License-Identifier: Apache-2.0
//
// fc_coordinator: on whose behalf a program acts, and the settings of the whole process.
//
// The functions are documented in filecoordination.h; they are public, or they would be left out.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CFileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationLedger
import FileCoordinationSystem

/// The library's version; the header names its own.
private let version = CallerText(FC_VERSION)

/// A coordinator and what C reads of it.
final class CallerCoordinator: Handled {
    let core: Coordinator
    /// The claims of other processes around its accesses.
    let surroundings = Lock(SurroundingClaims())
    /// The holds that the code which waits releases only afterwards.
    let enclosing = Lock<[RecordReference]>([])
    /// The states in which the items of its next call must be.
    let conditions = Lock<[ItemToken?]>([])
    let purpose: CallerText

    init(_ core: Coordinator, label: String?) {
        self.core = core
        core.setLabel(label)
        purpose = CallerText(core.purposeText)
    }

    /// The one that was given, or one for this call.
    static func given(_ handle: OpaquePointer?) -> CallerCoordinator {
        unsafe object(handle) ?? CallerCoordinator(Coordinator(), label: nil)
    }
}

@c @implementation
public func fc_version() -> UnsafePointer<CChar>? { unsafe version.pointer }

@c @implementation
public func fc_coordinator_new(
    _ purpose: UnsafePointer<CChar>?, _ label: UnsafePointer<CChar>?
) -> OpaquePointer? {
    let core = Coordinator()
    if let purpose = unsafe purpose {
        guard let text = unsafe Given.exactText(purpose), !text.isEmpty else { return nil }
        core.setPurpose(text)
    }
    return unsafe CallerCoordinator(core, label: Given.text(label)).makeHandle()
}

@c @implementation
public func fc_coordinator_new_for_presenter(
    _ presenter: OpaquePointer?, _ label: UnsafePointer<CChar>?
) -> OpaquePointer? {
    guard let presenter = unsafe CallerPresenter.object(presenter) else { return nil }
    let core = Coordinator(presenter: presenter.identity, keeping: presenter)
    return unsafe CallerCoordinator(core, label: Given.text(label)).makeHandle()
}

@c @implementation
public func fc_coordinator_purpose(_ coordinator: OpaquePointer?) -> UnsafePointer<CChar>? {
    unsafe CallerCoordinator.object(coordinator)?.purpose.pointer
}

@c @implementation
public func fc_coordinator_set_surroundings(
    _ coordinator: OpaquePointer?, _ claims: UnsafePointer<CChar>?
) {
    let surroundings = unsafe SurroundingClaims(text: Given.text(claims) ?? "")
    unsafe CallerCoordinator.object(coordinator)?.surroundings.withLock { $0 = surroundings }
}

@c @implementation
public func fc_coordinator_set_enclosing(
    _ coordinator: OpaquePointer?, _ holds: UnsafePointer<OpaquePointer?>?, _ count: Int
) {
    let known = unsafe (0..<(holds == nil ? 0 : count)).compactMap {
        unsafe CallerHold.object(holds?[$0])
    }
    let records = known.filter(\.access.isHeld).map(\.access.record)
    unsafe CallerCoordinator.object(coordinator)?.enclosing.withLock { $0 = records }
}

@c @implementation
public func fc_coordinator_cancel(_ coordinator: OpaquePointer?) {
    unsafe CallerCoordinator.object(coordinator)?.core.cancel()
}

@c @implementation
public func fc_coordinator_free(_ coordinator: OpaquePointer?) {
    unsafe CallerCoordinator.take(coordinator)
}

@c @implementation
public func fc_set_label(_ label: UnsafePointer<CChar>?) {
    ProcessLabel.text = unsafe Given.text(label) ?? ""
}

@c @implementation
public func fc_set_answer_limit(_ seconds: Double) {
    do throws(CallFailure) {
        PresenterAnswerTimeout.duration = try Given.duration(seconds)
    } catch {
        // It is no number, and changes nothing.
    }
}
