"use strict";
// Which cases are asked for: places in `data.cases`, in their order.

function chosenCases(data, { run, category, outcome, emitted, text }) {
  const bit = emitted ? 1 << data.classes.indexOf(emitted) : 0;
  const found = text ? textsHolding(data, text) : null;
  const chosen = [];
  data.cases.forEach((entry, place) => {
    if (run !== "" && entry.cell.run !== Number(run)) return;
    if (category && entry.cell.category !== category) return;
    if (outcome && entry.outcome !== outcome) return;
    if (bit && !(entry.classes & bit)) return;
    if (found && !entry.searched.some((number) => found[number])) return;
    chosen.push(place);
  });
  return chosen;
}

// Each text is looked into once, however many cases share it.
function textsHolding(data, text) {
  const wanted = text.toLowerCase();
  return Uint8Array.from(data.lowered, (lowered) => (lowered.includes(wanted) ? 1 : 0));
}
