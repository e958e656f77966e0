// SPDX-License-Identifier: Apache-2.0
//
// Looking for words in lines of code.

import Glibc

extension Character {
    /// Whether it can be part of an identifier.
    var isIdentifierPart: Bool { isLetter || isNumber || self == "_" }
}

extension String {
    /// Whether `word` occurs, not as a part of a longer word where it begins or ends like one.
    func hasWord(_ word: String) -> Bool {
        wordRanges(word).isEmpty == false
    }

    /// Where `word` occurs as a word.
    func wordRanges(_ word: String) -> [Range<String.Index>] {
        // By far most lines end here, and this is the quick way to tell.
        guard strstr(self, word) != nil else { return [] }
        return ranges(of: word).filter { range in
            let before = range.lowerBound > startIndex ? self[index(before: range.lowerBound)] : " "
            let after = range.upperBound < endIndex ? self[range.upperBound] : " "
            let joinsBefore = word.first?.isIdentifierPart == true && before.isIdentifierPart
            let joinsAfter = word.last?.isIdentifierPart == true && after.isIdentifierPart
            return !joinsBefore && !joinsAfter
        }
    }

    /// Without the blanks at both ends.
    var trimmed: String {
        guard let first = unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = unicodeScalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(unicodeScalars[first...last])
    }
}
