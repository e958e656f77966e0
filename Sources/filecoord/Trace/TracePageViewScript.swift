// SPDX-License-Identifier: Apache-2.0
//
// The part of the page's script that draws the timeline and listens: a canvas, on which only what
// is visible is drawn, the table of waits, the pointer and keys.

/// The drawing part of the script.
enum TracePageViewScript {
    static let text = #"""
        function show(trace) {
          const by = id => document.getElementById(id);
          const canvas = by("lanes"), pen = canvas.getContext("2d");
          const LABEL = 260, HEAD = 22, ROW = 24;
          let lanes = [], from = 0, to = trace.end, top = 0, lane = 0, chosen = null;
          let cursor = 0, width = 0, height = 0, isPlanned = false, pointer = null;
          const waits = longestWaits(trace, 200);
          let wait = -1, mark = -1;

          const x = time => LABEL + (time - from) / (to - from) * (width - LABEL);
          const timeAt = place => from + (place - LABEL) / (width - LABEL) * (to - from);
          const rows = () => Math.max(1, Math.floor((height - HEAD) / ROW));
          function plan() {
            if (!isPlanned) { isPlanned = true; requestAnimationFrame(draw); }
          }
          function colours() {
            const style = getComputedStyle(document.documentElement);
            const colour = name => style.getPropertyValue("--" + name).trim();
            return {text: colour("text"), soft: colour("soft"), rule: colour("rule"),
              lane: colour("lane"), page: colour("page"), gap: colour("gap"),
              choice: colour("choice"), stopped: colour("stopped"), server: colour("server"),
              read: [colour("waiting"), colour("asking"), colour("reading")],
              write: [colour("waiting"), colour("asking"), colour("writing")]};
          }

          function layOut() {
            lanes = makeLanes(trace, by("group").value, by("find").value);
            lane = Math.min(lane, Math.max(0, lanes.length - 1));
            top = 0;
            size();
          }
          function size() {
            const ratio = window.devicePixelRatio || 1;
            width = canvas.clientWidth || 800;
            height = HEAD + ROW * Math.min(Math.max(lanes.length, 2), 22) + 4;
            canvas.style.height = height + "px";
            canvas.width = width * ratio;
            canvas.height = height * ratio;
            pen.setTransform(ratio, 0, 0, ratio, 0, 0);
            plan();
          }

          function draw() {
            isPlanned = false;
            const paint = colours();
            pen.fillStyle = paint.page;
            pen.fillRect(0, 0, width, height);
            pen.font = "12px system-ui, sans-serif";
            pen.textBaseline = "middle";
            drawTimes(paint);
            const last = Math.min(lanes.length, top + rows());
            for (let index = top; index < last; index++)
              drawLane(lanes[index], HEAD + (index - top) * ROW, index, paint);
            drawArrows(paint, last);
            drawGlobalMarks(pen, paint, trace.marks.filter(mark => mark.time >= from &&
              mark.time <= to), x, HEAD, height);
            if (cursor >= from && cursor <= to) {
              pen.fillStyle = paint.choice;
              pen.fillRect(x(cursor), 0, 1, height);
            }
            if (!lanes.length) {
              pen.fillStyle = paint.soft;
              pen.fillText("nothing matches", 10, HEAD + ROW / 2);
            }
          }
          function drawTimes(paint) {
            pen.fillStyle = paint.soft;
            const all = ticks(from, to, Math.max(2, (width - LABEL) / 110));
            all.forEach(({time, text}, index) => {
              const next = index + 1 < all.length ? x(all[index + 1].time) : Infinity;
              pen.fillText(text, x(time) + 3, HEAD / 2, Math.min(next - x(time) - 6, 200));
              pen.fillRect(x(time), HEAD - 4, 1, 4);
            });
          }
          function drawLane(one, y, index, paint) {
            if (index % 2 || index === lane) {
              pen.fillStyle = index === lane ? paint.rule : paint.lane;
              pen.fillRect(0, y, width, ROW);
            }
            pen.fillStyle = paint.text;
            const isFile = by("group").value === "file";
            const name = one.file.length > 24 ? "\u2026" + one.file.slice(-23) : one.file;
            const who = one.who.length > 22 ? one.who.slice(0, 21) + "\u2026" : one.who;
            const label = isFile ? name + "  " + who : who + "  " + name;
            pen.fillText(label, 6, y + ROW / 2, LABEL - 12);
            pen.save();
            pen.beginPath();
            pen.rect(LABEL, y, width - LABEL, ROW);
            pen.clip();
            for (const number of one.presenters) {
              const presenter = trace.presenters[number];
              pen.fillStyle = paint.soft;
              const start = x(presenter.from);
              pen.fillRect(start, y + ROW - 4, x(presenter.to) - start, 1.5);
            }
            let edge = -1;
            for (let i = firstIndex(one.latest, end => end >= from); i < one.bars.length; i++) {
              const claim = one.bars[i];
              if (claim.from > to) break;
              // Of bars that share a pixel, one is drawn.
              if (claim !== chosen && x(claim.to) < edge + 0.5) continue;
              edge = Math.max(edge, x(claim.to));
              const colour = claim.writes ? paint.write : paint.read;
              for (const stay of claim.stays) {
                if (stay.to < from || stay.from > to) continue;
                const left = Math.max(LABEL - 2, x(stay.from));
                const right = Math.min(width + 2, x(stay.to));
                pen.fillStyle = colour[stay.state];
                const thin = stay.state === HOLDING ? 4 : 7;
                pen.fillRect(left, y + thin, Math.max(1, right - left), ROW - 2 * thin);
              }
              if (claim === chosen) {
                pen.strokeStyle = paint.choice;
                pen.lineWidth = 2;
                const start = x(claim.from);
                pen.strokeRect(start - 1, y + 2, Math.max(3, x(claim.to) - start) + 2, ROW - 4);
              }
            }
            drawLaneMarks(pen, paint, one, x, y, ROW);
            pen.restore();
          }
          // Questions lead from the claim to the presenter, answers back, notices down to a point.
          function drawArrows(paint, last) {
            const place = new Map();
            for (let index = top; index < last; index++)
              place.set(lanes[index].process + " " + lanes[index].path,
                HEAD + (index - top) * ROW + ROW / 2);
            const of = (process, path) => place.get(process + " " + path);
            pen.strokeStyle = pen.fillStyle = paint.soft;
            pen.lineWidth = 1;
            let drawn = 0;
            const arrow = (time, start, end) => {
              if (start === undefined || end === undefined || start === end) return;
              if (time < from || time > to || drawn++ > 2000) return;
              const tip = end > start ? -5 : 5;
              pen.beginPath();
              pen.moveTo(x(time), start);
              pen.lineTo(x(time), end);
              pen.moveTo(x(time) - 3, end + tip);
              pen.lineTo(x(time), end);
              pen.lineTo(x(time) + 3, end + tip);
              pen.stroke();
            };
            const ends = (claim, presenter) => [claim.items.length ?
              of(claim.process, claim.items[0].path) : undefined,
              of(presenter.process, presenter.path)];
            for (const question of trace.questions) {
              const presenter = trace.presenters[question.presenter];
              const [a, b] = ends(trace.claims[question.claim], presenter);
              arrow(question.from, a, b);
              if (question.answer) arrow(question.to, b, a);
            }
            for (const message of trace.messages) {
              const presenter = trace.presenters[message.presenter];
              const end = of(presenter.process, presenter.path);
              if (message.claim >= 0) arrow(message.time, ends(trace.claims[message.claim],
                presenter)[0], end);
              if (end !== undefined && message.time >= from && message.time <= to)
                pen.fillRect(x(message.time) - 2, end - 2, 4, 4);
            }
          }

          function choose(claim, isMoved) {
            chosen = claim;
            by("about").textContent = describe(trace, claim) + "\n" + messagesOf(claim);
            if (isMoved && (claim.from > to || claim.to < from)) {
              const half = (to - from) / 2;
              look(claim.from - half, claim.from + half);
            }
            setCursor(momentOf(claim));
          }
          // The moment that says most about a claim: when it was refused in a cycle, or the middle
          // of its wait.
          function momentOf(claim) {
            if (claim.cycle.length) return claim.to;
            return claim.from + Math.max(0, Math.min(claim.waited / 2, claim.waited - 1));
          }
          function messagesOf(claim) {
            const questions = (trace.asked.get(claim.index) || []).slice(0, 5).map(question =>
              "asked " + trace.presenters[question.presenter].who + ": " + question.message + ", " +
              ["no answer", "answered", "refused"][question.answer] + " after " +
              duration(question.to - question.from));
            return questions.join("\n");
          }
          function setCursor(time) {
            cursor = Math.min(Math.max(0, time), trace.end);
            by("moment").textContent = "at " + moment(cursor);
            drawGraph(trace, cursor, by("graph"));
            plan();
          }
          function look(start, end) {
            const length = Math.min(Math.max(end - start, 100), trace.end);
            from = Math.min(Math.max(0, start), trace.end - length);
            to = from + length;
            plan();
          }
          function zoom(factor, centre) {
            look(centre - (centre - from) * factor, centre + (to - centre) * factor);
          }
          function selectLane(index) {
            lane = Math.min(Math.max(0, index), Math.max(0, lanes.length - 1));
            if (lane < top) top = lane;
            if (lane >= top + rows()) top = lane - rows() + 1;
            if (lanes[lane]) by("about").textContent = lanes[lane].who + "\n" + lanes[lane].file +
              "\n" + lanes[lane].bars.length + " accesses";
            plan();
          }
          function step(direction) {
            const bars = lanes[lane] ? lanes[lane].bars : [];
            if (!bars.length) return;
            const now = bars.indexOf(chosen);
            const next = now < 0 ? firstIndex(bars, claim => claim.from >= from) : now + direction;
            choose(bars[Math.min(Math.max(0, next), bars.length - 1)], true);
          }
          function goTo(index) {
            if (!waits.length) return;
            wait = (index + waits.length) % waits.length;
            const claim = waits[wait].claim;
            const length = Math.max(claim.to - claim.from, 1000);
            look(claim.from - length / 2, claim.to + length / 2);
            const place = lanes.findIndex(one => one.bars.includes(claim));
            if (place >= 0) selectLane(place);
            choose(claim, false);
          }

          function goToMark(index) {
            if (!trace.marks.length) return;
            mark = (index + trace.marks.length) % trace.marks.length;
            const one = trace.marks[mark], half = (to - from) / 2;
            if (one.time < from || one.time > to) look(one.time - half, one.time + half);
            const place = lanes.findIndex(lane => one.process >= 0 && concerns(one, lane));
            if (place >= 0) selectLane(place);
            setCursor(one.time);
            by("about").textContent = describeMark(trace, one);
          }

          function fillTable() {
            const body = document.querySelector("#waits tbody");
            waits.forEach((one, index) => {
              const row = body.insertRow();
              row.tabIndex = 0;
              const claim = one.claim;
              for (const text of [duration(claim.waited), moment(claim.from), claim.who,
                claim.items.map(item => trace.paths[item.path]).slice(0, 3).join(", "),
                one.causes.join("; ") || "not recorded"]) row.insertCell().textContent = text;
              row.onclick = () => { goTo(index); canvas.scrollIntoView({block: "nearest"}); };
              row.onkeydown = event => { if (event.key === "Enter") row.onclick(); };
            });
            if (!waits.length) body.insertRow().insertCell().textContent = "No access waited.";
          }

          function barAt(place) {
            const index = top + Math.floor((place.y - HEAD) / ROW), one = lanes[index];
            if (!one || place.x < LABEL || place.y < HEAD) return null;
            const near = (to - from) / (width - LABEL) * 3, time = timeAt(place.x);
            let best = null, distance = Infinity;
            let i = firstIndex(one.latest, end => end >= time - near);
            for (; i < one.bars.length; i++) {
              const claim = one.bars[i];
              if (claim.from > time + near) break;
              const far = Math.max(0, claim.from - time, time - claim.to);
              if (far < distance) { best = claim; distance = far; }
            }
            return best;
          }
          // What the tip at a place says: of an access, or of a mark beside one.
          function textAt(place) {
            if (place.x < LABEL || place.y < HEAD) return "";
            const one = lanes[top + Math.floor((place.y - HEAD) / ROW)];
            const near = (to - from) / (width - LABEL) * 4;
            const marked = nearestMark(trace, one, timeAt(place.x), near), claim = barAt(place);
            return [claim ? describe(trace, claim) : "", marked ? describeMark(trace, marked) : ""]
              .filter(text => text).join("\n");
          }
          const placeOf = event => ({x: event.offsetX, y: event.offsetY});
          canvas.onpointerdown = event => {
            pointer = {x: event.offsetX, from, to, isMoved: false};
            canvas.setPointerCapture(event.pointerId);
          };
          canvas.onpointermove = event => {
            const tip = by("tip");
            if (pointer) {
              const part = (event.offsetX - pointer.x) / (width - LABEL);
              const moved = part * (pointer.to - pointer.from);
              if (Math.abs(event.offsetX - pointer.x) > 3) pointer.isMoved = true;
              if (pointer.isMoved) look(pointer.from - moved, pointer.to - moved);
            }
            const text = textAt(placeOf(event));
            tip.hidden = !text;
            if (!text) return;
            tip.textContent = text;
            tip.style.left = Math.min(event.offsetX + 12, width - 320) + "px";
            tip.style.top = event.offsetY + 14 + "px";
          };
          canvas.onpointerleave = () => { by("tip").hidden = true; };
          canvas.onpointerup = event => {
            const wasMoved = pointer && pointer.isMoved;
            pointer = null;
            if (wasMoved) return;
            const claim = barAt(placeOf(event));
            selectLane(top + Math.floor((event.offsetY - HEAD) / ROW));
            if (claim) choose(claim, false);
            if (event.offsetX > LABEL) setCursor(timeAt(event.offsetX));
          };
          canvas.addEventListener("wheel", event => {
            if (event.ctrlKey || event.metaKey) {
              zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(Math.max(LABEL, event.offsetX)));
            } else if (event.deltaX) {
              const moved = event.deltaX / width * (to - from);
              look(from + moved, to + moved);
            } else if (lanes.length > rows()) {
              const next = top + Math.sign(event.deltaY);
              if (next < 0 || next > lanes.length - rows()) return;
              top = next;
              plan();
            } else return;
            event.preventDefault();
          }, {passive: false});

