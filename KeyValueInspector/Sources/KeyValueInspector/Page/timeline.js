// Cascades as nested bars, and as indented rows when one is opened.
import { count, time } from "./state.js";
import { arrange, element, shape } from "./elements.js";

const rowHeight = 9;
const deepest = 9;

// Places the spans of a cascade: `x` and `width` between 0 and 1, `depth` from 0.
//
// A span is as wide as its duration, but never too thin to click, and at least as wide as its contents.
export function layout(spans, duration) {
  const children = new Map();
  const known = new Set(spans.map((span) => span.id));
  const roots = [];
  for (const span of spans) {
    if (known.has(span.parent)) {
      if (!children.has(span.parent)) children.set(span.parent, []);
      children.get(span.parent).push(span);
    } else {
      roots.push(span);
    }
  }
  const least = Math.max(duration, 1) / 60;
  const widths = new Map();
  // Spans are in the order of their ids, and a parent's id is smaller than its children's.
  for (let index = spans.length - 1; index >= 0; index -= 1) {
    const span = spans[index];
    const inside = (children.get(span.id) ?? []).reduce((sum, one) => sum + widths.get(one.id), 0);
    widths.set(span.id, Math.max(span.duration ?? 0, inside, least));
  }
  const total = roots.reduce((sum, root) => sum + widths.get(root.id), 0) || 1;
  const placed = [];
  const open = [];
  const put = (list, start, depth) => {
    let x = start;
    for (const span of list) {
      open.push({ span, x, depth });
      x += widths.get(span.id);
    }
  };
  put(roots, 0, 0);
  while (open.length > 0) {
    const { span, x, depth } = open.pop();
    placed.push({ span, x: x / total, width: widths.get(span.id) / total, depth });
    put(children.get(span.id) ?? [], x, depth + 1);
  }
  return placed.sort((first, second) => first.span.id - second.span.id);
}

export class Timeline {
  constructor(list, state, choose) {
    this.list = list;
    this.state = state;
    this.choose = choose;
    this.opened = new Set();
    this.chosen = null;
    this.items = new Map();
  }

  // Draws at most `limit` cascades; those already drawn stay if they have not changed.
  draw(limit = 60) {
    const shown = this.state.shownCascades(limit);
    const filter = JSON.stringify(this.state.filter);
    const items = new Map();
    const nodes = shown.map((cascade) => {
      const isOpen = this.opened.has(cascade.id);
      const holdsChosen = this.chosen !== null && cascade.parents.has(this.chosen);
      const look = `${filter}/${isOpen}/${holdsChosen ? this.chosen : ""}`;
      let item = this.items.get(cascade.id);
      if (!item || item.look !== look || item.cascade !== cascade) {
        item = { look, cascade, node: this.item(cascade, isOpen) };
      }
      items.set(cascade.id, item);
      return item.node;
    });
    this.items = items;
    arrange(this.list, nodes);
  }

  item(cascade, isOpen) {
    // A registration or its end has neither length nor contents.
    const isPoint = cascade.spans.length === 1 && cascade.spans[0].kind !== "change";
    const figures = [`thread ${cascade.thread}`];
    if (!isPoint) {
      const deliveries = cascade.deliveries;
      figures.unshift(`${deliveries} ${deliveries === 1 ? "delivery" : "deliveries"}`, time(cascade.duration));
    }
    if (cascade.isOpen) figures.push("still running");
    const head = element("button", {
      class: "cascade-head", type: "button", "aria-expanded": String(isOpen),
    }, [
      element("span", { class: "title" }, [cascade.title]),
      element("span", { class: "figures" }, [figures.join(" · ")]),
    ]);
    head.addEventListener("click", () => {
      if (isOpen) this.opened.delete(cascade.id);
      else this.opened.add(cascade.id);
      this.choose(cascade.spans[0]?.id ?? null);
    });
    const node = element("li", { "data-cascade": cascade.id }, [head]);
    if (!isPoint) node.append(this.bars(cascade));
    if (isOpen) node.append(this.rows(cascade));
    return node;
  }

  bars(cascade) {
    const placed = layout(cascade.spans, cascade.duration);
    const depth = Math.min(deepest, 1 + Math.max(0, ...placed.map((one) => one.depth)));
    const svg = shape("svg", {
      class: "bars", viewBox: `0 0 600 ${depth * rowHeight}`, height: depth * rowHeight,
      preserveAspectRatio: "none",
    });
    for (const { span, x, width, depth: level } of placed) {
      if (level >= deepest) continue;
      const bar = shape("g", { class: this.looks("bar", span, cascade) }, [
        shape("rect", {
          x: (x * 600).toFixed(2), y: level * rowHeight, width: Math.max(1, width * 600).toFixed(2),
          height: rowHeight - 1,
        }),
        shape("title", {}, [span.words]),
      ]);
      bar.addEventListener("click", () => this.choose(span.id));
      svg.append(bar);
    }
    return svg;
  }

  rows(cascade) {
    const depths = new Map();
    const list = element("ol", { class: "rows" });
    for (const span of cascade.spans) {
      const depth = depths.has(span.parent) ? depths.get(span.parent) + 1 : 0;
      depths.set(span.id, depth);
      const row = element("button", {
        type: "button", class: this.looks("row", span, cascade), "data-event": span.id,
      }, [
        element("span", { class: `mark ${span.kind}` }),
        element("span", { class: "words" }, [span.words]),
        element("span", { class: "took" }, [time(span.duration)]),
      ]);
      row.style.paddingLeft = `${4 + Math.min(depth, 20) * 10}px`;
      row.addEventListener("click", () => this.choose(span.id));
      list.append(element("li", {}, [row]));
    }
    if (cascade.omitted > 0) {
      list.append(element("li", { class: "omitted note" }, [
        `${count(cascade.omitted, "more event")} omitted`,
      ]));
    }
    return list;
  }

  looks(name, span, cascade) {
    const isDim = this.state.isFiltering && !this.state.matches(span, cascade);
    return [name, span.kind, isDim ? "dim" : "", span.id === this.chosen ? "chosen" : ""].join(" ");
  }
}
