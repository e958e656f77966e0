// SPDX-License-Identifier: Apache-2.0
//
// Warns programmers on standard error about methods that were probably meant for NSFilePresenter
// and are never called. Only in debug builds, once for each class, and only if the program was not
// stripped: on Linux, symbols are the only source of a class's methods.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// Warnings about presenter classes.
package enum PresenterAdvice {
    /// The classes that were examined.
    private static let seen = Lock<Set<ObjectIdentifier>>([])
    private static let queue = DispatchQueue(label: "FileCoordination.advice", qos: .utility)

    /// Examines the class of a presenter that is being registered, on another thread, and passes
    /// each warning to `say` there.
    package static func examine(
        _ presenter: any NSFilePresenter, methods: PresenterMethods,
        say: @escaping @Sendable (String) -> Void = { Diagnostics.say($0) }
    ) {
        #if DEBUG
        let type: AnyClass = Swift.type(of: presenter)
        guard !seen.withLock({ $0.contains(ObjectIdentifier(type)) }) else { return }
        queue.async {
            let told = sentences(about: type, methods: methods) { type in
                seen.withLock { $0.insert(ObjectIdentifier(type)).inserted }
            }
            told.forEach(say)
        }
        #endif
    }

    /// Returns the warnings about a class and its superclasses; `methods` are those of the
    /// conformance.
    package static func sentences(
        about type: AnyClass, methods: PresenterMethods,
        where isOfInterest: (AnyClass) -> Bool = { _ in true }
    ) -> [String] {
        var sentences: [String] = []
        let classes = Array(sequence(first: type, next: { _getSuperclass($0) }))
        let conforming = classes.lastIndex { $0 is any NSFilePresenter.Type } ?? 0
        for index in classes.indices where classes[index] != NSObject.self {
            guard isOfInterest(classes[index]) else { continue }
            let type: AnyClass = classes[index]
            for miss in nearMisses(of: type, methods, isSubclass: index < conforming) {
                sentences.append(
                    sentence(miss, in: "\(type)", conforming: "\(classes[conforming])"))
            }
        }
        return sentences
    }

    private static func nearMisses(
        of type: AnyClass, _ methods: PresenterMethods, isSubclass: Bool
    ) -> [NearMiss] {
        guard let symbol = unsafe ProgramSymbols.prefix(of: type),
            let name = unsafe ProgramSymbols.demangled(symbol.text + "Mn")?
                .replacing("nominal type descriptor for ", with: "")
        else { return [] }
        let functions = unsafe ProgramSymbols.names(
            beginningWith: symbol.text, besides: symbol.address)
        return functions.filter { $0.hasSuffix("F") }.sorted().compactMap { function in
            ProgramSymbols.demangled(function)
                .flatMap { FoundMethod(demangled: $0, of: name) }
                .flatMap { NearMiss($0, implemented: methods, isOfSubclass: isSubclass) }
        }
    }

    private static func sentence(
        _ miss: NearMiss, in type: String, conforming: String
    ) -> String {
        let start = "\(type).\(miss.declaration) is never called: "
        switch miss.fault {
        case .name: return start + "NSFilePresenter's method is \(miss.meant)."
        case .type:
            return start + "its type is not that of NSFilePresenter's \(miss.meant)."
        case .subclass:
            return start + "\(conforming), which states the conformance to NSFilePresenter, "
                + "does not have it. Declare it there, empty, and override it."
        }
    }
}
#endif
