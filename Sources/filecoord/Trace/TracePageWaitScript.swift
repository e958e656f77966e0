// SPDX-License-Identifier: Apache-2.0
//
// The part of the page's script that finds out who waits for whom at a moment. Like the other
// computing part, it touches no document. At the moment at which a claim is refused in a cycle, the
// graph has the cycle alone, because it would not be seen among many accesses that wait.

/// The script about who waits for whom.
enum TracePageWaitScript {
    static let text = #"""
        // The claims that wait at a moment and what they wait for, and how many other claims wait.
        function graphAt(trace, time) {
          const graph = emptyGraph(trace, time);
          const cycles = trace.claims.filter(claim => claim.cycle.length && claim.to === time);
          for (const claim of cycles) addCycle(graph, claim);
          const waiting = trace.claims.filter(claim => waitsAt(claim, time));
          if (cycles.length) addCauses(graph);
          else for (const claim of waiting) {
            graph.addWait(claim);
            if (graph.nodes.size > 200) break;
          }
          const others = waiting.filter(claim => !graph.nodes.has("c" + claim.index)).length;
          return {nodes: graph.nodes, edges: graph.edges, others: cycles.length ? others : 0};
        }

        function waitsAt(claim, time) {
          if (claim.from > time || claim.to <= time) return false;
          return [WAITING, ASKING].includes(stateAt(claim, time));
        }

        function emptyGraph(trace, time) {
          const nodes = new Map(), edges = [];
          const add = (key, node) => { if (!nodes.has(key)) nodes.set(key, node); return key; };
          const addClaim = claim => {
            const state = stateAt(claim, time);
            const waits = (state === ASKING ? "asks" : "waits") +
              (claim.writes ? " to write" : " to read");
            const fails = claim.cycle.length && claim.to === time;
            const action = state === HOLDING ? (claim.writes ? "writes" : "reads") :
              fails ? waits + ", is refused" : waits;
            return add("c" + claim.index, {claim, state, lines: [claim.who,
              action + stoppedText(trace, claim.process, time),
              claim.items.length ? trace.paths[claim.items[0].path] : ""]});
          };
          const addPresenter = index => {
            const presenter = trace.presenters[index];
            return add("p" + index, {state: -1, lines: [presenter.who, "presents" +
              stoppedText(trace, presenter.process, time),
              presenter.path < 0 ? "" : trace.paths[presenter.path]]});
          };
          const link = (from, to, label) => {
            let edge = edges.find(edge => edge.from === from && edge.to === to);
            if (!edge) edges.push(edge = {from, to, label});
            return edge;
          };
          // Adds a claim with what it waits for.
          const addWait = claim => {
            const from = addClaim(claim), causes = causesAt(trace, claim, time);
            for (const index of causes.claims) link(from, addClaim(trace.claims[index]), "");
            for (const question of causes.questions)
              link(from, addPresenter(question.presenter), question.message);
            if (causes.more) link(from, add("m" + claim.index,
              {state: -1, lines: ["and " + causes.more + " more"]}), "");
          };
          return {trace, time, nodes, edges, addClaim, addPresenter, link, addWait};
        }

        // Adds what the claims of a graph wait for, to the ends of the waits.
        function addCauses(graph) {
          // What is added to a map is visited, too.
          for (const node of graph.nodes.values())
            if (node.claim && waitsAt(node.claim, graph.time)) graph.addWait(node.claim);
        }

        // Adds the cycle in which a claim fails. Each of its claims waits for the next one, or
        // holds and has asked for the next one inside of its access, or asks a presenter that
        // cannot answer before the next one has ended.
        function addCycle(graph, claim) {
          const {trace, time} = graph, members = claim.cycle.map(index => trace.claims[index]);
          const link = (from, to, label) => { graph.link(from, to, label).isOfCycle = true; };
          members.forEach((member, place) => {
            const next = members[(place + 1) % members.length];
            const from = graph.addClaim(member), to = graph.addClaim(next);
            const question = (trace.asked.get(member.index) || []).find(question =>
              question.from <= time && (question.to > time ||
                question.to === time && question.answer === 0) &&
              trace.presenters[question.presenter].process === next.process);
            if (question) {
              const presenter = graph.addPresenter(question.presenter);
              link(from, presenter, question.message);
              link(presenter, to, "cannot answer before");
            } else if (member !== next)
              link(from, to, stateAt(member, time) === HOLDING ? "inside it" : "");
          });
        }
        """#
}
