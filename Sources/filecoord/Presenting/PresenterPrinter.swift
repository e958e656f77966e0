// SPDX-License-Identifier: Apache-2.0
//
// Prints the lines of `present`: one for each message, without buffering.

import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Prints the messages that presenters get.
final class PresenterPrinter: Sendable {
    /// The format of lines.
    enum Style: Hashable, Sendable {
        case people
        case json
    }

    /// The fields of a message, in the order in which they are printed.
    typealias Fields = [(name: String, value: JSONValue)]

    private let style: Style
    /// Excludes other threads, because several presenters print on several threads.
    private let turn = Lock(())

    init(_ style: Style) { self.style = style }

    /// Prints that the presenter of `path` got `message`.
    func print(_ path: NativePath, _ message: String, _ fields: Fields = []) {
        turn.withLock { _ in
            let line =
                switch style {
                case .people: Self.people(path, message, fields)
                case .json: Self.json(path, message, fields)
                }
            do throws(Failure) {
                try Console.print(line)
            } catch {
                // No process reads the output any more. The end of this process unregisters all
                // presenters.
                for line in error.lines { Console.say(line) }
                _exit(error.status)
            }
        }
    }

    private static func people(_ path: NativePath, _ message: String, _ fields: Fields) -> String {
        let details = fields.map { field in
            switch field.value {
            case .text(let text): "  \(field.name) \(UserText.line(text))"
            case .path(let path): "  \(field.name) \(UserText.text(path))"
            case let value: "  \(field.name) \(value)"
            }
        }
        return "\(WallClock.time)  \(path)  \(message)\(details.joined())"
    }

    private static func json(_ path: NativePath, _ message: String, _ fields: Fields) -> String {
        JSONValue.object(
            [
                ("time", .text(WallClock.timestamp)), ("presenter", .path(path.bytes)),
                ("message", .text(message)),
            ] + fields
        ).description
    }
}

/// Formats dates and times for users and logs.
enum WallClock {
    /// The present date and time in UTC, with microseconds.
    static var timestamp: String { timestamp(of: now) }

    /// A date and time in UTC, with microseconds.
    static func timestamp(of moment: timespec) -> String {
        let (time, microseconds) = unsafe parts(of: moment, gmtime_r)
        return unsafe "\(date(time))T\(clock(time)).\(padded(microseconds, 6))Z"
    }

    /// A date and time in the local time zone, to the second.
    static func dateAndTime(of moment: timespec) -> String {
        let (time, _) = unsafe parts(of: moment, localtime_r)
        return unsafe "\(date(time)) \(clock(time))"
    }

    /// The present time of day, with milliseconds.
    static var time: String {
        let (time, microseconds) = unsafe parts(of: now, localtime_r)
        return unsafe "\(clock(time)).\(padded(microseconds / 1000, 3))"
    }

    private static var now: timespec {
        var moment = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &moment)
        return moment
    }

    private static func parts(
        of moment: timespec,
        _ split: (UnsafePointer<time_t>, UnsafeMutablePointer<tm>) -> UnsafeMutablePointer<tm>?
    ) -> (tm, Int32) {
        var moment = moment
        var result = unsafe tm()
        _ = unsafe split(&moment.tv_sec, &result)
        return unsafe (result, Int32(moment.tv_nsec / 1000))
    }

    private static func date(_ time: tm) -> String {
        unsafe "\(time.tm_year + 1900)-\(padded(time.tm_mon + 1, 2))-\(padded(time.tm_mday, 2))"
    }

    private static func clock(_ time: tm) -> String {
        unsafe "\(padded(time.tm_hour, 2)):\(padded(time.tm_min, 2)):\(padded(time.tm_sec, 2))"
    }

    private static func padded(_ number: Int32, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
