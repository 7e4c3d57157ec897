// Elements without a framework. Nothing here makes inline styles or handlers, which the page's
// Content-Security-Policy forbids.

export type Child = Node | string | null | false;
type Attribute = string | number | boolean | null | EventListener;

// An element: attributes by name (true: present, false and null: absent), and listeners under
// `onclick` and the like.
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

export function svg(
  tag: string,
  attributes: Record<string, string | number>,
  ...children: Node[]
): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

// What `parent` holds from now on.
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

function append(parent: Element, children: Child[]): void {
  for (const child of children) {
    if (child !== null && child !== false) parent.append(child);
  }
}

function setAttributes(element: HTMLElement, attributes: Record<string, Attribute>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== null) {
      element.setAttribute(name, String(value));
    }
  }
}
