// SPDX-License-Identifier: Apache-2.0
//
// fc_error: a failure as C reads it. All its text is made at once, so that reading it never fails.
//
// The functions are documented in filecoordination.h; they are public, or they would be left out.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CFileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationWire

/// A failure, and the texts that C reads of it.
final class CallerError: Handled {
    let code: Int32
    let number: Int
    let item: Int
    let message: CallerText
    let domain: CallerText
    let holders: [(sentence: CallerText, processID: Int32)]

    /// The failure of a call for these paths.
    init(_ failure: CallFailure, _ paths: [[UInt8]]) {
        code = failure.code
        item = failure.item ?? -1
        let (domain, number) = failure.number
        self.number = number
        self.domain = CallerText(domain)
        message = CallerText(failure.message(paths))
        holders = failure.parties.map {
            (CallerText(Sentence.of($0)), ProcessNumber.plain($0.processID))
        }
    }
}

/// Where a caller wants its error; it may want none.
typealias ErrorPlace = UnsafeMutablePointer<OpaquePointer?>?

/// Runs a call, and puts its error where the caller wants it; returns nil if there is one.
func reporting<Result>(
    _ place: ErrorPlace, _ paths: [[UInt8]] = [], _ call: () throws(CallFailure) -> Result
) -> Result? {
    unsafe place?.pointee = nil
    do throws(CallFailure) {
        return try call()
    } catch {
        unsafe place?.pointee = unsafe CallerError(error, paths).makeHandle()
        return nil
    }
}

/// The same for calls that return a code.
func reportingCode(
    _ place: ErrorPlace, _ paths: [[UInt8]] = [], _ call: () throws(CallFailure) -> Void
) -> Int32 {
    unsafe place?.pointee = nil
    do throws(CallFailure) {
        try call()
        return FC_OK
    } catch {
        unsafe place?.pointee = unsafe CallerError(error, paths).makeHandle()
        return error.code
    }
}

@c @implementation
public func fc_error_code(_ error: OpaquePointer?) -> Int32 {
    unsafe CallerError.object(error)?.code ?? FC_OK
}

@c @implementation
public func fc_error_message(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
    unsafe (CallerError.object(error)?.message ?? .empty).pointer
}

@c @implementation
public func fc_error_domain(_ error: OpaquePointer?) -> UnsafePointer<CChar>? {
    unsafe (CallerError.object(error)?.domain ?? .empty).pointer
}

@c @implementation
public func fc_error_number(_ error: OpaquePointer?) -> Int64 {
    unsafe Int64(CallerError.object(error)?.number ?? 0)
}

@c @implementation
public func fc_error_item(_ error: OpaquePointer?) -> Int64 {
    unsafe Int64(CallerError.object(error)?.item ?? -1)
}

@c @implementation
public func fc_error_holder_count(_ error: OpaquePointer?) -> Int {
    unsafe CallerError.object(error)?.holders.count ?? 0
}

@c @implementation
public func fc_error_holder(_ error: OpaquePointer?, _ index: Int) -> UnsafePointer<CChar>? {
    guard let error = unsafe CallerError.object(error), error.holders.indices.contains(index) else {
        return nil
    }
    return unsafe error.holders[index].sentence.pointer
}

@c @implementation
public func fc_error_holder_pid(_ error: OpaquePointer?, _ index: Int) -> Int64 {
    guard let error = unsafe CallerError.object(error), error.holders.indices.contains(index) else {
        return 0
    }
    return Int64(error.holders[index].processID)
}

@c @implementation
public func fc_error_free(_ error: OpaquePointer?) { unsafe CallerError.take(error) }
