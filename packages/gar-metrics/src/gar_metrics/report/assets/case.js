"use strict";
// One case as elements. Whatever a model or a tool wrote goes into text nodes: nothing of it is ever parsed.

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function words(name) {
  return name.replaceAll("_", " ");
}

function plural(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

function caseElements(data, entry) {
  const { run, category, gold, file } = entry.cell;
  const parts = [
    element("p", { class: "note" }, `${data.runs[run]}, ${category}, gold class ${gold}; line ${entry.line} of ${file}`),
    verdictElement(data, entry),
  ];
  if (entry.error) parts.push(textElement(data, entry.error, "pre", "result"));
  entry.turns.forEach((turn, place) => parts.push(turnElement(data, entry, turn, place)));
  if (entry.events.length) parts.push(eventsElement(data, entry.events));
  return parts;
}

function verdictElement(data, { outcome, passed, verdict }) {
  const [kind, message, details] = verdict;
  const said = passed === null ? "Whether it passed isn't known" : passed ? "Passed" : "Failed";
  const made = element("div", { class: `verdict v-${outcome || "unknown"}` });
  made.append(element("strong", {}, outcome ? `${said}: ${words(outcome)}` : said));
  if (kind) made.append(element("div", {}, words(data.texts[kind])));
  if (message) made.append(textElement(data, message, "div", "said"));
  if (details) made.append(folded("What the grader compared", textElement(data, details, "pre", "")));
  return made;
}

function turnElement(data, entry, [users, steps, events], place) {
  const isGold = entry.goldTurn === place;
  const made = element("section", { class: `turn${isGold ? (entry.goldTurnHit ? " gold hit" : " gold") : ""}` });
  const judged = isGold ? `: the turn that calls for ${entry.cell.gold}, ${entry.goldTurnHit ? "hit" : "missed"}` : "";
  made.append(element("h4", {}, `Turn ${place}${judged}`));
  for (const user of users) made.append(textElement(data, user, "div", "user text", "User: "));
  const list = element("ol", { class: "steps" });
  for (const step of steps) list.append(stepElement(data, step));
  if (steps.length) made.append(list);
  else made.append(element("p", { class: "said" }, "No emission in this turn."));
  if (events.length) made.append(eventsElement(data, events));
  return made;
}

function stepElement(data, [text, action, rule, cue, start, end, calls, results, notes]) {
  const made = element("li", { class: "step" });
  const name = action === UNKNOWN ? "carries nothing" : data.classes[action];
  const head = element("div", { class: "head" }, element("span", { class: `class c-${name.toLowerCase()}` }, name));
  if (rule) head.append(element("span", {}, cueWords(data, rule, cue, end, text)));
  made.append(head);
  if (text) made.append(highlighted(data, text, start, end, name === "TOOL_CALL" ? "text code" : "text"));
  else made.append(element("p", { class: "said" }, "(empty)"));
  if (calls.length) made.append(element("p", { class: "said" }, "Read as:"));
  for (const call of calls) made.append(textElement(data, call, "pre", "text code"));
  for (const result of results) made.append(scrollable(textElement(data, result, "pre", "result"), "Tool result"));
  for (const note of notes) made.append(textElement(data, note, "p", "said", "Harness: "));
  return made;
}

function cueWords(data, rule, cue, end, text) {
  const shown = cue && data.texts[cue].length <= 40 ? `${words(data.texts[rule])}: “${data.texts[cue]}”` : words(data.texts[rule]);
  return end > data.texts[text].length ? `${shown} (in the part that is cut)` : shown;
}

function highlighted(data, number, start, end, kind) {
  const text = data.texts[number];
  if (start === UNKNOWN || start >= text.length) return textElement(data, number, "pre", kind);
  const made = element("pre", { class: kind }, text.slice(0, start), element("mark", {}, text.slice(start, end)), text.slice(end));
  return withCut(data, number, made);
}

function textElement(data, number, name, kind, before = "") {
  const made = element(name, { class: kind });
  if (before) made.append(element("span", { class: "said-by" }, before));
  made.append(data.texts[number]);
  return withCut(data, number, made);
}

function withCut(data, number, made) {
  const missing = data.cuts[number];
  if (missing) made.append(element("span", { class: "cut" }, ` … ${plural(missing, "more character")}, cut`));
  return made;
}

function eventsElement(data, events) {
  const lists = events.map(([name, details]) =>
    element("li", {}, data.texts[name], textElement(data, details, "pre", ""))
  );
  return folded(plural(events.length, "probe event"), element("ol", {}, ...lists));
}

function folded(summary, content) {
  return element("details", {}, element("summary", {}, summary), content);
}

// A box that scrolls must be reachable without a mouse, and then needs a name.
function scrollable(made, label) {
  made.setAttribute("tabindex", "0");
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", label);
  return made;
}
