import { h } from './dom'

/** How many rows are fetched at once. */
const block = 64

/**
 * A list of rows of one height, of which those are there that can be seen. Rows are fetched in
 * blocks, and each answer is for the version that it was asked in.
 */
export class List<T> {
  readonly element: HTMLElement
  private readonly inner: HTMLElement
  private rows = new Map<number, T>()
  private asked = new Map<number, Promise<void>>() // by the block's first row
  private version = 0
  private shown = new Map<number, HTMLElement>()
  count = 0

  constructor(
    readonly height: number,
    private readonly fetchRows: (from: number, to: number) => Promise<T[]>,
    private readonly draw: (row: T, index: number) => HTMLElement,
    attributes: Record<string, unknown>,
  ) {
    this.inner = h('div', { class: 'rows', role: 'presentation' })
    this.element = h('div', { class: 'list', tabindex: 0, ...attributes }, this.inner)
    this.element.addEventListener('scroll', () => this.show(), { passive: true })
    new ResizeObserver(() => this.show()).observe(this.element)
  }

  /** There are other rows now. What was seen stays until they have come. */
  reset(count: number) {
    this.version++
    this.count = count
    this.rows.clear()
    this.asked.clear()
    this.inner.style.height = `${count * this.height}px`
    for (const [i, e] of this.shown) if (i >= count) { e.remove(); this.shown.delete(i) }
    this.show(true)
  }

  row(i: number): T | undefined { return this.rows.get(i) }
  drawn(i: number): HTMLElement | undefined { return this.shown.get(i) }

  redraw() {
    for (const [i, e] of this.shown) {
      const row = this.rows.get(i)
      if (row !== undefined) this.put(i, row, e)
    }
  }

  private put(i: number, row: T, old?: HTMLElement) {
    const e = this.draw(row, i)
    e.style.top = `${i * this.height}px`
    if (old) old.replaceWith(e)
    else this.inner.append(e)
    this.shown.set(i, e)
  }

  private visible(): [number, number] {
    const top = this.element.scrollTop
    const from = Math.max(0, Math.floor(top / this.height) - 8)
    return [from, Math.min(this.count, Math.ceil((top + this.element.clientHeight) / this.height) + 8)]
  }

  private show(changed = false) {
    if (this.element.clientHeight === 0) return
    const [from, to] = this.visible()
    for (const [i, e] of this.shown) if (i < from || i >= to) { e.remove(); this.shown.delete(i) }
    for (let b = Math.floor(from / block) * block; b < to; b += block) {
      if (!this.asked.has(b)) this.asked.set(b, this.load(b, Math.min(b + block, this.count)))
    }
    for (let i = from; i < to; i++) {
      const row = this.rows.get(i)
      if (row !== undefined && (changed || !this.shown.has(i))) this.put(i, row, this.shown.get(i))
    }
  }

  private async load(from: number, to: number) {
    const version = this.version
    try {
      const rows = await this.fetchRows(from, to)
      if (version !== this.version) return
      rows.forEach((row, k) => this.rows.set(from + k, row))
      const [a, b] = this.visible()
      for (let i = Math.max(a, from); i < Math.min(b, to); i++) {
        const row = this.rows.get(i)
        if (row !== undefined) this.put(i, row, this.shown.get(i))
      }
      this.element.dispatchEvent(new CustomEvent('loaded'))
    } catch {
      if (version === this.version) this.asked.delete(from)
    }
  }

  /** Scrolls to a row, and gives it once it is there; undefined if it cannot be had. */
  async reveal(i: number): Promise<HTMLElement | undefined> {
    const top = i * this.height
    const { scrollTop, clientHeight } = this.element
    if (top < scrollTop || top + this.height > scrollTop + clientHeight) this.element.scrollTop = Math.max(0, top - clientHeight / 3)
    for (let before: Promise<void> | undefined; ;) {
      this.show()
      const coming = this.asked.get(Math.floor(i / block) * block)
      if (this.rows.has(i) || !coming || coming === before) return this.shown.get(i)
      await (before = coming)
    }
  }
}