          const centre = () => cursor >= from && cursor <= to ? cursor : (from + to) / 2;
          const help = () => {
            by("keys").hidden = !by("keys").hidden;
            by("help").setAttribute("aria-expanded", String(!by("keys").hidden));
          };
          const keys = {
            "+": () => zoom(0.5, centre()), "=": () => zoom(0.5, centre()),
            "-": () => zoom(2, centre()), "0": () => look(0, trace.end),
            ArrowUp: () => selectLane(lane - 1), ArrowDown: () => selectLane(lane + 1),
            PageUp: () => selectLane(lane - rows()), PageDown: () => selectLane(lane + rows()),
            Home: () => look(0, to - from), End: () => look(trace.end - (to - from), trace.end),
            n: () => step(1), p: () => step(-1), w: () => goTo(wait + 1), W: () => goTo(wait - 1),
            m: () => goToMark(mark + 1), M: () => goToMark(Math.max(mark, 0) - 1),
            "/": () => by("find").focus(), "?": help,
          };
          document.addEventListener("keydown", event => {
            if (event.target === by("find")) {
              if (event.key === "Escape" || event.key === "Enter") canvas.focus();
              return;
            }
            if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT")
              return;
            if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
              const part = (to - from) * (event.shiftKey ? 1 : 0.1);
              const moved = event.key === "ArrowLeft" ? -part : part;
              look(from + moved, to + moved);
            } else if (keys[event.key] && !(event.target.tagName === "TR" &&
              event.key.startsWith("Arrow"))) keys[event.key]();
            else return;
            event.preventDefault();
          });
          by("in").onclick = () => zoom(0.5, centre());
          by("out").onclick = () => zoom(2, centre());
          by("all").onclick = () => look(0, trace.end);
          by("help").onclick = help;
          by("find").oninput = layOut;
          by("group").onchange = layOut;
          window.addEventListener("resize", size);
          matchMedia("(prefers-color-scheme: dark)").addEventListener("change", plan);
          layOut();
          fillTable();
          setCursor(waits.length ? momentOf(waits[0].claim) : 0);
        }
        if (typeof document !== "undefined")
          show(readTrace(JSON.parse(document.getElementById("data").textContent)));
        """#
}
