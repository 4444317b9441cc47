// Connects the page with the program. Every address is relative, so it carries the token.
import { arrange, element, write } from "./elements.js";
import { Graph } from "./graph.js";
import { History } from "./history.js";
import { PageState, count } from "./state.js";
import { Timeline } from "./timeline.js";

const get = (id) => document.getElementById(id);
const state = new PageState();
const timeline = new Timeline(get("cascades"), state, choose);
const graph = new Graph(get("graph"), select, open);

const history = new History({
  section: get("history"), title: get("history-title"), slider: get("history-slider"),
  back: get("history-back"), forth: get("history-forth"), edits: get("history-edits"),
  note: get("history-note"), values: get("history-values"),
}, ask, (error) => { get("history-note").textContent = String(error.message ?? error); });

let selected = null;
// The combined nodes of the graph whose members are shown.
const opened = new Set();
let chosenChain = [];
// The graph has at most 60 nodes; a longer chain would only make a long address.
const mostLit = 60;
let needsDrawing = false;
let isConnected = false;
let lastRevision = -1;

// The program.

async function ask(address) {
  let response;
  try {
    response = await fetch(address, { cache: "no-store" });
  } catch {
    // A browser's own message ("Failed to fetch") doesn't mention the program.
    throw new Error("The program has ended, or is stopped. The page shows its last state.");
  }
  if (!response.ok) {
    throw Object.assign(new Error(await response.text()), { isMissing: response.status === 404 });
  }
  return response.json();
}

const source = new EventSource("events");
source.addEventListener("hello", (message) => {
  const hello = JSON.parse(message.data);
  isConnected = true;
  state.begin(hello);
  takeRange(hello.history);
  get("program").textContent = hello.program;
  get("process").textContent = `process ${hello.process}`;
  document.title = `${hello.program} – key-value inspector`;
  lastRevision = -1;
  refresh(!state.isPaused);
  drawSoon();
});
source.addEventListener("batch", (message) => {
  const batch = JSON.parse(message.data);
  isConnected = true;
  state.take(batch);
  takeRange(batch.history);
  if (batch.revision !== lastRevision) {
    lastRevision = batch.revision;
    refresh();
  }
  drawSoon();
});
// While the page is paused, the slider has the records from before.
let waitingRange = null;

// Takes the history's positions, if a message has them.
function takeRange(range) {
  waitingRange = range ?? waitingRange;
  takeWaitingRange();
}

function takeWaitingRange() {
  if (state.isPaused || waitingRange === null) return;
  history.take(waitingRange);
  waitingRange = null;
}

source.addEventListener("error", () => {
  isConnected = false;
  drawSoon();
});

// Objects, graph and findings are requested when they have changed: at most once a second, one request
// at a time, but immediately after a click or a search.
let isAsking = false;
let next = null;
let lastQuestion = 0;

function refresh(now = false) {
  if (state.isPaused && !now) return;
  const wait = now ? 0 : Math.max(0, lastQuestion + 1000 - performance.now());
  if (isAsking) {
    next = { now: now || next?.now === true };
    return;
  }
  if (next?.timer) {
    if (!now) return;
    clearTimeout(next.timer);
  }
  next = { timer: setTimeout(askForAll, wait) };
}

async function askForAll() {
  next = null;
  isAsking = true;
  lastQuestion = performance.now();
  try {
    const search = encodeURIComponent(get("search").value);
    const [objects, findings] = await Promise.all([ask(`objects?search=${search}`), ask("findings")]);
    selected ??= objects.suggested ?? null;
    showObjects(objects);
    showFindings(findings);
    if (selected !== null) {
      const id = selected;
      const nodes = encodeURIComponent([...opened].join("\n"));
      const lit = encodeURIComponent([...new Set(chosenChain)].slice(-mostLit).join("\n"));
      try {
        const [detail, drawing] = await Promise.all([
          ask(`object?id=${id}`), ask(`graph?id=${id}&opened=${nodes}&lit=${lit}`),
        ]);
        if (id === selected) {
          showObject(detail);
          showGraph(drawing);
        }
      } catch (error) {
        if (!error.isMissing) throw error;
        // The inspector has forgotten the object; the next question suggests another.
        if (id === selected) deselect();
      }
    }
  } catch (error) {
    get("objects-note").textContent = String(error.message ?? error);
  } finally {
    isAsking = false;
  }
  if (next) {
    const { now } = next;
    next = null;
    refresh(now);
  }
}

