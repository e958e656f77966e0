// SPDX-License-Identifier: Apache-2.0
//
// Replacing with an option that is not in brackets, in a file that imports Foundation as well: the
// compiler cannot choose between the library's method and Foundation's, which destroys the
// document.
// Cure: brackets. A backup's name that is not optional will do, too, or to leave out the import of
// Foundation, which comes with that of FileCoordination.

import FileCoordination
import Foundation

func replace(_ url: URL, by draft: URL, name: String?) throws {
    let manager = FileManager.default
    let options: FileManager.ItemReplacementOptions = []
    try manager.replaceItemAt(
        url, withItemAt: draft, backupItemName: nil, options: [.usingNewMetadataOnly])
    try manager.replaceItemAt(
        url, withItemAt: draft, backupItemName: "old", options: .withoutDeletingBackupItem)
    try manager.replaceItemAt(url, withItemAt: draft, backupItemName: nil, options: [options])
    _ = try manager.replaceItemAt(  // error 5 6
        url, withItemAt: draft, backupItemName: nil, options: .usingNewMetadataOnly)
    _ = try manager.replaceItemAt(  // error 5 6
        url, withItemAt: draft, backupItemName: name, options: options)
}
