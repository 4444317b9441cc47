// A layered drawing of keys and observers: each node is left of the nodes that it notifies.
import { shape } from "./elements.js";

const gap = { x: 64, y: 16, edge: 12 };
const height = 38;
const widest = 36;

// Places nodes `{id, …, width}` and edges `{from, to}`: nodes get a layer, `x` and `y`; an edge that
// closes a cycle gets `isBack`. A depth-first search finds the cycles.
export function layout(nodes, edges) {
  const byID = new Map(nodes.map((node) => [node.id, node]));
  const out = new Map(nodes.map((node) => [node.id, []]));
  const inner = edges.filter((edge) => byID.has(edge.from) && byID.has(edge.to));
  for (const edge of inner) out.get(edge.from).push(edge);

  const state = new Map();
  const finished = [];
  for (const start of nodes) {
    if (state.has(start.id)) continue;
    const path = [{ id: start.id, next: 0 }];
    state.set(start.id, "open");
    while (path.length > 0) {
      const top = path[path.length - 1];
      const edge = out.get(top.id)[top.next];
      if (!edge) {
        state.set(top.id, "done");
        finished.push(top.id);
        path.pop();
        continue;
      }
      top.next += 1;
      const seen = state.get(edge.to);
      edge.isBack = seen === "open";
      if (!seen) {
        state.set(edge.to, "open");
        path.push({ id: edge.to, next: 0 });
      }
    }
  }

  for (const node of nodes) node.layer = 0;
  for (const id of finished.reverse()) {
    for (const edge of out.get(id)) {
      if (edge.isBack) continue;
      const target = byID.get(edge.to);
      target.layer = Math.max(target.layer, byID.get(id).layer + 1);
    }
  }

  const layers = [];
  for (const node of nodes) (layers[node.layer] ??= []).push(node);
  // Sorts each layer by the mean of its nodes' neighbours' rows; two sweeps each way untangle most edges.
  const row = new Map();
  const number = () => layers.forEach((layer) => layer.forEach((node, index) => row.set(node.id, index)));
  number();
  for (let sweep = 0; sweep < 4; sweep += 1) {
    const forwards = sweep % 2 === 0;
    for (const layer of forwards ? layers : [...layers].reverse()) {
      const mean = new Map();
      for (const node of layer) {
        const near = inner
          .filter((edge) => (forwards ? edge.to : edge.from) === node.id)
          .map((edge) => row.get(forwards ? edge.from : edge.to));
        mean.set(node.id, near.length ? near.reduce((a, b) => a + b, 0) / near.length : row.get(node.id));
      }
      layer.sort((a, b) => mean.get(a.id) - mean.get(b.id) || a.id.localeCompare(b.id));
      layer.forEach((node, index) => row.set(node.id, index));
    }
  }

  let x = 12;
  const tallest = Math.max(0, ...layers.map((layer) => layer.length));
  for (const layer of layers) {
    const offset = ((tallest - layer.length) * (height + gap.y)) / 2;
    layer.forEach((node, index) => {
      node.x = x;
      node.y = 14 + offset + index * (height + gap.y);
    });
    x += Math.max(...layer.map((node) => node.width)) + gap.x;
  }
  // The space below is for the edges that close cycles.
  const backs = inner.filter((edge) => edge.isBack).length;
  return {
    // Without a layer there is no gap after the last one.
    edges: inner, width: Math.max(12, x - gap.x) + 12,
    height: 28 + tallest * (height + gap.y) + backs * gap.edge,
  };
}

export class Graph {
  // `open` is called with a combined node that is clicked, `choose` with another node's object.
  constructor(svg, choose, open) {
    this.svg = svg;
    this.choose = choose;
    this.open = open;
    this.data = { nodes: [], edges: [] };
    this.lit = [];
  }

  show(data) {
    this.data = data;
    this.draw();
  }

