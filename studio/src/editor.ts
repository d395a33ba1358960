import { autocompletion, closeBrackets, completionKeymap, type CompletionContext } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting, type StringStream } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import grammar from '../../editors/dfp.tmLanguage.json'
import type { Fault, State } from './types'

/** The words of the language, from the grammar that editors use. */
function words(scope: string): string[] {
  const rule = grammar.patterns.find(p => p.name === scope) as { match: string }
  return rule.match.replace(/^\\b\(|\)\\b$/g, '').split('|')
}

const keywords = words('keyword.control.dfp')
const typeNames = words('storage.type.dfp')
const args = words('support.other.argument.dfp')
const isKeyword = new Set(keywords), isType = new Set(typeNames), isArgument = new Set(args)

interface Lexing { text: string } // the quote of the text that we are in

const language = StreamLanguage.define<Lexing>({
  startState: () => ({ text: '' }),
  token(stream: StringStream, state) {
    if (state.text) return inText(stream, state)
    if (stream.eatSpace()) return null
    if (stream.match('#')) { stream.skipToEnd(); return 'comment' }
    if (stream.match(/^'([^'\\]|\\.[0-9A-Fa-f]*)'|^'\\'/)) return 'string'
    const open = stream.peek()
    if (open === '"' || open === '`') { stream.next(); state.text = open; return 'string' }
    if (stream.match(/^[0-9]+(\.[0-9]+)?(B|KiB|MiB|GiB)?\b/)) return 'number'
    if (stream.match(/^(=>|\+=|[|!?+=])/)) return 'operator'
    if (stream.match(/^[A-Za-z_][\w-]*/)) {
      const word = stream.current()
      return isKeyword.has(word) ? 'keyword' : isType.has(word) ? 'typeName' : isArgument.has(word) ? 'propertyName' : 'variableName'
    }
    stream.next()
    return null
  },
  tokenTable: { hole: tags.special(tags.variableName) },
  languageData: { commentTokens: { line: '#' }, closeBrackets: { brackets: ['(', '{', '`', '"'] } },
})

function inText(stream: StringStream, state: Lexing): string {
  if (stream.match(/^\{[^{}]*\}/)) return 'hole'
  while (!stream.eol()) {
    const c = stream.peek()
    if (c === '{') {
      if (stream.current()) return 'string'
      if (stream.match('{{')) continue
      stream.next()
      continue
    }
    stream.next()
    if (c === '\\' && state.text === '"') { stream.next(); continue }
    if (c === state.text) { state.text = ''; return 'string' }
  }
  if (state.text === '"') state.text = '' // it ends with its line
  return 'string'
}

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--keyword)', fontWeight: '600' },
  { tag: tags.string, color: 'var(--string)' },
  { tag: tags.special(tags.variableName), color: 'var(--hole)', fontWeight: '600' },
  { tag: tags.typeName, color: 'var(--type)' },
  { tag: tags.propertyName, color: 'var(--type)' },
  { tag: tags.number, color: 'var(--number)' },
  { tag: tags.operator, color: 'var(--keyword)' },
])

export interface Known { state?: State; fields: string[] }

/** What may be completed: words, types with their layouts, built-in formats, columns. */
function complete(known: () => Known) {
  return (context: CompletionContext) => {
    const layout = context.matchBefore(/"%[^"]*/)
    const { state, fields } = known()
    if (layout) {
      const layouts = new Set<string>()
      for (const t of state?.types ?? []) for (const e of t.examples) for (const m of e.matchAll(/"(%[^"]*)"/g)) layouts.add(m[1])
      return { from: layout.from + 1, options: [...layouts].map(label => ({ label, type: 'constant' })) }
    }
    const word = context.matchBefore(/[A-Za-z_][\w-]*/)
    if (!word && !context.explicit) return null
    const before = context.state.sliceDoc(Math.max(0, (word?.from ?? context.pos) - 12), word?.from ?? context.pos)
    const formats = /(extends|-f)\s+$/.test(before) ? (state?.formats ?? []).flatMap(g => g.Names) : []
    const options = formats.length > 0 ? formats.map(label => ({ label, type: 'class' })) : [
      ...fields.filter(f => /^\w+$/.test(f)).map(label => ({ label, type: 'variable', detail: 'column', boost: 2 })),
      ...(state?.types ?? []).map(t => ({ label: t.name, type: 'type', detail: t.examples.slice(0, 2).join('  '), boost: 1 })),
      ...(state?.types ?? []).flatMap(t => t.examples.filter(e => e.includes('(')).slice(0, 6).map(label => ({ label, type: 'type' }))),
      ...keywords.map(label => ({ label, type: 'keyword' })),
    ]
    return { from: word?.from ?? context.pos, options, validFor: /^[\w-]*$/ }
  }
}

export class Editor {
  readonly view: EditorView
  private quiet = false

  constructor(parent: HTMLElement, known: () => Known, changed: () => void, save: () => void) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: '',
        extensions: [
          lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), closeBrackets(), highlightSelectionMatches(),
          language, syntaxHighlighting(colours), autocompletion({ override: [complete(known)] }), lintGutter(), EditorView.lineWrapping,
          keymap.of([{ key: 'Mod-s', run: () => { save(); return true }, preventDefault: true },
            ...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ 'aria-label': 'the spec', spellcheck: 'false' }),
          EditorView.updateListener.of(u => { if (u.docChanged && !this.quiet) changed() }),
        ],
      }),
    })
  }

  get text(): string { return this.view.state.doc.toString() }

  /** Another text, as one change that can be undone. */
  replace(text: string) {
    if (text === this.text) return
    this.quiet = true
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } })
    this.quiet = false
  }

  show(faults: Fault[]) {
    const { doc } = this.view.state
    const diagnostics: Diagnostic[] = []
    for (const f of faults) {
      if (f.line < 1 || f.line > doc.lines) continue
      const line = doc.line(f.line)
      const from = Math.min(line.to, line.from + Math.max(0, f.column - 1))
      const word = /^[\w-]+|^./.exec(doc.sliceString(from, line.to))?.[0].length ?? 0
      const severity = f.severity === 'slow' ? 'info' : f.severity === 'warning' ? 'warning' : 'error'
      diagnostics.push({ from, to: from + word, severity, message: f.severity === 'slow' ? `slow: ${f.message}` : f.message })
    }
    diagnostics.sort((a, b) => a.from - b.from)
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics))
  }

  goTo(f: Fault) {
    const { doc } = this.view.state
    if (f.line < 1 || f.line > doc.lines) return
    const line = doc.line(f.line)
    const at = Math.min(line.to, line.from + Math.max(0, f.column - 1))
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    this.view.focus()
  }
}
