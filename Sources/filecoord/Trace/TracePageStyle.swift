// SPDX-License-Identifier: Apache-2.0
//
// The style of the page that `filecoord report` makes, light and dark. The script takes the colours
// of the canvas from it, so they are in one place.

/// The style sheet.
enum TracePageStyle {
    static let text = """
        :root{--page:#fbfcfe;--text:#1d2738;--soft:#5c6880;--rule:#dde3ee;--lane:#f1f4f9;\
        --waiting:#e0a63c;--asking:#a763c7;--reading:#3f7fd0;--writing:#3b9a55;--gap:#c9352b;\
        --choice:#1d2738;--stopped:#d0582a;--server:#6b5bd2}
        @media(prefers-color-scheme:dark){:root{--page:#171c25;--text:#e6eaf2;--soft:#a9b4c8;\
        --rule:#323c4f;--lane:#1e2532;--waiting:#c48a22;--asking:#b77ad3;--reading:#5b9bea;\
        --writing:#52b56d;--gap:#ff7a70;--choice:#fff;--stopped:#ff9a5c;--server:#a99cff}}
        body{margin:1rem 1.5rem;background:var(--page);color:var(--text);\
        font:15px/1.45 system-ui,sans-serif}
        h1{font-size:1.4rem;margin:0}h2{font-size:1.1rem;margin:1.2rem 0 .4rem}
        p{margin:.2rem 0}.note,#moment,#keys{color:var(--soft)}
        .tools{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:.7rem 0}
        .tools button,.tools input,.tools select{font:inherit;color:inherit;\
        background:var(--lane);border:1px solid var(--rule);border-radius:5px;padding:.15rem .6rem}
        .legend{color:var(--soft)}.legend i{display:inline-block;width:.9em;height:.8em;\
        border-radius:3px;margin:0 .3em 0 .6em}
        .waiting{background:var(--waiting)}.asking{background:var(--asking)}\
        .reading{background:var(--reading)}.writing{background:var(--writing)}\
        .stopped{background:var(--stopped)}
        #box{position:relative;border:1px solid var(--rule);border-radius:6px;overflow:hidden}
        #lanes{display:block;width:100%;touch-action:none}
        #lanes:focus-visible,button:focus-visible,tr:focus-visible{outline:2px solid \
        var(--reading);outline-offset:-2px}
        #tip{position:absolute;pointer-events:none;max-width:30rem;padding:.4rem .6rem;\
        background:var(--page);border:1px solid var(--soft);border-radius:5px;\
        white-space:pre-line;font-size:13px;box-shadow:0 2px 8px #0003}
        #about{white-space:pre-line;min-height:4.5em;padding:.5rem 0}
        #graph{overflow-x:auto;border:1px solid var(--rule);border-radius:6px;padding:.4rem}
        #graph rect{stroke:var(--soft);fill:var(--lane)}#graph text{fill:var(--text);font-size:12px}
        #graph path{fill:none;stroke:var(--soft)}#graph .tip{fill:var(--soft);stroke:none}
        #graph path.cycle{stroke:var(--gap);stroke-width:2}
        #graph rect.waiting{stroke:var(--waiting);stroke-dasharray:4 2;stroke-width:2}\
        #graph rect.asking{stroke:var(--asking);stroke-dasharray:4 2;stroke-width:2}\
        #graph rect.reading{stroke:var(--reading);stroke-width:2}\
        #graph rect.writing{stroke:var(--writing);stroke-width:2}
        table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.25rem .6rem;\
        vertical-align:top;border-bottom:1px solid var(--rule);overflow-wrap:anywhere}
        th{white-space:nowrap}\
        td:first-child,td:nth-child(2){white-space:nowrap;font-variant-numeric:tabular-nums}
        tbody tr{cursor:pointer}tbody tr:hover{background:var(--lane)}
        @media(max-width:44rem){table{display:block;overflow-x:auto}td{min-width:9rem}\
        td:first-child,td:nth-child(2){min-width:0}td:last-child{min-width:24rem}}
        """
}
