// SPDX-License-Identifier: Apache-2.0
//
// Refusals as bytes, which come from other processes.

import FileCoordinationClient
import Testing

@Suite struct PresenterRefusalTests {
    private let refusal = PresenterRefusal(
        domain: "Notes", code: -7, description: "“now” \"or\"\n\\never \u{1} 🗒")

    @Test func `A refusal arrives as it was`() {
        #expect(PresenterRefusal(decoding: refusal.encode()) == refusal)
    }

    @Test func `What an NSError has besides is passed over`() {
        let text = """
             {"errors" : [ {"code":3, "description":"a\\u00e4\\ud83d\\uddd2\\/", "domain":"D",
             "userInfo":{"a":{"text":"b"},"n":{"real":-1.5e3},
             "t":{"truth":true}} },
             {"code":1,"description":"","domain":"under","userInfo":{}} ] }
            """
        #expect(
            PresenterRefusal(decoding: Array(text.utf8))
                == PresenterRefusal(domain: "D", code: 3, description: "aä🗒/"))
    }

    @Test func `However long the texts are, the bytes are bounded`() {
        let long = String(repeating: "\u{1}ä", count: 100_000)
        let bytes = PresenterRefusal(domain: long, code: 1, description: long).encode()
        #expect(bytes.count <= PresenterRefusal.limit)
        let arrived = PresenterRefusal(decoding: bytes)
        #expect(arrived?.code == 1)
        #expect(arrived?.description.hasPrefix("\u{1}ä") == true)
    }

    @Test func `Garbage is no refusal`() {
        let garbage: [String] = [
            "", "{}", "null", "[]", "{\"errors\":[]}", "{\"errors\":[{}]}", "{\"errors\":[{]}",
            "{\"errors\":[{\"code\":1.5,\"description\":\"\",\"domain\":\"\"}]}",
            "{\"errors\":[{\"code\":1,\"description\":\"\\ud800\",\"domain\":\"\"}]}",
            String(repeating: "[", count: 30_000), String(repeating: "{\"a\":", count: 6_000),
        ]
        for text in garbage { #expect(PresenterRefusal(decoding: Array(text.utf8)) == nil) }
        #expect(PresenterRefusal(decoding: [UInt8](repeating: 0xFF, count: 100)) == nil)
    }

    @Test func `Damaged bytes never trap`() {
        let whole = refusal.encode()
        for index in whole.indices {
            _ = PresenterRefusal(decoding: Array(whole[..<index]))
            for byte in [0x00, 0x22, 0x5C, 0x7B, 0xFF] as [UInt8] {
                var damaged = whole
                damaged[index] = byte
                if let found = PresenterRefusal(decoding: damaged) {
                    #expect(found.encode().count <= PresenterRefusal.limit)
                }
            }
        }
    }
}
