// SPDX-License-Identifier: Apache-2.0
//
// Where the user's processes meet, for programs that only look, such as `filecoord status`: they
// choose the place as all others do, and fail as all others do, but create nothing.

import FileCoordinationSystem

/// The place where the user's processes meet, or would meet.
package struct MeetingPlace: Sendable {
    /// The path of the directory.
    package let path: String
    /// The directory; nil if no program has met there.
    package let directory: RuntimeDirectory?

    init(_ directory: RuntimeDirectory) {
        (self.path, self.directory) = (directory.path, directory)
    }

    private init(vacant path: String) { (self.path, self.directory) = (path, nil) }

    /// Looks at `path`.
    ///
    /// - Parameters:
    ///   - path: the path of the directory.
    ///   - isDirectory: whether a directory may be there; else something that programs replace.
    ///   - places: the places to which the path belongs.
    /// - Throws: ``RuntimeDirectoryError`` if programs could not meet there.
    fileprivate init(
        at path: String, isDirectory: Bool = true, of places: RuntimePlaces
    ) throws(RuntimeDirectoryError) {
        guard !CurrentProcess.hasNoUserID else { throw .userWithoutNumber }
        // To open an empty directory would make it one in which programs meet.
        let isEmpty = RuntimePlaces.isEmpty(path)
        if isDirectory, !isEmpty {
            do throws(RuntimeDirectoryError) {
                self.init(try RuntimeDirectory.openExisting(path, of: places))
                return
            } catch {
                guard case .unusable(_, let cause) = error, cause.code == ErrorNumber.noSuchFile
                else { throw error }
            }
        }
        let parent = RuntimeDirectory.parentAndName(of: path)?.parent ?? "/"
        do throws(SystemError) {
            try Directory.open(isEmpty ? path : parent).requireWritable()
        } catch {
            throw .unusable(path, error)
        }
        self.init(vacant: path)
    }
}

extension RuntimePlaces {
    /// Finds where the user's processes meet, or would meet if there were any.
    ///
    /// - Returns: the place that ``open(patience:)`` would open.
    /// - Throws: what ``open(patience:)`` would throw.
    package func look() throws(RuntimeDirectoryError) -> MeetingPlace {
        if isChosen { return try MeetingPlace(at: paths[0], of: self) }
        return try searching { () throws(RuntimeDirectoryError) in
            let states: [PlaceState] = paths.map {
                Self.isEmpty($0) ? .vacant : PlaceState($0, of: self)
            }
            return try choose(among: states, { MeetingPlace($0) }) {
                path, state, _ throws(RuntimeDirectoryError) in
                if case .standIn(_, isHeld: false) = state {
                    return try MeetingPlace(at: path, isDirectory: false, of: self)
                }
                return try MeetingPlace(at: path, of: self)
            }
        }
    }
}
