// SPDX-License-Identifier: Apache-2.0
//
// Templates of plain items are put together by hand; here they are compared with the encoder.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

@Suite("Claim templates")
struct ClaimTemplateTests {
    @Test(
        "A template decodes to the claim that it is for",
        arguments: ["/a", "/some/longer path/é", "/" + String(repeating: "x", count: 3000), "/"],
        [false, true])
    func template(_ text: String, isDirectory: Bool) throws {
        let path = try #require(ItemPath(text))
        let accesses: [Access] = [
            .reading([]), .reading([.withoutChanges]), .writing(.plain),
            .writing([.merging, .metadataOnly]),
        ]
        for access in accesses {
            let item = AccessItem(path: path, access: access, isDirectory: isDirectory)
            let template = try #require(ClaimTemplate(item))
            let encoded = try #require(ClaimTemplate(encoding: item))
            #expect(template.bytes == encoded.bytes)
            #expect(template.accessOffset == encoded.accessOffset)
            var bytes = template.bytes
            (bytes[template.accessOffset], bytes[template.accessOffset + 1]) =
                ClaimTemplate.encoding(of: access)
            #expect(try ClaimBody(decoding: bytes).items == [item])
        }
    }

    @Test("Of a path that is too long there is none")
    func tooLong() throws {
        let text = "/" + String(repeating: "x", count: WireLimits.pathBytes)
        let path = try #require(ItemPath(text))
        #expect(ClaimTemplate(AccessItem(path: path, access: .reading([]))) == nil)
    }
}
