// SPDX-License-Identifier: Apache-2.0
//
// What programs put around the coordinator: values and errors carried out of accessors, error
// pointers passed on, callbacks and `async`. ExampleTests runs some of it.

import FileCoordination

// MARK: Error pointers

/// Passes its own error pointer on.
func read(_ url: URL, error outError: NSErrorPointer) -> Data? {
    var data: Data?
    NSFileCoordinator().coordinate(readingItemAt: url, error: outError) { newURL in
        do {
            data = try Data(contentsOf: newURL)
        } catch {
            data = nil
        }
    }
    return data
}

/// Fails in the way of Objective-C.
@discardableResult
func refuse(_ error: NSErrorPointer) -> Bool {
    error?.pointee = NSError(domain: NSCocoaErrorDomain, code: NSUserCancelledError)
    if error != nil, let reason = error?.pointee { print(reason) }
    error?.pointee = CocoaError(.userCancelled) as NSError
    return false
}

/// Error pointers that are values.
func pointers(_ url: URL) -> NSError? {
    let nowhere: NSErrorPointer = nil
    var failure: NSError!
    var optional: NSError?
    NSFileCoordinator().coordinate(readingItemAt: url, error: nowhere) { _ in }
    NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { _ in }
    withUnsafeMutablePointer(to: &optional) { pointer in
        NSFileCoordinator().coordinate(readingItemAt: url, error: pointer) { _ in }
    }
    refuse(nil)
    refuse(&optional)
    refuse(.none)
    return failure ?? optional
}

// MARK: Throwing

extension NSFileCoordinator {
    /// Carries a result out of the accessor.
    func reading<Value>(
        _ url: URL, _ options: ReadingOptions = [], _ body: (URL) throws -> Value
    ) throws -> Value {
        var coordinationError: NSError?
        var result: Result<Value, Error>?
        coordinate(readingItemAt: url, options: options, error: &coordinationError) { newURL in
            result = Result { try body(newURL) }
        }
        if let coordinationError { throw coordinationError }
        guard let result else { throw CocoaError(.fileReadUnknown) }
        return try result.get()
    }

    /// Carries an error out of the accessor, and needs no value.
    func writing(
        _ url: URL, _ options: NSFileCoordinator.WritingOptions = .forReplacing,
        _ body: (URL) throws -> Void
    ) throws {
        var coordinationError: NSError?
        var accessorError: Error?
        coordinate(writingItemAt: url, options: options, error: &coordinationError) {
            do { try body($0) } catch { accessorError = error }
        }
        if let error = coordinationError ?? accessorError { throw error }
    }

    /// A name that the library may have as well, with other parameters.
    func coordinate<T>(
        readingItemAt url: URL, options: NSFileCoordinator.ReadingOptions = [],
        accessor: (URL) throws -> T
    ) throws -> T {
        try reading(url, options, accessor)
    }
}

/// Throws only if `body` does; a refused access has the body run without.
func rethrowing<Value>(_ url: URL, _ body: (URL) throws -> Value) rethrows -> Value {
    func coordinated(
        _ body: (URL) throws -> Value, _ raise: (Error) throws -> Void
    ) rethrows -> Value? {
        var value: Value?
        var failure: Error?
        NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { newURL in
            do { value = try body(newURL) } catch { failure = error }
        }
        if let failure { try raise(failure) }
        return value
    }
    return try coordinated(body, { throw $0 }) ?? body(url)
}

/// Hands an accessor on, as a parameter and as a value.
struct Access {
    var coordinator: NSFileCoordinator
    var body: (URL) -> Void

    func run(_ url: URL, then accessor: (URL) -> Void) {
        coordinator.coordinate(readingItemAt: url, error: nil, byAccessor: accessor)
        coordinator.coordinate(writingItemAt: url, error: nil, byAccessor: body)
        withoutActuallyEscaping(accessor) { escaping in
            let all: [(URL) -> Void] = [escaping, body]
            for each in all {
                coordinator.coordinate(readingItemAt: url, error: nil, byAccessor: each)
            }
        }
    }
}

// MARK: Callbacks and async

/// Reads elsewhere, and calls back.
func read(_ url: URL, completion: @escaping @Sendable (Result<Data, Error>) -> Void) {
    DispatchQueue(label: "reading").async {
        let coordinator = NSFileCoordinator(filePresenter: nil)
        var error: NSError?
        coordinator.coordinate(readingItemAt: url, options: [], error: &error) { newURL in
            completion(Result { try Data(contentsOf: newURL) })
        }
        if let error { completion(.failure(error)) }
    }
}

extension NSFileCoordinator {
    /// Waits for access to intents without blocking.
    func access(_ intents: [NSFileAccessIntent], on queue: OperationQueue) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, Error>) in
            coordinate(with: intents, queue: queue) { error in
                if let error = error {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume()
                }
            }
        }
    }
}

/// Reads without blocking.
func contents(of url: URL) async throws -> Data {
    let intent = NSFileAccessIntent.readingIntent(with: url, options: [])
    return try await withCheckedThrowingContinuation { continuation in
        NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { error in
            guard error == nil else {
                continuation.resume(throwing: error ?? CocoaError(.userCancelled))
                return
            }
            continuation.resume(with: Result { try Data(contentsOf: intent.url) })
        }
    }
}

/// Coordinates synchronously in a task of its own.
func size(of url: URL) async throws -> Int {
    try await Task.detached(priority: .utility) {
        try NSFileCoordinator().reading(url) { try Data(contentsOf: $0).count }
    }.value
}

/// An actor whose work is coordinated.
actor Store {
    private let url: URL
    private var cache: [String: Data] = [:]
    private let coordinator = NSFileCoordinator(filePresenter: nil)

    init(url: URL) { self.url = url }

    func load(_ name: String) throws -> Data {
        var error: NSError?
        var failure: Error?
        coordinator.coordinate(readingItemAt: url, error: &error) { newURL in
            do {
                cache[name] = try Data(contentsOf: newURL.appendingPathComponent(name))
            } catch let caught {
                failure = caught
            }
        }
        if let error = error { throw error }
        if let failure = failure { throw failure }
        return cache[name] ?? Data()
    }

    func stop() { coordinator.cancel() }
}

/// Cancels from another thread.
final class Cancellable: @unchecked Sendable {
    let coordinator = NSFileCoordinator()
    private var error: NSError?

    func start(_ url: URL) -> NSError? {
        DispatchQueue(label: "canceller").async { [coordinator = self] in
            coordinator.coordinator.cancel()
        }
        coordinator.coordinate(writingItemAt: url, error: &error) { _ in }
        return error
    }
}
