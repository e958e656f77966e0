// SPDX-License-Identifier: Apache-2.0
//
// Writes the server's metrics in the text format of Prometheus
// (https://prometheus.io/docs/instrumenting/exposition_formats/). The names must not change.

import FileCoordinationServer
import FileCoordinationWire

/// Metrics as text.
enum MetricsText {
    private static let prefix = "filecoordination_"

    /// The text, without the end of its last line; nil means that there is no arbiter.
    static func text(_ report: MetricsReport?) -> String {
        var lines = family(
            "up", "gauge", "Whether a server runs.", [("", report == nil ? 0 : 1)])
        guard let report else { return lines.joined(separator: "\n") }
        lines += gauges(report)
        for counter in ServerCounter.allCases {
            lines += family(
                "\(counter.name)_total", "counter", counter.help, [("", report[counter])])
        }
        lines += histogram(
            "claim_wait_seconds",
            "From the filing of a claim, or the withdrawal of its grant, to its grant.",
            report.waits)
        lines += histogram(
            "presenter_answer_seconds",
            "From a question to a presenter to its answer, while its claim waited.",
            report.answers)
        return lines.joined(separator: "\n")
    }

    private static func family(
        _ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: UInt64)]
    ) -> [String] {
        head(name, type, help) + samples.map { "\(prefix)\(name)\($0.labels) \($0.value)" }
    }

    private static func head(_ name: String, _ type: String, _ help: String) -> [String] {
        ["# HELP \(prefix)\(name) \(help)", "# TYPE \(prefix)\(name) \(type)"]
    }

    private static func gauges(_ report: MetricsReport) -> [String] {
        let kind = report.arbiter.kind
        return family(
            "server_info", "gauge", "What serves: always 1.",
            [("{kind=\"\(kind)\",protocol=\"\(report.arbiter.protocolVersion)\"}", 1)])
            + head("server_uptime_seconds", "gauge", "For how long the server has been there.")
            + ["\(prefix)server_uptime_seconds \(seconds(report.arbiter.uptimeNanoseconds))"]
            + family(
                "server_epoch", "gauge",
                "Servers that were there in the runtime directory, this one included.",
                [("", UInt64(report.epoch))])
            + family("clients", "gauge", "Client processes.", [("", UInt64(report.clients))])
            + family(
                "claims", "gauge", "Claims that are not over.", [("", UInt64(report.claims))])
            + family(
                "claims_waiting", "gauge", "Claims that wait, or ask presenters.",
                [("", UInt64(report.waitingClaims))])
            + family(
                "presenters", "gauge", "Registered presenters.", [("", UInt64(report.presenters))])
    }

    private static func histogram(
        _ name: String, _ help: String, _ histogram: DurationHistogram
    ) -> [String] {
        var lines = head(name, "histogram", help)
        var count: UInt64 = 0
        for (bound, part) in zip(DurationHistogram.bounds, histogram.counts) {
            count &+= part
            lines.append("\(prefix)\(name)_bucket{le=\"\(seconds(bound))\"} \(count)")
        }
        return lines + [
            "\(prefix)\(name)_bucket{le=\"+Inf\"} \(histogram.count)",
            "\(prefix)\(name)_sum \(seconds(histogram.sum))",
            "\(prefix)\(name)_count \(histogram.count)",
        ]
    }

    /// Nanoseconds in seconds, the base unit of Prometheus, as a number without a unit.
    private static func seconds(_ nanoseconds: UInt64) -> String {
        "\(Double(nanoseconds) / 1_000_000_000)"
    }
}

extension ServerCounter {
    /// The metric's name, without the common prefix and suffix.
    fileprivate var name: String {
        switch self {
        case .claimsFiled: "claims_filed"
        case .claimsGranted: "claims_granted"
        case .claimsGrantedUnreported: "claims_granted_unreported"
        case .claimsEnded: "claims_ended"
        case .claimsCancelled: "claims_cancelled"
        case .claimsRefused: "claims_refused"
        case .claimsInCycles: "claims_in_cycles"
        case .claimsRecovered: "claims_recovered"
        case .grantsWithdrawn: "grants_withdrawn"
        case .presentersAdded: "presenters_added"
        case .presentersRemoved: "presenters_removed"
        case .questions: "presenter_questions"
        case .answers: "presenter_answers"
        case .notices: "presenter_notices"
        case .plainNotices: "plain_change_notices"
        case .plainMoves: "plain_moves_followed"
        case .delegations: "delegations"
        case .recalls: "delegation_recalls"
        case .clientDeaths: "client_deaths"
        case .clientStops: "client_stops"
        case .limitsReached: "limits_reached"
        }
    }

    /// The help text: what the counter counts.
    fileprivate var help: String {
        switch self {
        case .claimsFiled: "Claims that were filed with the server."
        case .claimsGranted: "Claims that were granted by the server."
        case .claimsGrantedUnreported:
            "Granted claims of whose end the server is not told, as part of those granted."
        case .claimsEnded: "Claims that were granted and are over."
        case .claimsCancelled: "Claims that were given up before they were granted."
        case .claimsRefused: "Claims that failed because a presenter refused."
        case .claimsInCycles: "Claims that failed because they waited for themselves."
        case .claimsRecovered:
            "Claims that were found granted, by a former server or by their programs."
        case .grantsWithdrawn: "Grants that were taken back from stopped processes."
        case .presentersAdded: "Presenters that were registered."
        case .presentersRemoved: "Presenters that were removed by their programs."
        case .questions: "Questions to presenters."
        case .answers: "Questions that presenters have answered."
        case .notices: "Other messages to presenters, because of accesses."
        case .plainNotices: "Messages to presenters of changes by programs that do not coordinate."
        case .plainMoves: "Moves by programs that do not coordinate that presenters have followed."
        case .delegations: "Paths that were delegated to a client."
        case .recalls: "Delegations that were recalled."
        case .clientDeaths: "Client processes that died with claims or presenters."
        case .clientStops: "How often a client process was found stopped."
        case .limitsReached: "How often a client has reached a limit."
        }
    }
}
