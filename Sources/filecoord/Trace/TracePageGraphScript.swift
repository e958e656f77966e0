// SPDX-License-Identifier: Apache-2.0
//
// The part of the page's script that draws who waits for whom at a moment: waiters on the left,
// what they wait for on the right.

/// The script that draws the graph.
enum TracePageGraphScript {
    static let text = #"""
        // Draws the graph of a moment into an element.
        function drawGraph(trace, time, box) {
          const {nodes, edges, others} = graphAt(trace, time);
          if (!nodes.size) { box.textContent = "No access waits at this moment."; return; }
          const names = [...nodes.keys()], depth = new Map();
          const deepen = (name, way) => {
            if (depth.has(name)) return depth.get(name);
            if (way.has(name)) return 0;
            way.add(name);
            let most = 0;
            for (const edge of edges)
              if (edge.from === name) most = Math.max(most, deepen(edge.to, way) + 1);
            way.delete(name);
            depth.set(name, most);
            return most;
          };
          const depths = names.map(name => deepen(name, new Set()));
          // In a cycle, no claim has depth 0.
          const deepest = Math.max(...depths), columns = deepest - Math.min(...depths);
          // Between the columns there is room for the names of messages.
          const longest = Math.max(0, ...edges.map(edge => edge.label.slice(0, 32).length));
          const stride = 250 + Math.max(70, longest * 7 + 30);
          // The arrow back of a cycle goes around the boxes.
          const margin = edges.some(edge => edge.isOfCycle) ? 45 : 10;
          const used = [], places = new Map();
          for (const name of names) {
            const column = deepest - depth.get(name);
            used[column] = (used[column] || 0) + 1;
            places.set(name, [margin + column * stride, 10 + (used[column] - 1) * 76]);
          }
          const high = Math.max(...used.map(count => count || 0)) * 76 + (others ? 45 : 20);
          const space = "http://www.w3.org/2000/svg";
          const make = (kind, fields, parent) => {
            const element = document.createElementNS(space, kind);
            for (const name in fields) element.setAttribute(name, fields[name]);
            parent.appendChild(element);
            return element;
          };
          const picture = document.createElementNS(space, "svg");
          const wide = columns * stride + 250 + 2 * margin;
          picture.setAttribute("width", wide);
          picture.setAttribute("height", high);
          picture.setAttribute("role", "img");
          const verbs = {"inside it": " has asked inside its access for what is wanted by ",
            "cannot answer before": " cannot answer before "};
          picture.setAttribute("aria-label", edges.map(edge => nodes.get(edge.from).lines[0] +
            (verbs[edge.label] || " waits for ") + nodes.get(edge.to).lines[0])
            .slice(0, 20).join("; "));
          for (const edge of edges) {
            const a = places.get(edge.from), b = places.get(edge.to);
            const [x1, y1, x2, y2] = [a[0] + 250, a[1] + 30, b[0], b[1] + 30];
            const bend = x2 < x1 ? 60 + (x1 - x2) / 6 : Math.max(35, (x2 - x1) / 3);
            // An arrow past other boxes, or back to the left, goes below them.
            const bow = x2 - x1 > stride - 250 || x2 < x1 ? 48 : 0;
            make("path", {class: edge.isOfCycle ? "cycle" : "",
              d: `M${x1},${y1} C${x1 + bend},${y1 + bow} ` +
              `${x2 - bend},${y2 + bow} ${x2},${y2}`}, picture);
            make("path", {class: "tip", d: `M${x2},${y2} l-7,-4 v8 z`}, picture);
            if (edge.label) make("text", {x: (x1 + x2) / 2, y: (y1 + y2) / 2 + (bow || -4),
              "text-anchor": "middle"}, picture).textContent = edge.label.slice(0, 32);
          }
          for (const name of names) {
            const node = nodes.get(name), [left, upper] = places.get(name);
            const state = ["waiting", "asking", node.claim && node.claim.writes ? "writing" :
              "reading"][node.state] || "";
            const frame = {x: left, y: upper, width: 250, height: 62, rx: 6, class: state};
            make("rect", frame, picture);
            node.lines.forEach((line, row) => {
              const text = make("text", {x: left + 8, y: upper + 18 + row * 17}, picture);
              text.textContent = line.length > 36 ? "\u2026" + line.slice(-35) : line;
            });
          }
          if (others) make("text", {x: margin, y: high - 6}, picture).textContent =
            "Only the refused cycle is drawn. Other accesses that wait: " + others;
          box.replaceChildren(picture);
        }
        """#
}
