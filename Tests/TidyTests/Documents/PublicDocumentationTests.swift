// SPDX-License-Identifier: Apache-2.0
//
// What programs can use is documented in full. The format check sees that the sections of a comment
// are complete if it has any; this test sees that it has them, and that examples show everything.
// GuideTests sees that the examples are compiled.

import Testing

@Suite("Public documentation")
struct PublicDocumentationTests {
    private let tree: SourceTree
    private let declarations: [PublicDeclaration]

    init() throws {
        tree = try TreeCache.tree.get()
        declarations = tree.importable.flatMap(PublicDeclaration.all)
    }

    @Test func `Every public function says what it takes, returns and throws`() {
        let functions = declarations.filter { $0.kind == .function }
        #expect(functions.count > 100)
        #expect(functions.contains { $0.outer == ["NSFilePresenter"] })
        expectNone(functions.flatMap { Self.gaps($0, $0.missingSections) })
    }

    @Test func `Every public function says on which threads it runs and what it costs`() {
        let described = Set(
            declarations.filter { $0.kind == .type && $0.missingUse.isEmpty }.map(\.name))
        #expect(described.contains("NSFilePresenter"))
        #expect(described.isDisjoint(with: ["NSFileCoordinator", "FileManager"]))
        // A property of those that are described one by one may leave it to its class.
        let rest = declarations.filter { declaration in
            switch declaration.kind {
            case .type: false
            case .function: !declaration.isDescribedOneByOne
            case .property: declaration.isDescribedOneByOne
            }
        }
        let alone = rest.filter {
            described.isDisjoint(with: $0.outer) && !$0.signature.contains("(rawValue")
        }
        #expect(alone.contains { $0.name == "filePresenters" })
        expectNone(alone.flatMap { Self.gaps($0, $0.missingUse) })
    }

    @Test func `Every public type says on which threads it may be used and what it costs`() {
        let types = declarations.filter { $0.kind == .type }
        let described = Set(types.filter(\.missingUse.isEmpty).map(\.name))
        #expect(described.contains("NSErrorPointer") && described.contains("GuardStatus"))
        let rest = types.filter {
            !PublicDeclaration.describedOneByOne.contains($0.name)
                && described.isDisjoint(with: $0.outer)
        }
        expectNone(rest.flatMap { Self.gaps($0, $0.missingUse) })
    }

    @Test func `Every public type has an example, or the type around it has one`() {
        let types = declarations.filter { $0.kind == .type }
        let shown = Set(types.filter(\.hasExample).map(\.name))
        #expect(shown.contains("NSFilePresenter") && shown.contains("FileAccessHold"))
        let bare = types.filter { !$0.hasExample && shown.isDisjoint(with: $0.outer) }
        expectNone(
            bare.filter { Exceptions.unshown[$0.name] == nil }.map {
                Violation($0.file, line: $0.line, "\($0.name) has no example")
            })
    }

    @Test func `Every public function is used in an example`() {
        let functions = declarations.filter { $0.kind == .function }
        let listings = listings
        let unused = functions.filter { function in
            !listings.contains { $0.uses(function.name) }
                && !function.signature.contains("(rawValue")
        }
        expectNone(
            unused.filter { Exceptions.unshown[$0.name] == nil }.map {
                Violation($0.file, line: $0.line, "no example uses \($0.name)")
            })
        let types = declarations.filter { $0.kind == .type && !$0.hasExample }
        expectAllUsed(Exceptions.unshown, by: (unused + types).map(\.name))
    }

    @Test func `A member of a class that programs cannot override is static`() {
        let functions = declarations.filter { $0.signature.contains("class func") }
        #expect(functions.count > 10)
        expectNone(
            functions.filter { !$0.signature.contains("open class func") }.map {
                Violation($0.file, line: $0.line, "\($0.name) is a class member and not open")
            })
    }

    @Test func `What lacks documentation is found`() {
        let text = """
            /// A class.
            ///
            /// ```swift
            /// ```
            public final class A {
                /// Makes one.
                public init(a: Int) {}

                /// Does it.
                ///
                /// - Returns: a number.
                @discardableResult
                public func a<R>(
                    b: (Int) -> Void
                ) throws -> R { b(1) }

                func b(c: Int) {}
                /// Tells.
                open class func d() async -> Int { 1 }
                public enum B { case c }
            }
            public protocol P {
                /// Asks.
                func e(
                    f: Int
                ) async throws -> Int

                /// Asks.
                func g()
            }
            """
        let found = PublicDeclaration.all(in: SourceFile(path: "a.swift", text: text))
        #expect(found.map(\.name) == ["A", "A", "a", "d", "B", "P", "e", "g"])
        #expect(found.map(\.outer).map(\.count) == [0, 1, 1, 1, 1, 0, 1, 1])
        #expect(found.map(\.hasExample) == [true] + Array(repeating: false, count: 7))
        #expect(
            found.map(\.kind) == [
                .type, .function, .function, .function, .type, .type, .function, .function,
            ])
        #expect(
            found.map(\.missingSections) == [
                [], ["Parameter"], ["Parameter", "Throws"], ["Returns"], [], [],
                ["Parameter", "Returns", "Throws"], [],
            ])
    }

    @Test func `A member that does not say what it costs, or where it may be called, is found`() {
        let text = """
            extension FileManager {
                /// Trashes (Rule 6.1).
                ///
                /// **Threads and cost.** Any thread; one rename.
                public func a() {}

                /// Trashes (Rule 6.1).
                ///
                /// **Threads.** Any thread.
                @discardableResult
                public static func b() {}

                /// Trashes.
                public func c() {}

                /// Not to be called.
                @available(*, unavailable, message: "call a")
                public override init() {}

                /// The trash.
                ///
                /// **Cost.** None.
                public class var d: Int { 1 }
                public var e: Int {
                    var f = 1
                    return f
                }

                public enum Trash {
                    /// Empties it.
                    public static func g() {}
                }
            }
            """
        let found = PublicDeclaration.all(in: SourceFile(path: "a.swift", text: text))
        #expect(found.map(\.name) == ["a", "b", "c", "FileManager", "d", "e", "Trash", "g"])
        #expect(
            found.map(\.missingSections) == [
                [], ["Cost"], ["Threads", "Cost", "Rule"], [], [], [], [], [],
            ])
        #expect(found.suffix(4).map(\.missingUse.count) == [1, 2, 2, 2])
        #expect(found.map(\.kind).suffix(4) == [.property, .property, .type, .function])
    }

    // MARK: Examples

    private static func gaps(
        _ declaration: PublicDeclaration, _ sections: [String]
    ) -> [Violation] {
        sections.map { section in
            Violation(
                declaration.file, line: declaration.line,
                "\(declaration.name) has no section \(section)")
        }
    }

    /// The listings of guides, of the README and of documentation comments.
    private var listings: [Listing] {
        let pages = tree.files.filter {
            $0.path.hasPrefix(RuleBook.catalog) || $0.path == "README.md"
        }
        return (pages + tree.importable.map(Listing.comments)).flatMap(Listing.all)
    }
}

extension Listing {
    fileprivate func uses(_ name: String) -> Bool {
        ["(", " {"].contains { code.hasWord(name + $0) }
    }
}
