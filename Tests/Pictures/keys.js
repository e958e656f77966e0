// SPDX-License-Identifier: Apache-2.0
//
// Presses each key of a report and says whether it did what the report's list of keys says. It is
// put at the end of a report; the element "verdict" has the result. What is drawn is compared as a
// picture: the view of the timeline has no other trace in the page.
const faults = [];
const by = id => document.getElementById(id);
const check = (holds, text) => { if (!holds) faults.push(text); };
const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
const picture = async () => { await drawn(); return by("lanes").toDataURL(); };
const press = (key, more = {}, target = document.activeElement) => {
  const event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...more});
  target.dispatchEvent(event);
  return event.defaultPrevented;
};
const about = () => by("about").textContent;
const moment = () => by("moment").textContent;

async function pressAll() {
  by("lanes").focus();
  const all = await picture();
  check(press("+"), "+ is not handled");
  const near = await picture();
  check(near !== all, "+ does not zoom in");
  press("-");
  check(await picture() === all, "- does not undo +");
  press("=");
  check(await picture() === near, "= does not zoom in as + does");
  press("0");
  check(await picture() === all, "0 does not show all");

  for (let time = 0; time < 3; time++) press("+");
  const middle = await picture();
  press("ArrowRight");
  const right = await picture();
  check(right !== middle, "ArrowRight does not move the view");
  press("ArrowLeft");
  check(await picture() === middle, "ArrowLeft does not undo ArrowRight");
  press("ArrowRight", {shiftKey: true});
  check(![middle, right].includes(await picture()), "Shift does not move the view by a page");
  press("Home");
  const start = await picture();
  press("End");
  check(await picture() !== start, "Home and End show the same");
  press("Home");
  check(await picture() === start, "Home does not show the start");
  press("0");

  press("ArrowUp");
  const first = about();
  press("ArrowDown");
  const second = about();
  check(first !== second && /accesses$/.test(second), "ArrowDown does not choose the next lane");
  press("ArrowUp");
  check(about() === first, "ArrowUp does not choose the lane before");
  press("PageDown");
  check(![first, second].includes(about()), "PageDown does not go further than ArrowDown");
  press("PageUp");
  check(about() === first, "PageUp does not undo PageDown");

  const hasSeveral = () => Number(/(\d+) accesses$/.exec(about())?.[1]) > 2;
  for (let lane = 0; lane < 100 && !hasSeveral(); lane++) press("ArrowDown");
  check(hasSeveral(), "no lane has several accesses to try the keys n and p");
  press("n");
  const access = about(), at = moment();
  check(!/accesses$/.test(access), "n does not show an access");
  press("n");
  check(about() !== access || moment() !== at, "n does not go on to the next access");
  press("p");
  check(about() === access && moment() === at, "p does not go back");

  const rows = document.querySelectorAll("#waits tbody tr");
  check(rows.length > 1, "there are too few waits to try the keys w and W");
  const waiter = row => row.cells[2].textContent;
  press("w");
  const longest = about();
  check(longest.includes(waiter(rows[0])), "w does not show the longest wait");
  check(!rows[0].cells[4].textContent.includes("cycle of waits") ||
    document.querySelector("#graph path.cycle"), "the graph does not show the refused cycle");
  press("w");
  check(about().includes(waiter(rows[1])), "w does not go on to the next wait");
  press("W");
  check(about() === longest, "W does not go back");
  rows[1].focus();
  press("Enter");
  check(about().includes(waiter(rows[1])), "Enter in the table does not show its wait");
  by("lanes").focus();

  const unmarked = about();
  press("m");
  const mark = about(), since = moment();
  check(mark !== unmarked, "m does not show a mark");
  press("m");
  check(about() !== mark || moment() !== since, "m does not go on to the next mark");
  press("M");
  check(about() === mark && moment() === since, "M does not go back");

  press("/");
  check(document.activeElement === by("find"), "/ does not go to the search");
  check(!press("n"), "letters in the search are taken as keys");
  by("find").value = "backup";
  by("find").dispatchEvent(new Event("input"));
  const found = await picture();
  by("find").value = "";
  by("find").dispatchEvent(new Event("input"));
  check(await picture() !== found, "the search leaves no lane out");
  press("Escape");
  check(document.activeElement === by("lanes"), "Escape does not leave the search");

  check(by("keys").hidden, "the list of keys is shown from the start");
  press("?");
  check(!by("keys").hidden && by("help").getAttribute("aria-expanded") === "true",
    "? does not show the list of keys");
  press("?");
  check(by("keys").hidden, "? does not hide the list again");
  check(!press("+", {ctrlKey: true}), "the browser's own Ctrl + is taken");
}
pressAll().catch(error => faults.push(String(error))).then(() => {
  const verdict = document.createElement("p");
  verdict.id = "verdict";
  verdict.textContent = faults.length ? "keys: " + faults.join("; ") : "keys: each does what it says";
  document.body.append(verdict);
});