// Left: objects.

function showObjects(objects) {
  get("objects-note").textContent =
    objects.leftOut > 0
      ? `${count(objects.shown, "object")}; ${objects.leftOut.toLocaleString("en")} more are not listed, search for them`
      : count(objects.shown, "object");
  const before = new Map(classes);
  classes.clear();
  arrange(get("object-list"), objects.classes.map((one) => {
    const known = before.get(one.name) ?? newClass(one.name);
    classes.set(one.name, known);
    write(known.count, String(one.count));
    const rows = new Map(one.objects.map((object) => [object.id, objectRow(known, object)]));
    known.rows = rows;
    arrange(known.list, [...rows.values()].map((row) => row.button));
    return known.node;
  }));
}

// The elements of the list, by class and object. They are reused while the program changes, so that a
// click never misses them.
const classes = new Map();

function newClass(name) {
  const count = element("span", { class: "quiet" });
  const list = element("div");
  const head = element("div", { class: "class-name" }, [element("span", {}, [name]), count]);
  return { node: element("div", {}, [head, list]), count, list, rows: new Map() };
}

function objectRow(known, object) {
  let row = known.rows.get(object.id);
  if (!row) {
    const figures = element("span", { class: "quiet" });
    const button = element("button", {
      type: "button", class: "object", "data-object": object.id,
    }, [element("span", {}, [object.name]), figures]);
    button.addEventListener("click", () => select(object.id));
    row = { button, figures };
  }
  write(row.figures, object.figures);
  row.button.setAttribute("aria-current", String(object.id === selected));
  return row;
}

// Whether an answer differs from the last one of this kind; if not, nothing is redrawn.
const answers = new Map();

function isNew(kind, answer) {
  const text = JSON.stringify(answer);
  const isNew = answers.get(kind) !== text;
  answers.set(kind, text);
  return isNew;
}

function showObject(object) {
  if (!isNew("object", object)) return;
  const keys = element("table", { class: "keys" }, [
    element("tr", {}, ["Key", "Last value", "Changes"].map((name) => element("th", {}, [name]))),
    ...object.keys.map((key) => element("tr", { "data-key": key.key }, [
      element("td", { class: "mono" }, [key.key]),
      element("td", { class: "value" }, [key.value ?? "–"]),
      element("td", {}, [String(key.changes)]),
    ])),
  ]);
  const observers = element("table", { class: "observers" }, [
    element("tr", {}, ["Observer", "Calls", "Registered at"].map((name) => element("th", {}, [name]))),
    ...object.observers.map((one) => element("tr", {}, [
      element("td", { class: "mono" }, [one.words]),
      element("td", {}, [String(one.deliveries)]),
      element("td", { class: "mono" }, [one.place ?? "–"]),
    ])),
  ]);
  get("object-detail").replaceChildren(
    element("h2", {}, [object.name]), keys, element("p", { class: "note" }, [object.note]), observers);
}

function select(object) {
  if (object !== selected) opened.clear();
  selected = object;
  for (const button of document.querySelectorAll(".object")) {
    button.setAttribute("aria-current", String(button.dataset.object === object));
  }
  refresh(true);
}

function deselect() {
  opened.clear();
  selected = null;
  answers.delete("object");
  get("object-detail").replaceChildren();
  showGraph({ note: "Select an object.", nodes: [], edges: [], lit: [] });
}

// Middle: graph, findings, why.

let lastNodes = [];

function open(node) {
  opened.add(node);
  refresh(true);
}

get("combine").addEventListener("click", () => {
  opened.clear();
  refresh(true);
});

function showGraph(drawing) {
  if (!isNew("graph", drawing)) return;
  get("graph-note").textContent = drawing.note;
  get("combine").hidden = opened.size === 0;
  graph.lit = chosenChain.length > 0 ? chosenChain : drawing.lit;
  lastNodes = drawing.lit;
  graph.show(drawing);
}

function showFindings(findings) {
  if (!isNew("findings", findings)) return;
  const serious = findings.list.filter((one) => one.isSerious).length;
  get("finding-count").textContent = String(serious);
  get("finding-count").className = serious > 0 ? "some" : "";
  const items = findings.list.map((one) => {
    const item = element("li", {
      class: one.isSerious ? "serious" : "mild", "data-finding": one.kind,
    }, [element("b", {}, [one.title]), element("p", {}, [one.words])]);
    if (one.lines.length > 0) {
      item.append(element("ol", {}, one.lines.map((line) => element("li", {}, [line]))));
    }
    return item;
  });
  items.push(element("li", { class: "note-only" }, [element("p", { class: "note" }, [findings.note])]));
  get("findings").replaceChildren(...items);
}

