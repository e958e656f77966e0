// SPDX-License-Identifier: Apache-2.0
//
// A presenter whose methods are C functions. A function that is NULL counts as not implemented and
// is never called. A function that must answer gets an fc_answer, which the program may use at any
// later time.

import CFileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem

/// A presenter of a C program.
final class CallerPresenter: Presenter, Handled {
    private let functions: fc_presenter_callbacks
    private let context: CallerContext
    private let thread: PresenterThread
    /// Where its item is by now.
    private let place: Lock<ItemName>
    private let processToken = ForkGuard.processToken

    let methods: PresenterMethods

    init(
        _ name: ItemName, _ functions: fc_presenter_callbacks, _ context: CallerContext
    ) throws(SystemError) {
        self.functions = functions
        self.context = context
        methods = PresenterMethods(functions)
        place = Lock(name)
        thread = try PresenterThread()
    }

    var identity: ObjectIdentifier { ObjectIdentifier(self) }
    var queue: any PresenterQueue { thread }
    var presentedItem: ItemName? { place.withLock { $0 } }
    var observedAttributes: Set<String> { [] }

    /// Where its item is by now.
    ///
    /// Empty if it names no place; such a presenter is never registered.
    var path: [UInt8] { (try? place.withLock { $0 }.path.get()) ?? [] }

    /// The handle as callbacks get it; they do not own it.
    private var handle: OpaquePointer {
        unsafe OpaquePointer(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Ends its thread; `removed` is called there, last, if the program was told of it at all.
    func endThread(callingRemoved: Bool) {
        let removed = unsafe callingRemoved ? functions.removed : nil
        thread.end { [context] in CallbackGate.call { unsafe removed?(context.pointer) } }
    }

    /// Whether this process registered it; in a forked child its thread is not there.
    var isOurs: Bool { processToken == ForkGuard.processToken }

    // MARK: Questions

    func relinquish(
        _ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void
    ) {
        let (ask, reacquire) =
            switch kind {
            case .reader: unsafe (functions.relinquish_to_reader, functions.reacquire_from_reader)
            case .writer: unsafe (functions.relinquish_to_writer, functions.reacquire_from_writer)
            }
        var reacquirer: Reacquirer?
        if let reacquire = unsafe reacquire {
            reacquirer = { [self] in
                CallbackGate.call { unsafe reacquire(handle, context.pointer) }
            }
        }
        let answer = CallerAnswer { [reacquirer] _ in block(reacquirer) }
        CallbackGate.call { unsafe ask?(handle, answer.makeHandle(), context.pointer) }
    }

    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let answer = CallerAnswer(completion)
        scope.within { CallbackGate.call { unsafe call(request, answer.makeHandle()) } }
    }

    /// Calls the function for a question.
    private func call(_ request: PresenterRequest, _ answer: OpaquePointer) {
        switch request {
        case .save: unsafe functions.save?(handle, answer, context.pointer)
        case .accommodateDeletion:
            unsafe functions.accommodate_deletion?(handle, answer, context.pointer)
        case .accommodateSubitemDeletion(let inner):
            let path = CallerText(inner.bytes)
            withExtendedLifetime(path) {
                unsafe functions.accommodate_subitem_deletion?(
                    handle, path.pointer, answer, context.pointer)
            }
        }
    }

    // MARK: News

    func receive(_ notice: PresenterNotice) -> Bool {
        var isKnown = true
        CallbackGate.call { isKnown = call(notice) }
        return isKnown
    }

    /// Calls the function for what happened; false if there is none of that kind.
    private func call(_ notice: PresenterNotice) -> Bool {
        let flags = notice.isPlain ? FC_UNCOORDINATED : 0
        switch notice.withoutOrigin {
        case .itemDidChange: unsafe functions.did_change?(handle, flags, context.pointer)
        case .itemDidMove(let new):
            place.withLock { $0 = ItemName(path: new.bytes) }
            unsafe tell(functions.did_move, new, flags)
        case .subitemDidAppear(let inner): unsafe tell(functions.subitem_did_appear, inner, flags)
        case .subitemDidChange(let inner): unsafe tell(functions.subitem_did_change, inner, flags)
        case .subitemDidMove(let old, let new):
            let (old, new) = (CallerText(old.bytes), CallerText(new.bytes))
            withExtendedLifetime((old, new)) {
                unsafe functions.subitem_did_move?(
                    handle, old.pointer, new.pointer, flags, context.pointer)
            }
        // Not among its methods, so these do not come.
        case .plain, .by, .itemDidChangeUbiquityAttributes, .itemVersion, .subitemVersion:
            return false
        }
        return true
    }

    private typealias PathFunction =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, UInt32, UnsafeMutableRawPointer?
        ) -> Void

    private func tell(_ function: PathFunction?, _ path: ItemPath, _ flags: UInt32) {
        let text = CallerText(path.bytes)
        withExtendedLifetime(text) {
            unsafe function?(handle, text.pointer, flags, context.pointer)
        }
    }
}

/// A question that waits for its answer.
final class CallerAnswer: Handled {
    private let completion: @Sendable ((any Error)?) -> Void

    init(_ completion: @escaping @Sendable ((any Error)?) -> Void) {
        self.completion = completion
    }

    /// Answers, with a refusal or without.
    func give(_ refusal: PresenterRefusal?) { completion(refusal) }
}

extension PresenterMethods {
    /// What a program's functions implement.
    init(_ functions: fc_presenter_callbacks) {
        self = []
        if unsafe functions.relinquish_to_reader != nil { insert(.relinquishToReader) }
        if unsafe functions.relinquish_to_writer != nil { insert(.relinquishToWriter) }
        if unsafe functions.save != nil { insert(.save) }
        if unsafe functions.accommodate_deletion != nil { insert(.accommodateDeletion) }
        if unsafe functions.accommodate_subitem_deletion != nil {
            insert(.accommodateSubitemDeletion)
        }
        // The library itself has to know where the item is.
        insert(.itemDidMove)
        if unsafe functions.did_change != nil { insert(.itemDidChange) }
        if unsafe functions.subitem_did_appear != nil { insert(.subitemDidAppear) }
        if unsafe functions.subitem_did_change != nil { insert(.subitemDidChange) }
        if unsafe functions.subitem_did_move != nil { insert(.subitemDidMove) }
    }
}
