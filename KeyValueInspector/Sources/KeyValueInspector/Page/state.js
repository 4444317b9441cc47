// The state of the page: the received cascades, the filter, and whether it is paused.
// This module doesn't use the document.

const keptCascades = 300;
const keptWhilePaused = 2000;
const keptNames = 200;

export class PageState {
  constructor() {
    this.cascades = [];
    this.waiting = [];
    this.isPaused = false;
    this.droppedWhilePaused = 0;
    this.filter = { class: "", key: "", thread: "", place: "" };
    this.names = { class: new Set(), key: new Set(), thread: new Set(), place: new Set() };
    this.totals = { seen: 0, shown: 0, lost: 0 };
    this.rate = { seen: 0, shown: 0, seconds: 0 };
    this.recent = [];
  }

  // Adds the first message of a connection, which has the latest cascades. During a pause, what is shown
  // stays, also if the page connects anew.
  begin(hello) {
    if (!this.isPaused) this.clear();
    this.totals = { seen: hello.seen, shown: 0, lost: 0 };
    this.recent = [];
    const shown = new Map(this.cascades.map((cascade) => [cascade.id, cascade]));
    for (const cascade of hello.cascades) {
      // One that was still running may have changed.
      if (shown.get(cascade.id)?.isOpen !== false) this.receive(cascade);
    }
  }

  // Adds one batch from the program.
  take(batch) {
    this.totals.seen += batch.seen;
    this.totals.shown += batch.shown;
    this.totals.lost += batch.lost;
    this.recent.push(batch);
    let seconds = this.recent.reduce((sum, one) => sum + one.seconds, 0);
    while (this.recent.length > 1 && seconds - this.recent[0].seconds >= 1) {
      seconds -= this.recent.shift().seconds;
    }
    this.rate = {
      seen: sum(this.recent, "seen"), shown: sum(this.recent, "shown"), seconds,
    };
    batch.cascades.forEach((cascade) => this.receive(cascade));
  }

  receive(cascade) {
    if (this.isPaused) this.keepWaiting(cascade);
    else this.add(cascade);
  }

  keepWaiting(cascade) {
    // A cascade that is still running replaces its earlier version.
    const index = this.waiting.findIndex((other) => other.id === cascade.id);
    if (index >= 0) this.waiting[index] = cascade;
    else if (this.waiting.length < keptWhilePaused) this.waiting.push(cascade);
    else this.droppedWhilePaused += 1;
  }

  add(cascade) {
    cascade.parents = new Map();
    for (const span of cascade.spans) {
      cascade.parents.set(span.id, span);
      this.note("class", span.class);
      this.note("key", span.key);
      this.note("place", span.place);
    }
    this.note("thread", String(cascade.thread));
    const index = this.cascades.findIndex((other) => other.id === cascade.id);
    if (index >= 0) this.cascades[index] = cascade;
    else this.cascades.push(cascade);
    if (this.cascades.length > keptCascades) {
      this.cascades.splice(0, this.cascades.length - keptCascades);
    }
  }

  note(kind, name) {
    if (name && this.names[kind].size < keptNames) this.names[kind].add(name);
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    if (isPaused) return;
    this.waiting.forEach((cascade) => this.add(cascade));
    this.waiting = [];
    this.droppedWhilePaused = 0;
  }

  // Shows and returns the next cascade received during the pause; null if there is none.
  step() {
    const next = this.waiting.shift();
    if (!next) return null;
    this.add(next);
    return next;
  }

  clear() {
    this.cascades = [];
    this.waiting = [];
    this.droppedWhilePaused = 0;
  }

  get isFiltering() {
    return Object.values(this.filter).some((text) => text !== "");
  }

  matches(span, cascade) {
    const { class: className, key, thread, place } = this.filter;
    return (
      contains(span.class, className) && contains(span.key, key) && contains(span.place, place) &&
      (thread === "" || String(cascade.thread) === thread)
    );
  }

  // The latest first.
  shownCascades(limit) {
    const shown = [];
    for (let index = this.cascades.length - 1; index >= 0 && shown.length < limit; index -= 1) {
      const cascade = this.cascades[index];
      if (!this.isFiltering || cascade.spans.some((span) => this.matches(span, cascade))) {
        shown.push(cascade);
      }
    }
    return shown;
  }

  find(id) {
    for (let index = this.cascades.length - 1; index >= 0; index -= 1) {
      const span = this.cascades[index].parents.get(id);
      if (span) return { cascade: this.cascades[index], span };
    }
    return null;
  }

  // The span and the spans that contain it, innermost first.
  chain(id) {
    const found = this.find(id);
    const chain = [];
    for (let span = found?.span; span; span = found.cascade.parents.get(span.parent)) {
      chain.push(span);
    }
    return chain;
  }
}

function contains(text, part) {
  return part === "" || (text ?? "").toLowerCase().includes(part.toLowerCase());
}

function sum(list, name) {
  return list.reduce((total, one) => total + one[name], 0);
}

// Numbers as text.
export function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

export function time(microseconds) {
  if (microseconds === null || microseconds === undefined) return "";
  if (microseconds < 1000) return `${Math.round(microseconds)} µs`;
  if (microseconds < 1e6) return `${(microseconds / 1000).toFixed(1)} ms`;
  return `${(microseconds / 1e6).toFixed(2)} s`;
}
