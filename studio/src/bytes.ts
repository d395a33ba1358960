import { h, tint } from './dom'
import { what, type Line } from './types'

/** A line's text as it is shown: where each byte is in it, and the other way round. */
export interface Shown { text: string; byteOf: number[]; at: number[] }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** One sign for each character, so that what does not print is seen too. */
export function shown(line: Line): Shown {
  const raw = line.text
  const out: string[] = [], byteOf: number[] = [], at: number[] = []
  for (let i = 0; i < raw.length;) {
    const c = raw.charCodeAt(i)
    let sign: string, n = 1
    if (c >= 0xc2 && c < 0xf5) {
      n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4
      try {
        sign = utf8.decode(Uint8Array.from(raw.slice(i, i + n), x => x.charCodeAt(0)))
        if (/[\p{C}\p{Z}]/u.test(sign)) sign = '�'
      } catch { sign = '�'; n = 1 }
    } else if (c < 0x20) sign = c === 10 ? '↵' : c === 9 ? '⇥' : String.fromCharCode(0x2400 + c)
    else if (c === 0x7f) sign = '␡'
    else sign = c < 0x7f ? raw[i] : '�'
    for (let k = 0; k < n && i + k < raw.length; k++) at.push(byteOf.length)
    for (let k = 0; k < sign.length; k++) byteOf.push(i)
    out.push(sign)
    i += n
  }
  byteOf.push(raw.length)
  at.push(byteOf.length - 1)
  return { text: out.join(''), byteOf, at }
}

const classes: Record<number, string> = {
  [what.separator]: 'sep', [what.control]: 'ctl', [what.dropped]: 'drop', [what.preface]: 'pre', [what.malformed]: 'bad', [what.unread]: 'raw',
}

/** The pieces of a line, each with the colour of its column. */
export function pieces(line: Line, s: Shown): HTMLElement[] {
  const out: HTMLElement[] = []
  let byte = 0, begin = 0, is = NaN
  const end = (to: number) => {
    if (to > begin) {
      const e = h('span', { class: is >= 0 ? 'f' : classes[is] ?? 'raw' }, s.text.slice(s.at[begin], s.at[to]))
      if (is >= 0) tint(e, is)
      out.push(e)
    }
    begin = to
  }
  for (let i = 0; i < line.runs.length; i += 4) {
    if (line.runs[i + 1] !== is) { end(byte); is = line.runs[i + 1] }
    byte += line.runs[i]
  }
  end(byte)
  return out
}

export interface ByteFacts { what: number; state: number; emission: number }

/** What is known of a byte of a line. */
export function factsAt(line: Line, byte: number): ByteFacts | undefined {
  let at = 0
  for (let i = 0; i < line.runs.length; i += 4) {
    at += line.runs[i]
    if (byte < at) return { what: line.runs[i + 1], state: line.runs[i + 2], emission: line.runs[i + 3] }
  }
  return undefined
}

/** The states that a line's bytes are met in, up to one byte. */
export function way(line: Line, byte: number): number[] {
  const out: number[] = []
  let at = 0
  for (let i = 0; i < line.runs.length && at <= byte; i += 4) {
    if (line.runs[i + 2] >= 0) out.push(line.runs[i + 2])
    at += line.runs[i]
  }
  return out
}

/** How many signs of an element's text lie before a place in it. */
export function textOffset(within: Node, node: Node, offset: number): number {
  const range = document.createRange()
  range.setStart(within, 0)
  range.setEnd(node, offset)
  return range.toString().length
}

/** The sign at a place of the window, within an element. */
export function signAt(within: HTMLElement, x: number, y: number): number | undefined {
  const d = document as Document & { caretPositionFromPoint?: (x: number, y: number) => { offsetNode: Node; offset: number } | null }
  let node: Node | undefined, offset = 0
  const place = d.caretPositionFromPoint?.(x, y)
  if (place) [node, offset] = [place.offsetNode, place.offset]
  else {
    const range = document.caretRangeFromPoint?.(x, y)
    if (range) [node, offset] = [range.startContainer, range.startOffset]
  }
  if (!node || !within.contains(node)) return undefined
  let sign = textOffset(within, node, offset)
  // The place is between two signs, the one nearer; the sign is the one that the pointer is on.
  const box = boxOf(within, sign)
  if (box && x < box.left && sign > 0) sign--
  return sign
}

/** Where a sign of an element is in the window. */
export function boxOf(within: HTMLElement, sign: number): DOMRect | undefined {
  const [node, offset] = nodeAt(within, sign)
  if (!node || offset >= (node.textContent?.length ?? 0)) return undefined
  const range = document.createRange()
  range.setStart(node, offset)
  range.setEnd(node, offset + 1)
  return range.getBoundingClientRect()
}

/** The text node that has a sign, and where. */
export function nodeAt(within: HTMLElement, sign: number): [Node | undefined, number] {
  const walk = document.createTreeWalker(within, NodeFilter.SHOW_TEXT)
  let last: Node | undefined
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const length = n.textContent?.length ?? 0
    if (sign < length) return [n, sign]
    sign -= length
    last = n
  }
  return [last, last?.textContent?.length ?? 0]
}
