"use strict";
// The cases of the page: base64 -> gzip -> JSON -> objects with names. The order of the lists is that of document.py.

const UNKNOWN = -1;

async function readCases() {
  const packed = document.getElementById("packed-cases").textContent;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return unpackedDocument(await new Response(stream).json());
}

function unpackedDocument(data) {
  const cells = data.cells.map(([run, category, gold, file]) => ({ run, category, gold: data.classes[gold], file }));
  const cases = data.cases.map((entry) => unpackedCase(entry, data, cells));
  return {
    runs: data.runs,
    classes: data.classes,
    texts: data.texts,
    lowered: data.texts.map((text) => text.toLowerCase()),
    cuts: data.cuts,
    cases,
  };
}

function unpackedCase(entry, data, cells) {
  const [cell, id, line, outcome, passed, classes, goldTurn, goldTurnHit, error, verdict, turns, events] = entry;
  return {
    cell: cells[cell],
    id: data.texts[id],
    line,
    outcome: outcome === UNKNOWN ? "" : data.outcomes[outcome],
    passed: passed === UNKNOWN ? null : passed === 1,
    classes,
    goldTurn,
    goldTurnHit: goldTurnHit === 1,
    error,
    verdict,
    turns,
    events,
    searched: searchedTexts(entry),
  };
}

// The numbers of all texts of a case, each once: these are what a search looks into.
function searchedTexts([, id, , , , , , , error, verdict, turns, events]) {
  const numbers = new Set([id, error, ...verdict, ...events.flat()]);
  for (const [users, steps, turnEvents] of turns) {
    for (const number of users) numbers.add(number);
    for (const event of turnEvents) for (const number of event) numbers.add(number);
    for (const [text, , , cue, , , calls, results, notes] of steps) {
      numbers.add(text).add(cue);
      for (const list of [calls, results, notes]) for (const number of list) numbers.add(number);
    }
  }
  numbers.delete(0);
  return Uint32Array.from(numbers);
}
