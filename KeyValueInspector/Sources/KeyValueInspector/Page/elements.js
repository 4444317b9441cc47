// Makes elements. Texts are always set as texts, so nothing that a program says becomes markup.

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
