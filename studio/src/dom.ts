type Child = Node | string | null | undefined | false
type Attributes = Record<string, unknown>

/** An element: attributes, `on…` listeners, and what is in it. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag)
  set(e, attributes)
  for (const c of children) if (c || c === '') e.append(c)
  return e
}

/** The same for pictures. */
export function s(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag)
  set(e, attributes)
  for (const c of children) if (c) e.append(c)
  return e
}

function set(e: Element, attributes: Attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value as EventListener)
    else if (value === true) e.setAttribute(name, '')
    else if (value !== false && value !== undefined && value !== null) e.setAttribute(name, String(value))
  }
}

/** Hues that lie far from each other, for as many columns as there are. */
export function tint(e: HTMLElement | SVGElement, field: number) {
  e.style.setProperty('--h', String(Math.round(field * 137.508 + 205) % 360))
}

export const number = (n: number) => n.toLocaleString('en-US')

export function size(n: number): string {
  for (const [unit, bytes] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]] as const) {
    if (n >= bytes) return `${(n / bytes).toFixed(n < 10 * bytes ? 1 : 0)} ${unit}`
  }
  return `${n} bytes`
}
