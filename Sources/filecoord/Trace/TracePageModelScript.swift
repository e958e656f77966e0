// SPDX-License-Identifier: Apache-2.0
//
// The part of the page's script that only computes: lanes, states of claims, and the longest waits
// with their causes. It touches no document, so that it can be tested alone.

/// The computing part of the script.
enum TracePageModelScript {
    static let text = #"""
        "use strict";
        const WAITING = 0, ASKING = 1, HOLDING = 2;
        const IN_CYCLE = 4;

        // Turns the data of the page, in which lists are short, into objects.
        function readTrace(data) {
          const trace = {end: Math.max(1, data.end), paths: data.paths, endings: data.endings};
          trace.processes = data.processes.map(([pid, name, label]) =>
            ({pid, name, text: (label || name) + " (pid " + pid + ")"}));
          trace.claims = data.claims.map((c, index) => {
            const items = [], stays = [];
            for (let i = 0; i < c[5].length; i += 2)
              items.push({path: c[5][i], writes: c[5][i + 1] === 1});
            for (let i = 0; i < c[6].length; i += 3)
              stays.push({state: c[6][i], from: c[6][i + 1], to: c[6][i + 2]});
            const process = trace.processes[c[1]];
            const claim = {index, number: c[0], process: c[1], ending: c[3], delegated: c[4] === 1,
              items, stays, waits: c[7], details: c[8], cycle: c[9],
              writes: items.some(item => item.writes),
              who: c[2] ? c[2] + " (pid " + process.pid + ")" : process.text};
            claim.from = stays.length ? stays[0].from : 0;
            claim.to = stays.length ? stays[stays.length - 1].to : 0;
            claim.waited = stays.reduce((sum, stay) =>
              stay.state === HOLDING ? sum : sum + stay.to - stay.from, 0);
            return claim;
          });
          trace.presenters = data.presenters.map(([process, label, path, from, to]) =>
            ({process, path, from, to, who: label ?
              label + " (pid " + trace.processes[process].pid + ")" :
              trace.processes[process].text}));
          trace.questions = data.questions.map(([presenter, claim, message, from, to, answer]) =>
            ({presenter, claim, message, from, to, answer}));
          trace.messages = data.messages.map(([time, presenter, message, claim, plain]) =>
            ({time, presenter, message, claim, plain: plain === 1}));
          trace.marks = data.marks.map(([time, process, text, kind, path]) =>
            ({time, process, text, kind, path}));
          trace.stops = data.stops.map(([process, from, to]) => ({process, from, to}));
          trace.asked = new Map();
          for (const question of trace.questions) {
            if (!trace.asked.has(question.claim)) trace.asked.set(question.claim, []);
            trace.asked.get(question.claim).push(question);
          }
          return trace;
        }

        // One lane for each process and file; `find` is what its text must contain.
        function makeLanes(trace, group, find) {
          const lanes = new Map();
          const lane = (process, path) => {
            const key = process * 1048576 + path;
            if (!lanes.has(key))
              lanes.set(key, {process, path, bars: [], presenters: [], who:
                trace.processes[process].text, file: path < 0 ? "" : trace.paths[path]});
            return lanes.get(key);
          };
          for (const claim of trace.claims)
            for (const item of claim.items) lane(claim.process, item.path).bars.push(claim);
          trace.presenters.forEach((presenter, index) =>
            lane(presenter.process, presenter.path).presenters.push(index));
          // Of a delegation there may be nothing but the mark.
          for (const mark of trace.marks)
            if (mark.process >= 0 && mark.path >= 0) lane(mark.process, mark.path);
          const byProcess = new Map();
          for (const one of lanes.values()) {
            if (!byProcess.has(one.process)) byProcess.set(one.process,
              trace.marks.filter(mark => mark.process === one.process));
            one.marks = byProcess.get(one.process).filter(mark => concerns(mark, one));
            one.stops = trace.stops.filter(stop => stop.process === one.process);
          }
          const wanted = find.trim().toLowerCase();
          const result = [...lanes.values()].filter(one => !wanted ||
            (one.who + " " + one.file).toLowerCase().includes(wanted) ||
            one.bars.some(claim => claim.who.toLowerCase().includes(wanted)));
          for (const one of result) {
            one.bars.sort((a, b) => a.from - b.from || a.index - b.index);
            // Where the latest end of all bars up to here is, to find the first that is visible.
            let latest = 0;
            one.latest = one.bars.map(claim => latest = Math.max(latest, claim.to));
          }
          const [first, second] = group === "file" ? ["path", "process"] : ["process", "path"];
          return result.sort((a, b) => a[first] - b[first] || a[second] - b[second]);
        }

        // The index of the first element for which `isReached`, which stays true, is true.
        function firstIndex(list, isReached) {
          let low = 0, high = list.length;
          while (low < high) {
            const middle = (low + high) >> 1;
            if (isReached(list[middle])) high = middle; else low = middle + 1;
          }
          return low;
        }

        function stateAt(claim, time) {
          if (time < claim.from || time > claim.to) return -1;
          for (const stay of claim.stays) if (time < stay.to) return stay.state;
          return claim.stays.length ? claim.stays[claim.stays.length - 1].state : -1;
        }

        // What a claim waits for at a moment.
        function causesAt(trace, claim, time) {
          let wait = null;
          for (const next of claim.waits) if (next[0] <= time) wait = next;
          const claims = wait ? wait[1].filter(index => trace.claims[index].to > time) : [];
          const questions = (trace.asked.get(claim.index) || [])
            .filter(question => question.from <= time && question.to > time);
          return {claims, questions, more: wait ? Math.max(0, wait[3] - wait[1].length -
            wait[2].length) : 0};
        }