function choose(id) {
  timeline.chosen = id;
  const chain = id === null ? [] : state.chain(id);
  chosenChain = [...chain].reverse().flatMap((span) => span.nodes);
  get("why").hidden = chain.length === 0;
  const lines = chain.map((span, index) => {
    const words = index === 0 ? span.words : `${span.inside} ${span.words}`;
    return element("li", { "data-event": span.id }, [words]);
  });
  if (chain.length > 0) {
    lines.push(element("li", { class: "origin" }, [chain[chain.length - 1].origin]));
  }
  get("why-lines").replaceChildren(...lines);
  const first = chain.find((span) => span.object);
  if (first && first.object !== selected) select(first.object);
  // The chosen nodes may not be among those that are drawn.
  else refresh(true);
  graph.light(chosenChain.length > 0 ? chosenChain : lastNodes);
  timeline.draw();
}

for (const name of ["graph", "findings"]) {
  get(`tab-${name}`).addEventListener("click", () => {
    for (const other of ["graph", "findings"]) {
      get(`tab-${other}`).setAttribute("aria-selected", String(other === name));
      get(`${other}-panel`).hidden = other !== name;
    }
  });
}

// Right: the timeline and its controls.

get("pause").addEventListener("click", () => {
  state.pause(!state.isPaused);
  takeWaitingRange();
  if (!state.isPaused) refresh(true);
  drawNow();
});
get("step").addEventListener("click", () => {
  const next = state.step();
  if (next) {
    timeline.opened.add(next.id);
    choose(next.spans[0]?.id ?? null);
  }
  drawNow();
});
get("clear").addEventListener("click", () => {
  state.clear();
  choose(null);
  drawNow();
});

for (const name of Object.keys(state.filter)) {
  get(`filter-${name}`).addEventListener("input", (event) => {
    state.filter[name] = event.target.value.trim();
    drawNow();
  });
}
get("filters").addEventListener("reset", () => {
  for (const name of Object.keys(state.filter)) state.filter[name] = "";
  drawNow();
});
get("filters").addEventListener("submit", (event) => event.preventDefault());
get("search").addEventListener("input", () => refresh(true));

const lists = { class: "classes", key: "keys", thread: "threads", place: "places" };
const listed = {};

function drawNow() {
  needsDrawing = false;
  timeline.draw();
  const { seen, shown, seconds } = state.rate;
  const perSecond = (number) => Math.round(number / Math.max(seconds, 0.05));
  const parts = [];
  if (!isConnected) parts.push("not connected: the program has ended, or is stopped");
  parts.push(`${perSecond(seen).toLocaleString("en")} events a second`);
  parts.push(
    seen > shown ? `sampled: ${Math.round((100 * shown) / seen)} % of them shown` : "all shown");
  if (state.totals.lost > 0) parts.push(`${count(state.totals.lost, "event")} lost: the buffer was full`);
  parts.push(`${state.totals.seen.toLocaleString("en")} in all`);
  get("rate").textContent = parts.join(" · ");
  get("pause").setAttribute("aria-pressed", String(state.isPaused));
  get("pause").textContent = state.isPaused ? "Continue" : "Pause";
  get("step").disabled = state.waiting.length === 0;
  get("timeline-note").textContent = state.isPaused
    ? `Paused: ${count(state.waiting.length, "cascade")} waiting` +
      (state.droppedWhilePaused > 0 ? `, ${state.droppedWhilePaused} dropped` : "")
    : "One entry for each change made outside of handlers, the latest first.";
  for (const [name, id] of Object.entries(lists)) {
    if (listed[name] === state.names[name].size) continue;
    listed[name] = state.names[name].size;
    get(id).replaceChildren(...[...state.names[name]].sort().map((value) => element("option", { value })));
  }
}

// Four times a second is often enough to read, and leaves the page time at any rate of events.
function drawSoon() {
  if (needsDrawing) return;
  needsDrawing = true;
  setTimeout(() => requestAnimationFrame(drawNow), 250);
}
