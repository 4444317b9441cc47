// Creates elements. Text is always set as text, so a program's strings never become markup.

function make(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function element(name, attributes = {}, children = []) {
  return make(document.createElement(name), attributes, children);
}

export function shape(name, attributes = {}, children = []) {
  return make(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

// Makes these the only children, in this order. Existing children stay in the document, so a click, the
// focus and a selection survive.
export function arrange(parent, nodes) {
  const kept = new Set(nodes);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  nodes.forEach((node, index) => {
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
  });
}

// Sets a node's text if it differs.
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