        // The longest waits, with how long each cause was in the way. Those that would never have
        // ended come first, although they were refused at once.
        function longestWaits(trace, limit) {
          const inCycle = claim => claim.ending === IN_CYCLE ? 1 : 0;
          const waits = trace.claims.filter(claim => claim.waited > 0 || inCycle(claim))
            .sort((a, b) => inCycle(b) - inCycle(a) || b.waited - a.waited || a.index - b.index)
            .slice(0, limit);
          return waits.map(claim => {
            const causes = new Map();
            const begin = claim.from;
            const end = claim.stays.reduce((latest, stay) =>
              stay.state === HOLDING ? latest : Math.max(latest, stay.to), begin);
            const note = (text, time) => {
              if (time > 0) causes.set(text, Math.max(causes.get(text) || 0, time));
            };
            const add = (text, from, to) =>
              note(text, Math.min(to, end) - Math.max(from, begin));
            const addStops = (text, process, from, to) => note(text + " stopped",
              stoppedFor(trace, process, Math.max(from, begin), Math.min(to, end)));
            addStops("its own process was", claim.process, begin, end);
            for (const [time, claims] of claim.waits)
              for (const index of claims) {
                const other = trace.claims[index];
                add(other.who + " held or was ahead", time, other.to);
                addStops(other.who + " was", other.process, time, other.to);
              }
            for (const question of trace.asked.get(claim.index) || []) {
              const presenter = trace.presenters[question.presenter];
              add(presenter.who + " answered " + question.message +
                (question.answer === 0 ? " (no answer)" : ""), question.from, question.to);
              addStops(presenter.who + " was", presenter.process, question.from, question.to);
            }
            const longest = [...causes].sort((a, b) => b[1] - a[1]).slice(0, 5)
              .map(([text, time]) => text + " for " + duration(time));
            return {claim, causes: inCycle(claim) ? [claim.details, ...longest] : longest};
          });
        }

        // A duration as DurationText has it.
        function duration(time) {
          const whole = unit => Math.floor(time / unit), seconds = whole(1e9);
          if (time === 0) return "0 s";
          if (time < 1e3) return time + " ns";
          if (time < 1e6) return whole(1e3) + " \u00b5s";
          if (time < 1e9) return whole(1e6) + " ms";
          if (seconds < 60) return seconds + "." + whole(1e8) % 10 + " s";
          if (seconds < 3600) return whole(6e10) + " min " + seconds % 60 + " s";
          if (seconds < 86400) return whole(36e11) + " h " + whole(6e10) % 60 + " min";
          return whole(864e11) + " d " + whole(36e11) % 24 + " h";
        }
        // A point in time of the recording, with more digits than a duration, because events that
        // follow each other must not seem to be at once: three decimals below a second, then all
        // digits to the microsecond.
        function moment(time) {
          for (const [unit, name] of [[1, "ns"], [1e3, "\u00b5s"], [1e6, "ms"]])
            if (time > 0 && time < 1e3 * unit)
              return Math.floor(Math.floor(time) * 1e3 / unit) / 1e3 + " " + name;
          return wholeTime(Math.floor(time / 1e3) * 1e3);
        }
        function inMinutes(seconds) {
          const hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds % 3600 / 60);
          return (hours ? hours + " h " : "") + minutes + " min " + seconds % 60 + " s";
        }

        // The ticks of the axis, about as many as wanted. Ticks that differ by little get the
        // whole time at the first one, and at the others what is added to it.
        function ticks(from, to, wanted) {
          const longer = [1e10, 3e10, 6e10, 12e10, 3e11, 6e11, 18e11, 36e11, 72e11, 216e11, 432e11];
          let step = 1;
          while (step < (to - from) / wanted) {
            if (step < 5e9) step *= step.toString()[0] === "2" ? 2.5 : 2;
            else step = longer.find(one => one > step) || step * 2;
          }
          const result = [];
          const first = Math.ceil(from / step) * step;
          const [unit, name] = step < 1e3 ? [1, "ns"] : step < 1e6 ? [1e3, "\u00b5s"] : [1e6, "ms"];
          for (let time = first; time <= to; time = first + result.length * step) {
            let text = wholeTime(time);
            if (step < 1e9 && to < 1e5 * unit) text = Math.round(time / unit) + " " + name;
            else if (step < 1e9)
              text = result.length ? "+" + Math.round((time - first) / unit) + " " + name :
                wholeTime(first);
            result.push({time, text});
          }
          return result;
        }
        // A time with all its digits.
        function wholeTime(time) {
          const seconds = Math.floor(time / 1e9);
          const rest = String(Math.round(time % 1e9) + 1e9).slice(1).replace(/0+$/, "");
          return (seconds < 60 ? seconds + " s" : inMinutes(seconds))
            .replace(/ s$/, (rest ? "." + rest : "") + " s");
        }

        function describe(trace, claim) {
          const names = ["waited", "asked presenters", claim.writes ? "wrote" : "read"];
          const lines = [claim.who, claim.items.map(item => (item.writes ? "write " : "read ") +
            trace.paths[item.path]).slice(0, 8).join("\n")];
          lines.push(claim.stays.map(stay => names[stay.state] + " " +
            duration(stay.to - stay.from)).join(", ") + "; " + trace.endings[claim.ending]);
          if (claim.details) lines.push(claim.details);
          if (claim.delegated) lines.push("by delegation: the server heard of it later");
          return lines.join("\n");
        }
        """#
}
