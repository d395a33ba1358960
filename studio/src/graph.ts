import dagre from '@dagrejs/dagre'
import { h, s, tint } from './dom'
import type { Graph, GraphLabel } from './types'
import './picture.css'

const lineHeight = 14, charWidth = 6.6
const longest = 30 // signs of a label's line

const cut = (text: string, n: number) => text.length > n ? `${text.slice(0, n - 1)}…` : text

function labelText(l: GraphLabel): string {
  return cut(`${l.symbols} → ${l.emits}`, longest)
}

/** The automaton as a picture that can be zoomed, moved, and lit. */
export class Picture {
  readonly element: HTMLElement
  private svg = s('svg', { role: 'img', 'aria-label': 'the automaton' })
  private view = { x: 0, y: 0, w: 100, h: 100 }
  private nodes: SVGElement[] = []
  private edges = new Map<string, SVGElement>()
  /** Of all of it, in its own units, of which a window on a large one has 860. */
  size = { w: 100, h: 100 }
  private start = { x: 0, y: 0 }
  private down = false

  constructor(private readonly picked: (state: number) => void) {
    const button = (label: string, title: string, act: () => void) => h('button', { type: 'button', title, 'aria-label': title, onclick: act }, label)
    this.element = h('div', { class: 'picture', tabindex: 0, 'aria-label': 'the automaton; plus and minus zoom, arrows move' },
      h('div', { class: 'zoom' },
        button('+', 'closer', () => this.zoom(0.8)), button('−', 'further', () => this.zoom(1.25)), button('⤢', 'all of it', () => this.whole())))
    this.element.append(this.svg)
    this.element.addEventListener('wheel', e => {
      e.preventDefault()
      this.zoom(e.deltaY > 0 ? 1.15 : 0.87, e)
    }, { passive: false })
    this.element.addEventListener('keydown', e => {
      const step = this.view.w / 10
      if (e.key === '+' || e.key === '=') this.zoom(0.8)
      else if (e.key === '-') this.zoom(1.25)
      else if (e.key === '0') this.whole()
      else if (e.key === 'ArrowLeft') this.move(-step, 0)
      else if (e.key === 'ArrowRight') this.move(step, 0)
      else if (e.key === 'ArrowUp') this.move(0, -step)
      else if (e.key === 'ArrowDown') this.move(0, step)
      else return
      e.preventDefault()
    })
    let from: { x: number; y: number } | undefined
    this.svg.addEventListener('pointerdown', e => { from = { x: e.clientX, y: e.clientY } })
    window.addEventListener('pointerup', () => { from = undefined })
    this.svg.addEventListener('pointermove', e => {
      if (!from || !e.buttons) return
      const scale = this.view.w / Math.max(1, this.svg.clientWidth)
      this.move((from.x - e.clientX) * scale, (from.y - e.clientY) * scale)
      from = { x: e.clientX, y: e.clientY }
    })
  }