  // Highlights the edges between consecutive nodes of a cause, starting at its origin.
  light(path) {
    this.lit = path;
    this.draw();
  }

  draw() {
    const nodes = this.data.nodes.map((node) => ({
      ...node, title: cut(node.title), detail: cut(node.detail),
      width: 20 + 7.1 * Math.max(cut(node.title).length, cut(node.detail).length * 0.92),
    }));
    const { edges, width, height: tall } = layout(nodes, this.data.edges.map((edge) => ({ ...edge })));
    const byID = new Map(nodes.map((node) => [node.id, node]));
    const drawn = new Map(nodes.flatMap((node) => node.members.map((member) => [member, node.id])));
    const lit = this.lit.map((id) => drawn.get(id) ?? id).filter((id, index, all) => id !== all[index - 1]);
    const litNodes = new Set(lit);
    const litEdges = new Set(lit.slice(1).map((id, index) => `${lit[index]}>${id}`));
    // A wide drawing is scaled down, to no less than 70 %; beyond that the panel scrolls.
    const room = this.svg.parentElement.clientWidth;
    const scale = Math.max(0.7, Math.min(1, room / width));
    this.svg.setAttribute("width", width * scale);
    this.svg.setAttribute("height", tall * scale);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${tall}`);
    const arrows = ["", "lit"].map((look) =>
      shape("marker", {
        id: `arrow${look}`, class: look, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
        markerHeight: 7, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse",
      }, [shape("path", { d: "M0 0 L8 4 L0 8 z" })]));

    let lane = 0;
    const lines = edges.map((edge) => {
      const from = byID.get(edge.from);
      const to = byID.get(edge.to);
      const isLit = litEdges.has(`${edge.from}>${edge.to}`);
      let d;
      if (edge.isBack) {
        lane += 1;
        const y = tall - 4 - (lane - 1) * gap.edge;
        const start = from.x + from.width - 10;
        const end = to.x + 10;
        d = `M${start} ${from.y + height} C${start + 26} ${y} ${start} ${y} ${(start + end) / 2} ${y}` +
          ` S${end - 26} ${y} ${end} ${to.y + height}`;
      } else {
        const start = { x: from.x + from.width, y: from.y + height / 2 };
        const end = { x: to.x, y: to.y + height / 2 };
        const bend = Math.max(24, (end.x - start.x) / 2);
        d = `M${start.x} ${start.y} C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`;
      }
      return shape("path", {
        class: ["edge", edge.kind, edge.isBack && !edge.isCombined ? "back" : "", isLit ? "lit" : ""].join(" "), d,
        "marker-end": `url(#arrow${isLit ? "lit" : ""})`, "data-from": edge.from, "data-to": edge.to,
      }, [shape("title", {}, [edge.words])]);
    });
    const boxes = nodes.map((node) => {
      const look = ["node", node.kind, node.isEnded ? "ended" : "", node.isSelected ? "selected" : "",
        litNodes.has(node.id) ? "lit" : "", node.members.length > 0 ? "combined" : ""].join(" ");
      const box = shape("g", { class: look, transform: `translate(${node.x} ${node.y})`, "data-node": node.id }, [
        // A combined node looks like a pile.
        ...(node.members.length > 0
          ? [shape("rect", { class: "below", x: 4, y: 4, width: node.width, height, rx: 6 })] : []),
        shape("rect", { width: node.width, height, rx: 6 }),
        shape("text", { x: 10, y: 16 }, [node.title]),
        shape("text", { x: 10, y: 30, class: "detail" }, [node.detail]),
        shape("title", {}, [node.words]),
      ]);
      if (node.members.length > 0) box.addEventListener("click", () => this.open(node.id));
      else if (node.object) box.addEventListener("click", () => this.choose(node.object));
      return box;
    });
    this.svg.replaceChildren(shape("defs", {}, arrows), ...lines, ...boxes);
  }
}

function cut(text) {
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text;
}
