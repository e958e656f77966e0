// SPDX-License-Identifier: Apache-2.0
//
// Warns programmers on standard error about members that were probably meant for NSFilePresenter
// and are never used, once for each class. On Linux, symbols are the only source of a class's
// members: nothing is said of a stripped program, nor of a method that the optimizer has removed.

#if !canImport(Darwin)
package import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// Warnings about presenter classes.
package enum PresenterAdvice {
    /// The variable that turns the warnings off, for programs with a helper whose name is similar.
    package static let variable = "FILECOORDINATION_ADVICE"

    /// Examines the class of a presenter that has just been registered, on another thread, and
    /// passes each warning to `say` there.
    package static func examine(
        _ presenter: any NSFilePresenter, methods: PresenterMethods,
        setting: @autoclosure () -> String? =
            CurrentProcess.environmentVariable(PresenterAdvice.variable),
        say: @escaping @Sendable (String) -> Void = { Diagnostics.say($0) }
    ) {
        let type: AnyClass = Swift.type(of: presenter)
        let examiner = PresenterExaminer.ofProcess.value
        guard examiner.isNew(type), setting() != "off" else { return }
        examiner.run {
            sentences(about: type, methods: methods, where: examiner.begin).forEach(say)
        }
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
        let implemented = ImplementedMembers(
            methods: methods,
            properties: PresenterExaminer.ofProcess.value.haveDefaultAttributes(classes)
                ? [] : [NearMiss.observedAttributes])
        for index in classes.indices where classes[index] != NSObject.self {
            guard isOfInterest(classes[index]) else { continue }
            let type: AnyClass = classes[index]
            for miss in nearMisses(of: type, implemented, isSubclass: index < conforming) {
                sentences.append(
                    sentence(miss, in: "\(type)", conforming: "\(classes[conforming])"))
            }
        }
        return sentences
    }

    private static func nearMisses(
        of type: AnyClass, _ implemented: ImplementedMembers, isSubclass: Bool
    ) -> [NearMiss] {
        let members = members(of: type)
        var implemented = implemented
        for member in members where member.name != NearMiss.observedAttributes {
            if NearMiss.isRight(member) { implemented.properties.insert(member.name) }
        }
        return members.compactMap {
            NearMiss($0, implemented: implemented, isOfSubclass: isSubclass)
        }
    }

    /// Returns the methods and properties that a class declares, as far as there are symbols.
    private static func members(of type: AnyClass) -> [FoundMember] {
        guard let symbol = unsafe ProgramSymbols.prefix(of: type),
            let name = unsafe ProgramSymbols.demangled(symbol.text + "Mn")?
                .replacing("nominal type descriptor for ", with: "")
        else { return [] }
        let symbols = unsafe ProgramSymbols.names(
            beginningWith: symbol.text, besides: symbol.address)
        // The optimizer may have made several functions of one.
        var found: Set<FoundMember> = []
        return symbols.filter(isOfMember).sorted().compactMap { symbol in
            guard
                let member = ProgramSymbols.demangled(symbol)
                    .flatMap({ FoundMember(demangled: $0, of: name) }),
                found.insert(member).inserted
            else { return nil }
            return member
        }
    }

    /// Whether a symbol can be that of a method or a getter, or of a variant by the optimizer.
    ///
    /// The symbols of static members have a `Z` at the end.
    private static func isOfMember(_ symbol: String) -> Bool {
        let endings = ["F", "FZ", "vg", "vgZ", "Tm", "Tg5"]
        return symbol.contains("Tf") || endings.contains { symbol.hasSuffix($0) }
    }

    private static func sentence(
        _ miss: NearMiss, in type: String, conforming: String
    ) -> String {
        let (use, kind) = miss.found.isProperty ? ("read", "property") : ("called", "method")
        let start = "\(type).\(miss.found.declaration) is never \(use): "
        switch miss.fault {
        case .name: return start + "NSFilePresenter's \(kind) is \(miss.meant)."
        case .type:
            return start + "its type is not that of NSFilePresenter's \(miss.meant)."
        case .subclass:
            return start + "\(conforming), which states the conformance to NSFilePresenter, "
                + "does not have it. Declare it there\(miss.found.isProperty ? "" : ", empty"), "
                + "and override it."
        case .isStatic: return start + "NSFilePresenter's \(kind) is not static."
        }
    }
}
#endif
