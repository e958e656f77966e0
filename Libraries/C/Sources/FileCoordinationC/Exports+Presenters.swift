// SPDX-License-Identifier: Apache-2.0
//
// fc_presenter and fc_answer.
//
// The functions are documented in filecoordination.h; they are public, or they would be left out.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CFileCoordination
import FileCoordinationClient
import FileCoordinationSystem

/// The functions as far as the program knows of them; nil if it says that it has none.
///
/// It may have been compiled with an older header, which ends earlier.
private func functions(
    _ given: UnsafePointer<fc_presenter_callbacks>
) -> fc_presenter_callbacks? {
    var functions = fc_presenter_callbacks()
    let size = unsafe min(given.pointee.size, MemoryLayout<fc_presenter_callbacks>.size)
    guard size >= MemoryLayout<Int>.size else { return nil }
    unsafe withUnsafeMutableBytes(of: &functions) {
        unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: given, count: size))
    }
    return functions
}

/// Registers a presenter, whose thread ends again if that fails.
private func register(
    _ presenter: CallerPresenter, _ label: UnsafePointer<CChar>?
) throws(CallFailure) {
    do throws(AccessFailure) {
        let session = try Session.ofCaller()
        try unsafe session.add(presenter, label: Given.text(label) ?? "")
        session.sweepUploads()
    } catch {
        presenter.endThread(callingRemoved: false)
        throw .access(error)
    }
}

@c @implementation
public func fc_presenter_add(
    _ path: UnsafePointer<CChar>?, _ callbacks: UnsafePointer<fc_presenter_callbacks>?,
    _ context: UnsafeMutableRawPointer?, _ label: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
    let paths = unsafe path.map { unsafe [Given.bytes($0)] } ?? []
    return unsafe reporting(error, paths) { () throws(CallFailure) in
        guard let path = unsafe path, let callbacks = unsafe callbacks,
            let functions = unsafe functions(callbacks)
        else {
            throw .usage("the path or the callbacks are NULL, or their size is not set")
        }
        let name = try unsafe Given.name(path)
        let presenter: CallerPresenter
        do throws(SystemError) {
            presenter = try unsafe CallerPresenter(name, functions, CallerContext(pointer: context))
        } catch {
            throw CallFailure.access(.system(.limitReached("\(error)")))
        }
        // A callback may remove the presenter before this returns, and needs a handle to free.
        let handle = unsafe presenter.makeHandle()
        do throws(CallFailure) {
            try unsafe register(presenter, label)
        } catch {
            _ = unsafe CallerPresenter.take(handle)
            throw error
        }
        return unsafe handle
    }
}

@c @implementation
public func fc_presenter_path(
    _ presenter: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let path = unsafe CallerPresenter.object(presenter)?.path else { return 0 }
    if let buffer = unsafe buffer, size > path.count {
        for (index, byte) in path.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
        unsafe buffer[path.count] = 0
    }
    return path.count
}

@c @implementation
public func fc_presenter_remove(_ presenter: OpaquePointer?) {
    // In a forked child neither the registration is there nor the thread.
    guard let presenter = unsafe CallerPresenter.take(presenter), presenter.isOurs else { return }
    Session.removePresenter(presenter.identity)
    presenter.endThread(callingRemoved: true)
}

@c @implementation
public func fc_answer_done(_ answer: OpaquePointer?) { unsafe CallerAnswer.take(answer)?.give(nil) }

@c @implementation
public func fc_answer_refuse(
    _ answer: OpaquePointer?, _ domain: UnsafePointer<CChar>?, _ number: Int64,
    _ message: UnsafePointer<CChar>?
) {
    unsafe CallerAnswer.take(answer)?.give(
        PresenterRefusal(
            domain: Given.text(domain) ?? CurrentProcess.name, code: Int(number),
            description: Given.text(message) ?? "no reason was given"))
}
