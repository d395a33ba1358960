import { engine } from '#engine'
import { boxOf, factsAt, nodeAt, pieces, shown, signAt, textOffset, way, type Shown } from './bytes'
import { h, number, size, tint } from './dom'
import { Editor } from './editor'
import { Picture } from './graph'
import { List } from './list'
import { what, type Changed, type Count, type Explanation, type Graph, type Line, type Progress, type Proposal, type Reject, type State, type Summary } from './types'
import './style.css'

const tabNames = ['Bytes', 'Table', 'Rejects', 'Counts', 'Automaton'] as const
type Tab = typeof tabNames[number]

let state: State | undefined
let summary: Summary | undefined
let graph: Graph | undefined
let input = -1
let windowAt = 0
let tab: Tab = 'Bytes'
let cursor = { line: 0, byte: 0, anchor: -1 } // a byte of a line; anchor: where a marking began
let saved = ''
let proposed = false

// --- the page ---------------------------------------------------------------------------

const status = h('span', { class: 'status', role: 'status', 'aria-live': 'polite' })
const faultsList = h('ul', { class: 'faults', 'aria-label': 'faults of the spec' })
const inputSelect = h('select', { 'aria-label': 'input', onchange: () => void choose(Number(inputSelect.value)) })
const formatSelect = h('select', { 'aria-label': 'begin with a built-in format', onchange: () => void builtin(formatSelect.value) })
const fileInput = h('input', { type: 'file', multiple: true, hidden: true, onchange: () => void drop([...fileInput.files ?? []]) })
const slider = h('input', { type: 'range', min: 0, max: 1000, value: 0, 'aria-label': 'where the window is in the input', oninput: () => slid(), onchange: () => void moveWindow(Number(slider.value) / 1000 * (summary?.window.of ?? 0)) })
const whereText = h('span', { class: 'where' })
const runText = h('span', { class: 'run-text', role: 'status' })
const runBar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'how much has been read' })
const runButton = h('button', { type: 'button', onclick: () => void runAll() }, 'Run on all of it')
const saveButton = h('button', { type: 'button', class: 'primary', title: 'Ctrl-S', onclick: () => void save() }, 'Save')
const fileName = h('bdi', { dir: 'ltr' }) // in a box whose text is cut at its left
const proposals = h('div', { class: 'proposals', hidden: true, role: 'region', 'aria-label': 'proposals' })
const explanation = h('div', { class: 'explanation', 'aria-live': 'polite' })
const hover = h('div', { class: 'hover', 'aria-hidden': 'true' })

const markName = h('input', { type: 'text', placeholder: 'name', 'aria-label': 'name of the field', size: 10, pattern: '[A-Za-z_][A-Za-z0-9_]*', onkeydown: (e: KeyboardEvent) => { if (e.key === 'Enter') void mark('field') } })
const markButton = (as: string, label: string, title: string) => h('button', { type: 'button', title, onclick: () => void mark(as) }, label)
const marking = h('div', { class: 'marking', role: 'toolbar', 'aria-label': 'what the marked piece is', hidden: true },
  h('span', { class: 'marked' }), markName,
  markButton('field', 'field', 'a field of this name (F)'), markButton('time', 'time', 'a time: its layout is found (T)'),
  markButton('optional', 'optional', 'it may be missing (O)'), markButton('text', 'always the same', 'text that stands in every line'), markButton('skip', 'skip', 'something that is passed over'))

const lines = new List<Line>(20, (from, to) => call<Line[]>('lines', { from, to }), drawLine, { class: 'list bytes', role: 'listbox', 'aria-label': 'bytes of the input; arrows move, shift marks, Enter explains' })
const rows = new List<(string | null)[]>(24, (from, to) => call('rows', { from, to }), drawRow, { class: 'list table', role: 'rowgroup', 'aria-label': 'rows' })
const tableHead = h('div', { class: 'table-head', role: 'row' })
const grid = h('div', { class: 'sideways', role: 'grid', 'aria-label': 'table' }, h('div', { class: 'head', role: 'rowgroup' }, tableHead), rows.element)
const rejectsList = h('ol', { class: 'rejects' })
const countsTable = h('table', { class: 'counts' })
const picture = new Picture(i => showState(i))
const wayLine = h('div', { class: 'way', tabindex: 0, 'aria-label': 'the line whose way is lit; arrows move' })
const stateText = h('div', { class: 'state-text', 'aria-live': 'polite' })
const errorsBox = h('input', { type: 'checkbox', id: 'errors', onchange: () => { if (graph) picture.draw(graph, errorsBox.checked) } })
const analysisText = h('pre')
const slowList = h('ul', { class: 'slow' })

