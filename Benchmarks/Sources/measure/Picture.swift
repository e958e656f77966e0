// SPDX-License-Identifier: Apache-2.0
//
// The picture `docs/benchmarks.svg`: what an uncontended access costs, as multiples of flock and
// unflock of an open file, on a scale of powers of ten. Bars end at the median; the line through a
// bar's end goes from the smallest to the largest of the repeats. No colour tells what words do
// not.

import FileCoordination

/// The group "access" as a drawing.
struct Picture {
    private struct Bar {
        let name: String
        let isOurs: Bool
        let spread: Spread
    }

    private let bars: [Bar]
    private let repeats: Int

    private static let width = 790.0
    private static let left = 316.0
    private static let right = 70.0
    private static let step = 26.0
    private static let top = 64.0

    /// Nothing, if what is to be shown was not measured.
    init?(_ report: Report) {
        let measured = report.measured.filter { $0.group == AccessStage.stage.name }
        guard let flock = measured.first(where: { $0.name == AccessStage.flock }) else {
            return nil
        }
        repeats = report.repeats
        bars = measured.compactMap { contestant in
            let ratios = zip(contestant.samples, flock.samples).map { $0 / $1 }
            return Spread(ratios).map {
                Bar(
                    name: contestant.name, isOurs: contestant.name.hasPrefix("coordinated"),
                    spread: $0)
            }
        }.sorted { $0.spread.median < $1.spread.median }
    }

    private var height: Double { Self.top + Double(bars.count) * Self.step + 44 }
    private var lowest: Double {
        floor(log10(min(bars.map(\.spread.minimum).min() ?? 1, 0.5)))
    }
    private var highest: Double {
        ceil(log10(bars.map(\.spread.maximum).max() ?? 10))
    }

    private func x(_ value: Double) -> Double {
        let share = (log10(value) - lowest) / (highest - lowest)
        return Self.left + share * (Self.width - Self.left - Self.right)
    }

    /// The drawing.
    var svg: String {
        let title = "An uncontended access, compared with flock + unflock of an open file"
        let note =
            "median of \(repeats) interleaved repeats on one CPU; thin line: smallest to largest"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(n(Self.width)) \(n(height))" \
            width="\(n(Self.width))" height="\(n(height))" role="img" aria-label="\(title)">
            <title>\(title)</title>
            <style>
            text { font: 13px system-ui, sans-serif; fill: #24292f; }
            .head { font-size: 15px; font-weight: 600; }
            .small { font-size: 11px; fill: #57606a; }
            .ours { fill: #0969da; } .peer { fill: #9aa4af; } .name { font-weight: 600; }
            .grid { stroke: #d0d7de; stroke-width: 1; }
            .range { stroke: #24292f; stroke-width: 1.5; }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3; } .small { fill: #9da7b3; } .ours { fill: #4493f8; }
            .peer { fill: #6e7781; } .grid { stroke: #3d444d; } .range { stroke: #e6edf3; }
            }
            </style>
            <text class="head" x="12" y="24">\(title)</text>
            <text class="small" x="12" y="43">\(note)</text>
            \(grid)
            \(bars.enumerated().map(draw).joined(separator: "\n"))
            </svg>

            """
    }

    private var grid: String {
        let bottom = Self.top + Double(bars.count) * Self.step
        return stride(from: lowest, through: highest, by: 1).map { power in
            let value = pow(10, power)
            let place = n(x(value))
            let label = power < 0 ? "1/\(Int(pow(10, -power)))" : "\(Int(value))"
            return """
                <line class="grid" x1="\(place)" y1="\(n(Self.top - 6))" x2="\(place)" \
                y2="\(n(bottom + 4))"/>
                <text class="small" x="\(place)" y="\(n(bottom + 20))" \
                text-anchor="middle">\(label)×</text>
                """
        }.joined(separator: "\n")
    }

    private func draw(_ index: Int, _ bar: Bar) -> String {
        let y = Self.top + Double(index) * Self.step
        let (start, end) = (x(pow(10, lowest)), x(bar.spread.median))
        let (low, high) = (x(bar.spread.minimum), x(bar.spread.maximum))
        let middle = n(y + 9)
        let ratio = Table.number(bar.spread.median)
        return """
            <text\(bar.isOurs ? " class=\"name\"" : "") x="\(n(Self.left - 10))" y="\(n(y + 13))" \
            text-anchor="end">\(bar.name)</text>
            <rect class="\(bar.isOurs ? "ours" : "peer")" x="\(n(start))" y="\(n(y))" \
            width="\(n(max(end - start, 1)))" height="18" rx="2"/>
            <line class="range" x1="\(n(low))" y1="\(middle)" x2="\(n(high))" y2="\(middle)"/>
            <text x="\(n(max(end, high) + 8))" y="\(n(y + 13))">\(ratio)×</text>
            """
    }

    private func n(_ value: Double) -> String { String(format: "%.1f", value) }
}
