"use strict";
// The list of cases: chosen by the filters, a page of it in the document, one case open. The address tells all of it.

const PAGE = 100;
const FILTERS = { run: "filter-run", category: "filter-category", outcome: "filter-outcome", emitted: "filter-class", text: "filter-text" };

class Browser {
  constructor(data) {
    this.data = data;
    this.first = 0;
    this.open = null;
    this.inputs = Object.fromEntries(Object.entries(FILTERS).map(([name, id]) => [name, document.getElementById(id)]));
    this.list = document.getElementById("case-list");
    this.article = document.getElementById("case");
    this.listen();
  }

  listen() {
    const form = this.inputs.text.form;
    form.addEventListener("input", () => this.choose());
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => this.choose()));
    document.getElementById("page-back").addEventListener("click", () => this.turnPage(-PAGE));
    document.getElementById("page-on").addEventListener("click", () => this.turnPage(PAGE));
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("keydown", (event) => this.stepThrough(event));
    this.article.addEventListener("keydown", (event) => event.key === "Escape" && this.backToList());
    window.addEventListener("hashchange", () => this.follow());
  }

  choose() {
    const wanted = Object.fromEntries(Object.entries(this.inputs).map(([name, input]) => [name, input.value]));
    this.chosen = chosenCases(this.data, wanted);
    this.first = 0;
    this.show();
    this.tellAddress();
  }

  show() {
    const rows = this.chosen.slice(this.first, this.first + PAGE).map((place) => this.row(place));
    this.list.replaceChildren(...rows);
    const last = this.first + rows.length;
    document.getElementById("cases-count").textContent = `${plural(this.chosen.length, "case")} of ${this.data.cases.length.toLocaleString("en")}`;
    document.getElementById("page-place").textContent = rows.length ? `${this.first + 1}–${last}` : "none";
    document.getElementById("page-back").disabled = this.first === 0;
    document.getElementById("page-on").disabled = last >= this.chosen.length;
  }

  row(place) {
    const { id, outcome, cell, error } = this.data.cases[place];
    const button = element(
      "button",
      { type: "button", "data-place": place },
      element("span", { class: `dot d-${outcome || "unknown"}` }),
      element("span", { class: "id" }, id.replace(/^multi_turn_/, "")),
      element("span", { class: "what" }, error ? "error row" : words(outcome || "not judged")),
    );
    if (this.data.runs.length > 1) button.append(element("span", { class: "of" }, this.data.runs[cell.run]));
    if (place === this.open) button.setAttribute("aria-current", "true");
    return element("li", {}, button);
  }

  turnPage(by) {
    this.first = Math.max(0, this.first + by);
    this.show();
    this.list.scrollTop = 0;
    this.list.querySelector("button")?.focus();
  }

  clicked(event) {
    const button = event.target.closest("button");
    if (button) this.openCase(Number(button.dataset.place), true);
  }

  stepThrough(event) {
    const by = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    const next = by && event.target.closest("li")?.[by]?.firstElementChild;
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  openCase(place, focus) {
    const entry = this.data.cases[place];
    this.open = place;
    for (const button of this.list.querySelectorAll("button")) {
      if (Number(button.dataset.place) === place) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    const title = element("h3", { id: "case-title", tabindex: "-1" }, entry.id);
    this.article.replaceChildren(title, ...caseElements(this.data, entry));
    document.getElementById("cases").classList.add("open");
    if (focus) title.focus();
    this.tellAddress();
  }

  backToList() {
    const button = this.list.querySelector('[aria-current="true"]') ?? this.list.querySelector("button");
    button?.focus();
  }

  // #cases?run=0&category=base&case=0/multi_turn_base_3
  tellAddress() {
    const told = new URLSearchParams();
    for (const [name, input] of Object.entries(this.inputs)) if (input.value) told.set(name, input.value);
    if (this.open !== null) told.set("case", `${this.data.cases[this.open].cell.run}/${this.data.cases[this.open].id}`);
    history.replaceState(null, "", `#cases?${told}`);
  }

  follow() {
    const [anchor, query] = location.hash.slice(1).split(/\?(.*)/s);
    if (anchor !== "cases" || query === undefined) return false;
    const told = new URLSearchParams(query);
    for (const [name, input] of Object.entries(this.inputs)) input.value = told.get(name) ?? "";
    const [run, id] = (told.get("case") ?? "").split(/\/(.*)/s);
    const place = this.data.cases.findIndex((entry) => entry.id === id && entry.cell.run === Number(run));
    if (place >= 0) this.openCase(place, false);
    this.choose();
    this.first = PAGE * Math.floor(Math.max(0, this.chosen.indexOf(place)) / PAGE);
    this.show();
    document.getElementById("cases-title").focus({ preventScroll: true });
    document.getElementById("cases").scrollIntoView();
    return true;
  }
}

async function startBrowser() {
  try {
    const browser = new Browser(await readCases());
    document.getElementById("browser").hidden = false;
    if (!browser.follow()) {
      browser.chosen = chosenCases(browser.data, { run: "", category: "", outcome: "", emitted: "", text: "" });
      browser.show();
    }
  } catch (error) {
    const failed = document.getElementById("cases-failed");
    failed.textContent = `The cases can't be shown in this browser: ${error.message}`;
    failed.hidden = false;
  }
}

startBrowser();
