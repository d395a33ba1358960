// The site: the pages that `go run ./site` has written, in the order in which somebody new reads them.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const folder = fileURLToPath(new URL('../pages/', import.meta.url))
const repository = 'https://github.com/dfaparse/dfaparse'
const grammar = JSON.parse(readFileSync(new URL('../../editors/dfp.tmLanguage.json', import.meta.url), 'utf8'))
const groups = JSON.parse(readFileSync(`${folder}gallery.json`, 'utf8'))

const sections = [
  ['Start', { tutorial: 'A spec in ten minutes', install: 'Install', exact: 'Why exact', inference: 'Files without a spec', studio: 'The studio' }],
  ['Formats', { 'gallery/index': 'Gallery', spec: 'The spec language', formats: 'Built-in formats', import: 'Specs of other tools' }],
  ['Read and write', {
    sources: 'Sources', reliability: 'Errors and rejects', output: 'Outputs', aggregate: 'Groups and sums', sort: 'Rows in order', splits: 'Splits and indexes',
  }],
  ['From programs', { embedding: 'Go', rows: 'Rows as structs', python: 'Python and Spark', interop: 'Who reads what it writes', duckdb: 'DuckDB' }],
  ['Speed', { benchmarks: 'Benchmarks', peers: 'Beside other readers', 'formats-speed': 'Formats by speed', performance: 'Why it is fast', gpu: 'On GPUs' }],
  ['Inside', {
    architecture: 'Architecture', engines: 'Engines', conformance: 'Conformance', dependencies: 'Dependencies', contributing: 'Contributing', changelog: 'Changes',
  }],
  ['Lab notes', { 'lab/performance': 'Engine for CPUs', 'lab/gpu': 'Engine for GPUs' }],
]

// Every page is in the navigation, so that none is found by search alone.
const written = readdirSync(folder, { recursive: true }).filter(f => f.endsWith('.md')).map(f => f.slice(0, -3))
const listed = sections.flatMap(([, pages]) => Object.keys(pages))
const missing = written.filter(p => p !== 'index' && !listed.includes(p) && !/^gallery\/./.test(p))
if (missing.length) throw new Error(`no section of .vitepress/config.mjs has ${missing.join(', ')}`)

const address = page => `/${page.replace(/index$/, '')}`
const sidebar = sections.map(([text, pages]) => ({
  text,
  collapsed: text === 'Inside' || text === 'Lab notes',
  items: Object.entries(pages).filter(([page]) => written.includes(page)).map(([page, text]) => ({ text, link: address(page) })),
}))
const gallery = [{ text: 'All formats', link: '/gallery/' }, ...groups.map(({ group, formats }) => ({
  text: group[0].toUpperCase() + group.slice(1), collapsed: true, items: formats.map(f => ({ text: f.name, link: `/gallery/${f.name}` })),
}))]

// Headings are called as they are on the repository's pages, so that links serve in both.
const slugify = text => text.trim().toLowerCase().replace(/[^a-z0-9 _-]/g, '').replaceAll(' ', '-')

// Two braces are text, not what Vue is to put in.
function literally(md) {
  for (const kind of ['text', 'code_inline']) {
    const render = md.renderer.rules[kind]
    md.renderer.rules[kind] = (...of) => render(...of).replaceAll('{{', '&#123;&#123;')
  }
}

// Nothing is loaded from elsewhere, and the page says so to the browser.
function policy(html) {
  const scripts = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(m => `'sha256-${createHash('sha256').update(m[1]).digest('base64')}'`)
  const rules = `default-src 'self'; script-src 'self' ${scripts.join(' ')}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'`
  const charset = '<meta charset="utf-8">'
  if (!html.includes(charset)) throw new Error('a page has no place for its content policy')
  return html.replace(charset, `$&\n    <meta http-equiv="Content-Security-Policy" content="${rules}">`)
}

const base = process.env.BASE || '/'

export default defineConfig({
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  base,
  lang: 'en',
  title: 'dfaparse',
  description: 'Reads CSV, logs and formats of your own as typed Arrow columns, exactly and in parallel.',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}logo.svg` }]],
  metaChunk: true,
  ignoreDeadLinks: [/^\/studio\//], // the site's own check follows these, as all others
  transformHtml: policy,
  markdown: {
    anchor: { slugify },
    attrs: { disable: true }, // braces are what specs are written with
    config: literally,
    languages: [{ ...grammar, name: 'dfp' }, { name: 'output', scopeName: 'text.output', patterns: [] }],
    theme: { light: 'github-light', dark: 'github-dark' },
  },
  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Start', link: '/tutorial', activeMatch: '^/(install|tutorial|exact)' },
      { text: 'Gallery', link: '/gallery/', activeMatch: '^/gallery/' },
      { text: 'Spec language', link: '/spec' },
      { text: 'Speed', link: '/benchmarks', activeMatch: '^/(benchmarks|peers|formats-speed|performance|gpu)' },
      { text: 'Studio', link: '/studio/', target: '_self' },
    ],
    sidebar: { '/gallery/': gallery, '/': sidebar },
    outline: { level: [2, 3] },
    socialLinks: [{ icon: 'github', link: repository }],
    search: {
      provider: 'local',
      options: {
        // Of a format only its name and its columns: specs and samples would be found for everything.
        _render(src, env, md) {
          const html = md.render(src, env)
          return env.frontmatter?.format ? html.split(/(?=<h2 )/).filter(part => !/^<h2 id="(speed|a-sample|the-automaton|the-spec)"/.test(part)).join('') : html
        },
      },
    },
  },
})
