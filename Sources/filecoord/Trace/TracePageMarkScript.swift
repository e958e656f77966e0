// SPDX-License-Identifier: Apache-2.0
//
// The part of the page's script about marks: servers, gaps, delegations, and processes that were
// stopped. What it draws, it draws with the pen that it is given.

/// The script about marks.
enum TracePageMarkScript {
    static let text = #"""
        const GAP = 1, SERVER = 2, PROCESS = 3, DELEGATION = 4;

        // Whether a mark is about a lane; one of no process is about all.
        function concerns(mark, lane) {
          return mark.process < 0 || (Boolean(lane) && mark.process === lane.process &&
            (mark.path < 0 || mark.path === lane.path));
        }

        // The mark nearest to a moment, at most so far from it.
        function nearestMark(trace, lane, time, distance) {
          let best = null;
          for (const mark of trace.marks) {
            const far = Math.abs(mark.time - time);
            if (far > distance || !concerns(mark, lane)) continue;
            if (!best || far < Math.abs(best.time - time)) best = mark;
          }
          return best;
        }

        function describeMark(trace, mark) {
          const who = mark.process < 0 ? "" : trace.processes[mark.process].text +
            (mark.kind === DELEGATION ? ": " : " ");
          return who + mark.text + ", at " + moment(mark.time);
        }

        // How long a process was stopped in a time.
        function stoppedFor(trace, process, from, to) {
          return trace.stops.reduce((sum, stop) => stop.process !== process ? sum :
            sum + Math.max(0, Math.min(to, stop.to) - Math.max(from, stop.from)), 0);
        }

        function stoppedText(trace, process, time) {
          return trace.stops.some(stop => stop.process === process && stop.from <= time &&
            stop.to > time) ? ", stopped" : "";
        }

        // Draws the stops and marks of a lane, whose upper edge is at y.
        function drawLaneMarks(pen, paint, lane, x, y, row) {
          pen.fillStyle = paint.stopped;
          for (const stop of lane.stops) {
            const start = x(stop.from);
            pen.fillRect(start, y + 1, Math.max(2, x(stop.to) - start), 3);
          }
          for (const mark of lane.marks) {
            const place = x(mark.time);
            pen.fillStyle = mark.kind === PROCESS ? paint.stopped : paint.server;
            pen.beginPath();
            pen.moveTo(place - 4, y);
            pen.lineTo(place + 4, y);
            pen.lineTo(place, y + 6);
            pen.fill();
          }
        }

        // Draws what concerns all lanes: a line for a gap, a dashed one for a server.
        function drawGlobalMarks(pen, paint, marks, x, top, height) {
          for (const mark of marks) {
            if (mark.process >= 0) continue;
            pen.fillStyle = mark.kind === GAP ? paint.gap : paint.server;
            const place = x(mark.time);
            if (mark.kind === GAP) pen.fillRect(place, top, 2, height - top);
            else for (let y = top; y < height; y += 6) pen.fillRect(place, y, 1.5, 3);
          }
        }
        """#
}