  draw(g: Graph, errors: boolean) {
    const layout = new dagre.graphlib.Graph({ compound: true, multigraph: true })
    const hidden = (i: number) => !errors && g.nodes[i].error
    const shownEdges = g.edges.map(e => ({ ...e, labels: errors ? e.labels : e.labels.filter(l => l.kind !== 'error') }))
      .filter(e => e.labels.length > 0 && !hidden(e.from) && !hidden(e.to))
    const many = g.nodes.length > 30
    this.down = many
    layout.setGraph({ rankdir: many ? 'TB' : 'LR', nodesep: 22, ranksep: many ? 34 : 44, edgesep: 12, marginx: 24, marginy: 24 })
    layout.setDefaultEdgeLabel(() => ({}))
    const used = new Set<number>()
    g.nodes.forEach((n, i) => {
      if (hidden(i)) return
      const width = Math.max(n.name.length, cut(n.doc, 26).length) * charWidth + 22
      layout.setNode(String(i), { width: Math.max(52, width), height: n.doc ? 40 : 28 })
      used.add(n.group)
    })
    if (g.groups.length > 1) {
      for (const group of used) layout.setNode(`g${group}`, {})
      g.nodes.forEach((n, i) => { if (!hidden(i)) layout.setParent(String(i), `g${n.group}`) })
    }
    shownEdges.forEach((e, k) => {
      if (e.from === e.to) return
      const lines = e.labels.slice(0, 3).map(labelText)
      layout.setEdge(String(e.from), String(e.to), {
        width: Math.max(...lines.map(l => l.length)) * 5.6 + 6, height: lines.length * 11 + 2, labelpos: 'c', k,
      }, String(k))
    })
    dagre.layout(layout)

    this.svg.replaceChildren(s('defs', {}, ...['data', 'skip', 'field', 'record', 'error'].map(kind =>
      s('marker', { id: `tip-${kind}`, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto', class: `tip ${kind}` },
        s('path', { d: 'M0 0L10 5L0 10z' })))))
    this.nodes = []
    this.edges.clear()
    const back = s('g'), lines = s('g'), front = s('g')
    this.svg.append(back, lines, front)
    let w = 0, height = 0
    for (const id of layout.nodes()) {
      const n = layout.node(id)
      w = Math.max(w, n.x + n.width / 2)
      height = Math.max(height, n.y + n.height / 2)
      if (!id.startsWith('g')) continue
      const group = Number(id.slice(1))
      const box = s('g', { class: 'group' },
        s('rect', { x: n.x - n.width / 2, y: n.y - n.height / 2, width: n.width, height: n.height, rx: 10 }),
        s('text', { x: n.x - n.width / 2 + 8, y: n.y - n.height / 2 + 13 }, g.groups[group]))
      tint(box, group)
      back.append(box)
    }
    for (const id of layout.edges()) {
      const e = layout.edge(id) as unknown as { points: { x: number; y: number }[]; x: number; y: number; k: number }
      this.edge(lines, shownEdges[e.k].from, shownEdges[e.k].to, e.points, e.x, e.y, shownEdges[e.k].labels)
    }
    g.nodes.forEach((n, i) => {
      if (hidden(i)) return
      const at = layout.node(String(i))
      const loop = shownEdges.find(e => e.from === i && e.to === i)
      const node = s('g', { class: `state${n.final ? ' final' : ''}${n.error ? ' error' : ''}${i === g.start ? ' start' : ''}`, transform: `translate(${at.x},${at.y})` },
        s('title', {}, `${n.name}: ${n.doc}\n${n.end}${loop ? `\nstays here with ${loop.labels.map(l => `${l.symbols} → ${l.emits}`).join('; ')}` : ''}`),
        s('rect', { x: -at.width / 2, y: -at.height / 2, width: at.width, height: at.height, rx: 6 }),
        n.final ? s('rect', { class: 'inner', x: -at.width / 2 + 3, y: -at.height / 2 + 3, width: at.width - 6, height: at.height - 6, rx: 4 }) : null,
        s('text', { y: n.doc ? -4 : 4, class: 'name' }, n.name),
        n.doc ? s('text', { y: lineHeight - 3, class: 'doc' }, cut(n.doc, 26)) : null,
        loop ? s('path', { class: `loop ${loop.labels[0].kind}`, d: `M${at.width / 2 - 16} ${-at.height / 2}c-4 -16 16 -16 10 0`, 'marker-end': `url(#tip-${loop.labels[0].kind})` }) : null)
      node.addEventListener('click', () => this.picked(i))
      front.append(node)
      this.nodes[i] = node
    })
    const first = layout.node(String(g.start))
    if (first) this.start = { x: first.x, y: first.y }
    this.size = { w: w + 24, h: height + 24 }
    this.fit()
  }

  private edge(into: SVGElement, from: number, to: number, points: { x: number; y: number }[], x: number, y: number, labels: GraphLabel[]) {
    let d = `M${points[0].x} ${points[0].y}`
    for (let i = 1; i + 1 < points.length; i++) {
      const p = points[i], q = points[i + 1]
      d += i + 2 === points.length ? `Q${p.x} ${p.y} ${q.x} ${q.y}` : `Q${p.x} ${p.y} ${(p.x + q.x) / 2} ${(p.y + q.y) / 2}`
    }
    if (points.length === 2) d += `L${points[1].x} ${points[1].y}`
    const kind = labels[0].kind
    const rows = labels.slice(0, 3)
    const e = s('g', { class: `edge ${kind}` },
      s('title', {}, labels.map(l => `${l.symbols} → ${l.emits}`).join('\n')),
      s('path', { d, 'marker-end': `url(#tip-${kind})` }),
      ...rows.map((l, k) => s('text', { x, y: y + (k - (rows.length - 1) / 2) * 11 + 3, class: l.kind },
        k === 2 && labels.length > 3 ? `${labelText(l)} (+${labels.length - 3})` : labelText(l))))
    into.append(e)
    this.edges.set(`${from} ${to}`, e)
  }

  fit() {
    const ratio = this.svg.clientHeight / Math.max(1, this.svg.clientWidth) || 0.6
    const { w, h: height } = this.size
    const all = Math.max(w, height / ratio, 420)
    // All of a small picture; a large one from its start, at a size at which it can be read, on a phone too.
    const width = this.svg.clientWidth || 860
    if (all <= 1.3 * width) this.view = { x: (w - all) / 2, y: (height - all * ratio) / 2, w: all, h: all * ratio }
    else if (this.down) this.view = { x: this.start.x - width / 2, y: this.start.y - 60, w: width, h: width * ratio }
    else this.view = { x: this.start.x - 110, y: this.start.y - width / 2 * ratio, w: width, h: width * ratio }
    this.apply()
  }

  private whole() {
    const ratio = this.svg.clientHeight / Math.max(1, this.svg.clientWidth) || 0.6
    const { w, h: height } = this.size
    const all = Math.max(w, height / ratio, 420)
    this.view = { x: (w - all) / 2, y: (height - all * ratio) / 2, w: all, h: all * ratio }
    this.apply()
  }

  private zoom(by: number, at?: { clientX: number; clientY: number }) {
    const box = this.svg.getBoundingClientRect()
    const fx = at ? (at.clientX - box.left) / box.width : 0.5, fy = at ? (at.clientY - box.top) / box.height : 0.5
    const { x, y, w, h: height } = this.view
    this.view = { x: x + w * (1 - by) * fx, y: y + height * (1 - by) * fy, w: w * by, h: height * by }
    this.apply()
  }

  private move(dx: number, dy: number) {
    this.view.x += dx
    this.view.y += dy
    this.apply()
  }

  private apply() {
    const { x, y, w, h: height } = this.view
    this.svg.setAttribute('viewBox', `${x} ${y} ${w} ${height}`)
  }

  /** Lights the states that a record went through, and brings the last into view. */
  light(states: number[], now: number, next?: number) {
    for (const n of this.nodes) n?.classList.remove('lit', 'now')
    for (const e of this.edges.values()) e.classList.remove('lit', 'now')
    states.forEach((state, i) => {
      this.nodes[state]?.classList.add('lit')
      if (i > 0) this.edges.get(`${states[i - 1]} ${state}`)?.classList.add('lit')
    })
    const node = this.nodes[now]
    node?.classList.add('now')
    if (next !== undefined) this.edges.get(`${now} ${next}`)?.classList.add('now')
    const at = /translate\(([-\d.]+),([-\d.]+)\)/.exec(node?.getAttribute('transform') ?? '')
    if (!at) return
    const [x, y] = [Number(at[1]), Number(at[2])]
    if (x < this.view.x || x > this.view.x + this.view.w) this.view.x = x - this.view.w / 2
    if (y < this.view.y || y > this.view.y + this.view.h) this.view.y = y - this.view.h / 2
    this.apply()
  }
}