const panels: Record<Tab, HTMLElement> = {
  Bytes: h('div', { class: 'panel' }, marking, lines.element, explanation),
  Table: h('div', { class: 'panel' }, grid),
  Rejects: h('div', { class: 'panel scroll' }, rejectsList),
  Counts: h('div', { class: 'panel scroll' }, countsTable),
  Automaton: h('div', { class: 'panel' }, wayLine, h('div', { class: 'graph-bar' }, stateText, h('label', { for: 'errors' }, errorsBox, ' errors')), picture.element,
    h('details', {}, h('summary', {}, 'how it is run, and what makes it slow'), slowList, analysisText)),
}
const tabButtons = tabNames.map(name => h('button', {
  type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`, onclick: () => open(name),
}, name, h('span', { class: 'badge' })))
for (const name of tabNames) {
  panels[name].id = `panel-${name}`
  panels[name].setAttribute('role', 'tabpanel')
  panels[name].setAttribute('aria-labelledby', `tab-${name}`)
}
const tabList = h('div', { role: 'tablist', class: 'tabs', 'aria-label': 'what is shown of the input', onkeydown: tabKeys }, ...tabButtons)

const editorBox = h('div', { class: 'editor' })
const themes = ['auto', 'light', 'dark'] as const
const themeButton = h('button', { type: 'button', title: 'colours: as the system has them, light, dark', onclick: () => setTheme(themes[(themes.indexOf(theme()) + 1) % 3]) })
document.getElementById('app')!.replaceWith(h('div', { id: 'app' },
  h('header', {},
    h('h1', {}, 'dfaparse ', h('span', {}, 'studio')), h('span', { class: 'file' }, fileName), formatSelect,
    h('button', { type: 'button', onclick: () => void reformat(), title: 'lay the spec out' }, 'Format'), saveButton, h('span', { class: 'gap' }),
    inputSelect, h('button', { type: 'button', onclick: () => fileInput.click() }, 'Open …'), fileInput,
    h('button', { type: 'button', onclick: () => void propose(), title: 'built-in formats that read it, what is inferred, or a template' }, 'Propose a spec'), themeButton),
  h('main', {},
    h('section', { class: 'left', 'aria-label': 'the spec' }, editorBox, faultsList),
    h('section', { class: 'right', 'aria-label': 'the input' },
      h('div', { class: 'window' }, slider, whereText, runButton, runBar, runText), tabList, proposals, ...tabNames.map(n => panels[n]))),
  h('footer', {}, status, hover)))

const editor = new Editor(editorBox, () => ({ state, fields: summary?.fields ?? [] }), () => edited(), () => void save())

// --- calls --------------------------------------------------------------------------------

function query(more: object = {}): object { return { spec: editor.text, input, window: Math.round(windowAt), ...more } }

/** A call about what is shown: with the spec that it was analysed by. */
let shownSpec = ''
function call<T>(name: string, more: object = {}): Promise<T> {
  return engine.call<T>(name, { ...query(more), spec: shownSpec })
}

function say(text: string, bad = false) {
  status.textContent = text
  status.classList.toggle('bad', bad)
}

async function trying<T>(act: () => Promise<T>): Promise<T | undefined> {
  try { return await act() } catch (e) { say(e instanceof Error ? e.message : String(e), true); return undefined }
}

// --- analysing ----------------------------------------------------------------------------

let running: Promise<void> | undefined, again = false

/** Analyses what there is now: one call at a time, the last text wins. It is done when that is shown. */
async function analyse() {
  if (input < 0) return
  again = true
  await (running ??= analyses())
}

async function analyses() {
  try {
    while (again) {
      again = false
      const spec = editor.text
      const answer = await trying(() => engine.call<Summary>('analyse', { ...query(), spec }))
      if (!answer) continue
      shownSpec = spec
      show(answer)
    }
  } finally { running = undefined }
}

let edit = 0 // when, until what it makes of the bytes is shown

function edited() {
  edit = performance.now()
  mustSave()
  void analyse()
}

function show(x: Summary) {
  const sameWindow = summary?.window.offset === x.window.offset && summary?.window.name === x.window.name
  summary = x
  graph = undefined
  editor.show(x.faults)
  faultsList.replaceChildren(...x.faults.filter(f => f.severity !== 'slow' || x.faults.length < 6).slice(0, 30).map(f => h('li', { class: f.severity },
    h('button', { type: 'button', onclick: () => editor.goTo(f) }, h('b', {}, f.line > 0 ? `${f.line}:${f.column}` : '–'), ` ${f.severity === 'slow' ? 'slow: ' : f.severity === 'test' ? 'test: ' : ''}${f.message}`))))
  if (!sameWindow) lines.element.scrollTop = 0
  lines.reset(x.lines)
  drawHead()
  rows.reset(x.rows)
  badge('Table', x.rows)
  badge('Rejects', x.rejected + x.nulled, true)
  badge('Bytes', undefined)
  drawRejects(x.rejects, x.rejected + x.nulled)
  const w = x.window
  whereText.textContent = w.size < w.of ? `bytes ${number(w.offset)} to ${number(w.offset + w.size)} of ${number(w.of)}${w.sure ? '' : ' · a guess'}` : `${size(w.of)}`
  whereText.title = `A record begins here: ${w.how}`
  if (document.activeElement !== slider) slider.value = String(w.of > 0 ? w.offset / w.of * 1000 : 0)
  slider.hidden = w.size >= w.of && w.offset === 0
  const errors = x.faults.filter(f => f.severity === 'error').length
  if (x.error) say(x.error, true)
  else if (errors > 0) say(`${errors === 1 ? 'a fault' : `${errors} faults`}; the table is empty until the spec compiles`, true)
  else say(`${x.format}: ${number(x.rows)} rows${x.rejected ? `, ${number(x.rejected)} rejected` : ''}${x.nulled ? `, ${number(x.nulled)} fields made null` : ''} · ${x.states} states · ${x.tests} tests · ${x.millis.toFixed(0)} ms`)
  void refresh()
}

function badge(name: Tab, n?: number, red = false) {
  const e = tabButtons[tabNames.indexOf(name)].querySelector('.badge')!
  e.textContent = n ? number(n) : ''
  e.classList.toggle('red', red && !!n)
}

/** What a tab fetches when it is opened, or when the spec has changed. */
async function refresh() {
  if (tab === 'Counts') {
    const counts = summary?.format ? await trying(() => call<Count[]>('counts')) : []
    if (counts) drawCounts(counts)
  }
  if (tab === 'Automaton') {
    await trying(loadGraph)
    if (graph && tab === 'Automaton') picture.draw(graph, errorsBox.checked)
    drawWay()
  }
}

async function loadGraph() {
  if (graph || !summary?.format) return
  const spec = shownSpec
  const found = await call<Graph>('graph')
  if (spec !== shownSpec) return // it is of a spec that is no more
  graph = found
  analysisText.textContent = graph.analysis
  slowList.replaceChildren(...(graph.slow.length ? graph.slow.map(f => h('li', {}, h('button', { type: 'button', onclick: () => editor.goTo(f) }, f.line ? `${f.line}:${f.column}` : '–'), ` ${f.message}`)) : [h('li', {}, 'nothing is slow')]))
  stateText.textContent = `${graph.nodes.length} states; contexts by path ${graph.path}, fields by ${graph.index}`
}

// --- bytes --------------------------------------------------------------------------------

function drawLine(line: Line, index: number): HTMLElement {
  const s = shown(line)
  const e = h('div', {
    class: `line${line.reject ? ' reject' : ''}${index === cursor.line ? ' current' : ''}`, role: 'option', id: `line-${index}`, 'aria-selected': index === cursor.line,
    title: line.reject ? summary?.rejects[line.reject - 1]?.reason : undefined,
  }, h('span', { class: 'gutter', 'aria-hidden': 'true' }, line.number ? String(line.number) : '·'), h('code', {}, ...pieces(line, s)))
  if (line.reject) e.append(h('span', { class: 'reason' }, summary?.rejects[line.reject - 1]?.reason ?? ''))
  if (index === cursor.line) queueMicrotask(drawCaret)
  return e
}

const codeOf = (e?: HTMLElement) => e?.querySelector('code') as HTMLElement | undefined

/** The line and byte at a place of the window. */
function byteAt(x: number, y: number): { line: number; byte: number; row: Line; s: Shown } | undefined {
  const e = (document.elementFromPoint(x, y) as HTMLElement | null)?.closest('.line') as HTMLElement | null
  if (!e || !lines.element.contains(e)) return undefined
  const index = Number(e.id.slice(5)), row = lines.row(index), code = codeOf(e)
  if (!row || !code) return undefined
  const s = shown(row), sign = signAt(code, x, y)
  if (sign === undefined) return undefined
  return { line: index, byte: Math.min(s.byteOf[Math.min(sign, s.byteOf.length - 1)], Math.max(0, row.text.length - 1)), row, s }
}

function columnName(is: number): string {
  if (is >= 0) return `column ${summary?.fields[is] ?? is + 1}`
  return { [what.separator]: 'separator', [what.control]: 'text, quote or escape: no data', [what.dropped]: 'dropped: a comment or an empty line', [what.preface]: 'header, directive, or passed over', [what.malformed]: 'malformed', [what.unread]: 'not read' }[is] ?? ''
}

function factsText(row: Line, byte: number): string {
  const f = factsAt(row, byte)
  const at = `byte ${number(row.offset + byte)}`
  if (!f) return at
  const node = graph?.nodes[f.state]
  return `${at} · ${columnName(f.what)}${node ? ` · ${node.name}, ${node.doc} · emits ${graph?.emissions[f.emission]}` : ''}`
}

lines.element.addEventListener('mousemove', e => {
  const at = byteAt(e.clientX, e.clientY)
  hover.textContent = at ? factsText(at.row, at.byte) : ''
})
lines.element.addEventListener('mouseenter', () => void trying(loadGraph))
lines.element.addEventListener('click', e => {
  if (!getSelection()?.isCollapsed) return
  const at = byteAt(e.clientX, e.clientY)
  if (!at) return
  setCursor(at.line, at.byte)
  void explain()
})
lines.element.addEventListener('loaded', () => {
  drawCaret()
  if (!edit || shownSpec !== editor.text) return // what has come is of the text before
  performance.measure('dfaparse-shown', { start: edit })
  edit = 0
})

/** What is marked by the mouse becomes the cursor's. */
document.addEventListener('selectionchange', () => {
  const selection = getSelection()
  if (!selection || selection.isCollapsed || !selection.anchorNode || !selection.focusNode) {
    if (cursor.anchor >= 0 && document.activeElement !== markName && lines.element.contains(document.activeElement)) { cursor.anchor = -1; showMarking() }
    return
  }
  const lineOf = (n: Node) => (n instanceof HTMLElement ? n : n.parentElement)?.closest('.line') as HTMLElement | null
  const e = lineOf(selection.anchorNode)
  if (!e || e !== lineOf(selection.focusNode) || !lines.element.contains(e)) return
  const index = Number(e.id.slice(5)), row = lines.row(index), code = codeOf(e)
  if (!row || !code || !code.contains(selection.anchorNode) || !code.contains(selection.focusNode)) return
  const s = shown(row)
  const a = s.byteOf[textOffset(code, selection.anchorNode, selection.anchorOffset)]
  const b = s.byteOf[textOffset(code, selection.focusNode, selection.focusOffset)]
  if (a === undefined || b === undefined || a === b) return
  const moved = index !== cursor.line
  cursor = { line: index, anchor: a, byte: b }
  if (moved) for (const old of lines.element.querySelectorAll('.line.current')) old.classList.remove('current')
  e.classList.add('current')
  showMarking()
})

function markedRange(): { from: number; to: number } | undefined {
  if (cursor.anchor < 0 || cursor.anchor === cursor.byte) return undefined
  return { from: Math.min(cursor.anchor, cursor.byte), to: Math.max(cursor.anchor, cursor.byte) }
}

function showMarking() {
  const range = markedRange(), row = lines.row(cursor.line)
  marking.hidden = !range || !row
  if (!range || !row) return
  const s = shown(row)
  marking.querySelector('.marked')!.textContent = s.text.slice(s.at[range.from], s.at[range.to])
}

async function mark(as: string) {
  const range = markedRange(), { line } = cursor
  await running // by the spec as it is now
  await lines.reveal(line)
  const row = lines.row(line)
  if (!range || !row) return
  const changed = await trying(() => call<Changed>('mark', { mark: { offset: row.offset + range.from, size: range.to - range.from, as, name: markName.value.trim() } }))
  if (!changed) return
  markName.value = ''
  cursor.anchor = -1
  getSelection()?.removeAllRanges()
  showMarking()
  editor.replace(changed.spec)
  mustSave()
  await analyse()
  if (changed.note) say(changed.note, true)
  else if (changed.name && !summary?.faults.some(f => f.severity === 'error')) say(`${changed.name} is a field${changed.type ? `, ${changed.type}` : ', a text'}`)
  lines.element.focus()
}

function setCursor(line: number, byte: number, extend = false) {
  const old = cursor.line
  cursor = { line, byte, anchor: extend ? (cursor.anchor >= 0 && line === old ? cursor.anchor : cursor.byte) : -1 }
  if (old !== line) lines.drawn(old)?.classList.remove('current')
  lines.drawn(line)?.classList.add('current')
  lines.element.setAttribute('aria-activedescendant', `line-${line}`)
  drawCaret()
  showMarking()
}

const caret = h('i', { class: 'caret' })

/** Shows where the cursor is, and what is marked. */
function drawCaret() {
  const e = lines.drawn(cursor.line), code = codeOf(e), row = lines.row(cursor.line)
  if (!e || !code || !row) { caret.remove(); return }
  const s = shown(row), box = boxOf(code, s.at[Math.min(cursor.byte, row.text.length - 1)] ?? 0)
  if (!box) { caret.remove(); return }
  const parent = e.getBoundingClientRect()
  caret.style.left = `${box.left - parent.left}px`
  caret.style.width = `${box.width}px`
  e.append(caret)
  const range = markedRange()
  if (range && lines.element === document.activeElement) {
    const [a, i] = nodeAt(code, s.at[range.from]), [b, k] = nodeAt(code, s.at[range.to])
    if (a && b) getSelection()?.setBaseAndExtent(a, i, b, k)
  }
}

let moves: Promise<unknown> = Promise.resolve() // of the cursor, one after the other: lines may have to be fetched first

lines.element.addEventListener('keydown', e => {
  const within = (line: number) => Math.max(0, Math.min(lines.count - 1, line))
  const go = (to: () => [line: number, byte: number]) => {
    moves = moves.then(() => trying(async () => {
      if (lines.count === 0) return
      await lines.reveal(within(cursor.line))
      const [wanted, byte] = to(), line = within(wanted)
      await lines.reveal(line)
      setCursor(line, Math.max(0, Math.min(byte, Math.max(0, (lines.row(line)?.text.length ?? 1) - (e.shiftKey ? 0 : 1)))), e.shiftKey)
      const now = lines.row(cursor.line)
      if (now) hover.textContent = factsText(now, cursor.byte)
    }))
  }
  const word = (by: number) => {
    const text = lines.row(cursor.line)?.text ?? ''
    let at = cursor.byte
    do at += by
    while (at > 0 && at < text.length && !(/\w/.test(text[at]) && !/\w/.test(text[at - 1])) && !(by > 0 && !/\w/.test(text[at]) && /\w/.test(text[at - 1])))
    return at
  }
  switch (e.key) {
    case 'ArrowLeft': go(() => [cursor.line, e.ctrlKey ? word(-1) : cursor.byte - 1]); break
    case 'ArrowRight': go(() => [cursor.line, e.ctrlKey ? word(1) : cursor.byte + 1]); break
    case 'ArrowUp': go(() => [cursor.line - 1, cursor.byte]); break
    case 'ArrowDown': go(() => [cursor.line + 1, cursor.byte]); break
    case 'PageUp': go(() => [cursor.line - Math.floor(lines.element.clientHeight / lines.height), cursor.byte]); break
    case 'PageDown': go(() => [cursor.line + Math.floor(lines.element.clientHeight / lines.height), cursor.byte]); break
    case 'Home': go(() => [e.ctrlKey ? 0 : cursor.line, 0]); break
    case 'End': go(() => [e.ctrlKey ? lines.count : cursor.line, 1 << 30]); break
    case 'Enter': void moves.then(explain); break
    case 'f': case 'F': if (markedRange()) markName.focus(); else return; break
    case 't': case 'T': if (markedRange()) void mark('time'); else return; break
    case 'o': case 'O': if (markedRange()) void mark('optional'); else return; break
    default: return
  }
  e.preventDefault()
})

async function explain() {
  const row = lines.row(cursor.line)
  if (!row) return
  const x = await trying(() => call<Explanation>('explain', { offset: row.offset + cursor.byte }))
  if (!x) return
  explanation.replaceChildren(h('div', { class: 'explained' },
    h('h2', {}, `byte ${number(x.offset)}, ${x.place}`),
    h('dl', {}, ...x.rows.flatMap(([head, text]) => [h('dt', {}, head), h('dd', {}, text)])),
    h('button', { type: 'button', class: 'close', 'aria-label': 'close the explanation', onclick: () => { explanation.replaceChildren(); lines.element.focus() } }, '×')))
}

/** Shows a byte of the input, in another window if it is not in this one. */
async function goToOffset(offset: number) {
  const w = summary?.window
  if (!w) return
  open('Bytes')
  if (offset < w.offset || offset >= w.offset + w.size) await moveWindow(Math.max(0, offset - 2000))
  const line = await call<number>('line', { offset })
  await lines.reveal(line)
  setCursor(line, Math.max(0, offset - (lines.row(line)?.offset ?? offset)))
  await explain()
}

// --- table, rejects, counts -------------------------------------------------------------------

let widths: number[] = []

function drawHead() {
  const columns = summary?.columns ?? []
  const old = tableHead.dataset.columns
  const now = JSON.stringify(columns)
  if (old !== now) widths = columns.map(c => Math.max(6, Math.min(40, Math.max(c.name.length, c.type.length) + 3)))
  tableHead.dataset.columns = now
  tableHead.replaceChildren(h('span', { class: 'gutter' }), ...columns.map((c, i) => {
    const e = h('span', { class: 'cell', role: 'columnheader', title: `${c.name}: ${c.type}${c.nullable ? '' : ', never null'}` }, h('b', {}, c.name), h('small', {}, c.type))
    tint(e, c.field)
    e.style.width = `${widths[i]}ch`
    return e
  }))
  grid.setAttribute('aria-colcount', String(columns.length))
  grid.setAttribute('aria-rowcount', String(summary?.rows ?? 0))
}

function drawRow(cells: (string | null)[], index: number): HTMLElement {
  const columns = summary?.columns ?? []
  cells.forEach((c, i) => {
    const wanted = Math.min(40, (c?.length ?? 0) + 2)
    if (wanted > (widths[i] ?? 0)) {
      widths[i] = wanted
      const head = tableHead.children[i + 1] as HTMLElement | undefined
      if (head) head.style.width = `${wanted}ch`
      for (const e of rows.element.querySelectorAll<HTMLElement>(`.cell[data-c="${i}"]`)) e.style.width = `${wanted}ch`
    }
  })
  const e = h('div', { class: 'row', role: 'row', 'aria-rowindex': index + 1, onclick: () => void goToRow(index) },
    h('span', { class: 'gutter', 'aria-hidden': 'true' }, String(index + 1)),
    ...cells.map((c, i) => {
      const cell = h('span', { class: `cell${c === null ? ' null' : ''}${columns[i]?.numeric ? ' num' : ''}`, role: 'gridcell', 'data-c': i, title: c ?? 'null' }, c ?? 'null')
      tint(cell, columns[i]?.field ?? 0)
      cell.style.width = `${widths[i] ?? 10}ch`
      return cell
    }))
  return e
}

async function goToRow(index: number) {
  const line = await trying(() => call<number>('line', { row: index + 1 }))
  if (line === undefined) return
  open('Bytes')
  await lines.reveal(line)
  setCursor(line, 0)
}

rows.element.addEventListener('keydown', e => {
  const page = Math.floor(rows.element.clientHeight / rows.height) - 1
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[e.key]
  if (by === undefined) return
  rows.element.scrollTop += by * rows.height
  e.preventDefault()
})

function drawRejects(rejects: Reject[], n: number, of = 'the window') {
  rejectsList.replaceChildren(
    ...(rejects.length ? [] : [h('li', { class: 'none' }, `Nothing of ${of} is rejected.`)]),
    ...rejects.slice(0, 200).map(r => h('li', {},
      h('button', { type: 'button', onclick: () => void goToOffset(r.offset) }, h('b', {}, `byte ${number(r.offset)}`), ` ${r.field_only ? 'made null: ' : ''}${r.reason}`), h('code', {}, r.raw))),
    ...(n > Math.min(rejects.length, 200) ? [h('li', { class: 'none' }, `${number(n)} in all; these are the first.`)] : []))
}

function drawCounts(counts: Count[]) {
  countsTable.replaceChildren(
    h('thead', {}, h('tr', {}, ...['column', 'type', 'values', 'nulls', 'distinct', 'smallest', 'largest'].map(t => h('th', { scope: 'col' }, t)))),
    h('tbody', {}, ...counts.map((c, i) => {
      const name = h('th', { scope: 'row', class: 'f' }, c.name)
      tint(name, summary?.columns[i]?.field ?? 0)
      return h('tr', {}, name, h('td', {}, c.type), ...(c.why ? [h('td', { colspan: 5 }, c.why)] : [c.values, c.nulls, c.distinct].map(x => h('td', { class: 'num' }, number(Number(x))))),
        ...(c.why ? [] : [h('td', {}, c.smallest), h('td', {}, c.largest)]))
    })))
}

// --- the automaton ------------------------------------------------------------------------------

let wayAt = 0

function drawWay() {
  const row = lines.row(cursor.line) ?? lines.row(0)
  if (!row) {
    if (summary && summary.lines > 0) void call<Line[]>('lines', { from: cursor.line, to: cursor.line + 1 }).then(x => { if (x[0]) wayOf(x[0]) })
    return
  }
  wayOf(row)
}

function wayOf(row: Line) {
  const s = shown(row), code = h('code', {}, ...pieces(row, s))
  wayLine.replaceChildren(code)
  const light = (byte: number) => {
    wayAt = Math.max(0, Math.min(byte, row.text.length - 1))
    const f = factsAt(row, wayAt)
    if (!f || f.state < 0 || !graph) return
    picture.light(way(row, wayAt), f.state, factsAt(row, wayAt + 1)?.state)
    stateText.textContent = factsText(row, wayAt)
    for (const old of code.querySelectorAll('.at')) old.classList.remove('at')
    const [node] = nodeAt(code, s.at[wayAt])
    node?.parentElement?.classList.add('at')
  }
  wayLine.onmousemove = e => {
    const sign = signAt(code, e.clientX, e.clientY)
    if (sign !== undefined) light(s.byteOf[Math.min(sign, s.byteOf.length - 1)])
  }
  wayLine.onkeydown = e => {
    if (e.key === 'ArrowRight') light(wayAt + 1)
    else if (e.key === 'ArrowLeft') light(wayAt - 1)
    else return
    e.preventDefault()
  }
  light(Math.min(cursor.byte, row.text.length - 1))
}

function showState(i: number) {
  const n = graph?.nodes[i]
  if (!n || !graph) return
  stateText.textContent = `${n.name}: ${n.doc} · ${graph.groups[n.group]} · ${n.end}`
  picture.light([i], i)
}

// --- tabs, inputs, windows ------------------------------------------------------------------------

function open(name: Tab) {
  tab = name
  tabNames.forEach((n, i) => {
    panels[n].hidden = n !== name
    tabButtons[i].setAttribute('aria-selected', String(n === name))
    tabButtons[i].tabIndex = n === name ? 0 : -1
  })
  void refresh()
}

function tabKeys(e: KeyboardEvent) {
  const i = tabNames.indexOf(tab)
  const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabNames.length - 1 }[e.key]
  if (to === undefined) return
  e.preventDefault()
  open(tabNames[(to + tabNames.length) % tabNames.length])
  tabButtons[tabNames.indexOf(tab)].focus()
}

async function loadState() {
  state = await engine.call<State>('state')
  const { inputs, formats, file } = state
  inputSelect.replaceChildren(...inputs.map((x, i) => h('option', { value: i }, `${x.name.split('/').pop()} (${size(x.size)})`)))
  inputSelect.hidden = inputs.length === 0
  inputSelect.value = String(input)
  formatSelect.replaceChildren(h('option', { value: '' }, 'built-in formats …'), ...formats.map(g => h('optgroup', { label: g.Name }, ...g.Names.map(n => h('option', { value: n }, n)))))
  fileName.textContent = file
}

async function choose(i: number) {
  input = i
  inputSelect.value = String(i)
  windowAt = 0
  cursor = { line: 0, byte: 0, anchor: -1 }
  explanation.replaceChildren()
  stopRun()
  await analyse()
  if (!editor.text.trim() && !proposed) await propose()
}

function slid() {
  const of = summary?.window.of ?? 0
  whereText.textContent = `at byte ${number(Math.round(Number(slider.value) / 1000 * of))} of ${number(of)}`
}

async function moveWindow(offset: number) {
  windowAt = Math.max(0, Math.round(offset))
  cursor = { line: 0, byte: 0, anchor: -1 }
  explanation.replaceChildren()
  await analyse()
}

async function drop(files: File[]) {
  for (const file of files) {
    if (file.name.endsWith('.dfp')) {
      editor.replace(await file.text())
      await analyse()
      continue
    }
    say(`${file.name} is being read …`)
    const i = await trying(() => engine.add(file.name, file))
    if (i === undefined) continue
    await loadState()
    await choose(i)
  }
}

addEventListener('dragover', e => { e.preventDefault(); document.body.classList.add('dropping') })
addEventListener('dragleave', e => { if (!e.relatedTarget) document.body.classList.remove('dropping') })
addEventListener('drop', e => {
  e.preventDefault()
  document.body.classList.remove('dropping')
  void drop([...e.dataTransfer?.files ?? []])
})

async function propose() {
  if (input < 0) { say('open a file first', true); return }
  proposed = true
  say('all formats are tried …')
  const found = await trying(() => engine.call<Proposal[]>('propose', query()))
  if (!found) return
  const take = async (p: Proposal) => {
    editor.replace(p.spec)
    mustSave()
    proposals.hidden = true
    await analyse()
  }
  proposals.replaceChildren(h('p', {}, 'Begin with'), ...found.map(p => h('button', { type: 'button', onclick: () => void take(p) }, h('b', {}, p.title), h('small', {}, p.why))),
    h('button', { type: 'button', class: 'close', 'aria-label': 'close', onclick: () => { proposals.hidden = true } }, '×'))
  proposals.hidden = false
  if (!editor.text.trim()) {
    editor.replace(found[0].spec)
    await analyse()
  } else say(`${found.length} proposals`)
}

async function builtin(name: string) {
  if (!name) return
  const b = await trying(() => engine.call<{ spec: string; sample: string }>('builtin', { name }))
  formatSelect.value = ''
  if (!b) return
  editor.replace(b.spec)
  mustSave()
  if (b.sample && (input < 0 || /^sample of /.test(state?.inputs[input]?.name ?? ''))) {
    input = await engine.call<number>('sample', { name: `sample of ${name}`, spec: b.sample })
    await loadState()
    await choose(input)
    return
  }
  await analyse()
}

async function reformat() {
  const x = await trying(() => engine.call<{ spec: string }>('format', query()))
  if (!x) return
  editor.replace(x.spec)
  mustSave()
  await analyse()
}

function mustSave() {
  const changed = editor.text !== saved
  saveButton.classList.toggle('changed', changed)
  document.title = `${changed ? '• ' : ''}${state?.file || 'dfaparse studio'}`
}

async function save() {
  if (!state) return
  if (!state.saves) { // there are no files: the browser keeps it
    const name = `${/format\s+(\w+)/.exec(editor.text)?.[1] ?? 'spec'}.dfp`
    const link = h('a', { href: URL.createObjectURL(new Blob([editor.text])), download: name })
    link.click()
    URL.revokeObjectURL(link.href)
    saved = editor.text
    mustSave()
    return
  }
  const name = state.file || prompt('Save as', `${/format\s+(\w+)/.exec(editor.text)?.[1] ?? 'spec'}.dfp`)
  if (!name) return
  const text = editor.text
  const x = await trying(() => engine.call<{ file: string }>('save', { name, spec: text }))
  if (!x) return
  state.file = fileName.textContent = x.file
  saved = text
  mustSave()
  say(`${x.file} is saved`)
}

addEventListener('beforeunload', e => { if (editor.text !== saved && editor.text.trim()) e.preventDefault() })

// --- run on all of it ---------------------------------------------------------------------------

let runTimer = 0

function stopRun() {
  clearTimeout(runTimer)
  runTimer = 0
  runBar.hidden = true
  runText.textContent = ''
  runButton.textContent = 'Run on all of it'
}

async function runAll() {
  if (runTimer) {
    await trying(() => engine.call('stop'))
    return
  }
  let p = await trying(() => engine.call<Progress>('run', query()))
  if (!p) return
  runBar.hidden = false
  runButton.textContent = 'Stop'
  const poll = async () => {
    p = await trying(() => engine.call<Progress>('progress'))
    if (!p) { stopRun(); return }
    runBar.value = p.of ? p.bytes / p.of : 1
    runText.textContent = `${number(p.rows)} rows${p.rejected ? `, ${number(p.rejected)} rejected` : ''}${p.nulled ? `, ${number(p.nulled)} nulls made` : ''}, ${p.seconds.toFixed(1)} s`
    if (!p.done) { runTimer = window.setTimeout(() => void poll(), 150); return }
    runTimer = 0
    runBar.hidden = true
    runButton.textContent = 'Run on all of it'
    if (p.error) say(p.error, true)
    drawRejects(p.rejects, p.rejected + p.nulled, 'the input')
    badge('Rejects', p.rejected + p.nulled, true)
    if (p.rejected + p.nulled > 0) open('Rejects')
  }
  runTimer = window.setTimeout(() => void poll(), 50)
}

// --- begin ---------------------------------------------------------------------------------------

function theme(): typeof themes[number] {
  const t = localStorage.getItem('dfaparse-theme')
  return t === 'light' || t === 'dark' ? t : 'auto'
}

function setTheme(t: typeof themes[number]) {
  localStorage.setItem('dfaparse-theme', t)
  document.documentElement.dataset.theme = t
  themeButton.textContent = { auto: '◐', light: '☀', dark: '☾' }[t]
  themeButton.setAttribute('aria-label', `colours: ${t}`)
}

async function begin() {
  setTheme(theme())
  open('Bytes')
  say(engine.waiting)
  await loadState()
  if (!state) return
  editor.replace(state.spec)
  saved = state.spec
  mustSave()
  const wanted = /[#&]format=([\w-]+)/.exec(location.hash)?.[1]
  if (state.inputs.length > 0) await choose(0)
  else if (wanted || (!state.saves && !state.spec)) await builtin(wanted ?? 'apache_combined')
  else say('Drop a file on the page, or open one; or choose a built-in format, which comes with a sample.')
  if (!state.saves) saved = editor.text
  editor.view.focus()
}

void trying(begin)
