// The studio in a real browser: behind its server, and as WebAssembly. `make test-studio` runs it.
// With SHOTS=FOLDER it writes pictures of what it has come to.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import { chromium } from 'playwright-core'

const root = fileURLToPath(new URL('../../', import.meta.url))
const command = join(root, 'bin/dfaparse')
const folder = mkdtempSync(join(tmpdir(), 'studio-'))
const path = name => join(folder, name)
const only = process.env.ONLY
const patience = 60_000

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] })
const closing = [() => browser.close(), () => rmSync(folder, { recursive: true, force: true })]
let failed = 0

async function test(name, run) {
  if (only && !name.includes(only)) return
  const began = Date.now()
  try {
    await run()
    console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
  } catch (e) {
    failed++
    console.log(`FAIL  ${name}\n${e.stack}`)
  }
}

/** Starts the command, and gives the address that it prints. */
async function studio(...args) {
  const p = spawn(command, ['studio', '--no-open', ...args], { cwd: folder })
  closing.push(() => p.kill())
  let said = ''
  p.stderr.on('data', d => { said += d })
  return new Promise((resolve, reject) => {
    p.stdout.on('data', d => resolve(String(d).trim()))
    p.on('exit', () => reject(new Error(`the studio has ended: ${said}`)))
  })
}

/** Opens a page that may not complain. */
async function open(address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1360, height: 820 }, ...options })
  page.setDefaultTimeout(patience)
  page.on('pageerror', e => { failed++; console.log(`FAIL  the page: ${e.stack}`) })
  page.on('console', m => { if (m.type() === 'error' || m.type() === 'warning') { failed++; console.log(`FAIL  the page says: ${m.text()}`) } })
  await page.goto(address)
  return page
}

/** What is there once a tab shows what it has. */
const filled = { Bytes: '.bytes .line', Table: '.table .row', Rejects: '.rejects li', Counts: '.counts tbody tr', Automaton: '.picture .state.now' }

const until = (page, what, value) => page.waitForFunction(([what, value]) => document.querySelector(what)?.textContent.includes(value), [what, value])
const specOf = page => page.evaluate(() => [...document.querySelectorAll('.cm-line')].map(l => l.textContent).join('\n'))

async function write(page, text) {
  await page.click('.cm-content')
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}

/** Marks a piece of a line of the bytes by the keyboard, and says what it is. */
async function mark(page, line, piece, as, name) {
  await page.click('#tab-Bytes')
  await page.focus('.bytes')
  await page.keyboard.press('Control+Home')
  for (let i = 0; i < line; i++) await page.keyboard.press('ArrowDown')
  await page.waitForSelector(`#line-${line}.current`)
  const text = await page.textContent(`#line-${line} code`)
  const at = text.indexOf(piece)
  assert.ok(at >= 0, `${piece} in ${text}`)
  for (let i = 0; i < at; i++) await page.keyboard.press('ArrowRight')
  for (let i = 0; i < piece.length; i++) await page.keyboard.press('Shift+ArrowRight')
  await page.waitForFunction(piece => document.querySelector('.marked')?.textContent === piece, piece)
  const before = await specOf(page)
  if (name) await page.fill('.marking input', name)
  await page.click(`.marking button:text-is("${as}")`)
  await page.waitForFunction(before => [...document.querySelectorAll('.cm-line')].map(l => l.textContent).join('\n') !== before, before)
}

async function shot(page, name) {
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) })
}

execFileSync(command, ['gen', 'combined', '--size', '3MiB', '-o', path('access.log')])
writeFileSync(path('mine.dfp'), readFileSync(join(root, 'formats/spec/web/apache_combined.dfp')))
writeFileSync(path('small.csv'), 'id,name\n1,"a,b"\n2,"x\n3,c\n')
const app = [
  '2024-05-06 07:08:09.123 [main] INFO  a.B - started in 12 ms', '2024-05-06 07:08:10.003 [pool-1] WARN  a.C - slow: 1200',
  '2024-05-06 07:08:11.500 [main] ERROR a.B - failed', '',
].join('\n')
writeFileSync(path('app.log'), app)

/** The status of a request as somebody else would send it. */
function asked(address, headers = {}, method = 'GET') {
  return new Promise((resolve, reject) => request(address, { method, headers }, r => { r.resume(); resolve(r) }).on('error', reject).end())
}

await test('only who has the address gets the page', async () => {
  const address = await studio('small.csv')
  const base = new URL('/', address).href
  assert.equal((await asked(base)).statusCode, 403)
  assert.equal((await asked(`${base}?token=x`)).statusCode, 403)
  assert.equal((await asked(address, { Host: 'evil.example' })).statusCode, 421)
  const first = await asked(address)
  assert.equal(first.statusCode, 303)
  const cookie = first.headers['set-cookie'][0].split(';')[0]
  const page = await asked(base, { Cookie: cookie })
  assert.equal(page.statusCode, 200)
  assert.match(page.headers['content-security-policy'], /default-src 'none'/)
  assert.equal((await asked(base, { Cookie: cookie, Origin: 'http://evil.example' })).statusCode, 403)
  assert.equal((await asked(`${base}api/state`, { Cookie: cookie }, 'POST')).statusCode, 405)
  assert.equal((await asked(`${base}api/state`, { Cookie: cookie, 'X-Dfaparse': '1' }, 'POST')).statusCode, 200)
  assert.equal((await asked(`${base}../../go.mod`, { Cookie: cookie })).statusCode, 404)
})

await test('open, edit, a fault, mended, the table, a byte explained', async () => {
  const page = await open(await studio(path('mine.dfp'), 'access.log'))
  await until(page, '.status', 'apache_combined:')
  assert.equal(await page.textContent('.file'), path('mine.dfp'))
  const [slash, next, last] = await page.evaluate(() => [0, 1, -1].map(at => {
    const text = document.querySelector('.file bdi').firstChild, r = document.createRange(), i = at < 0 ? text.length + at : at
    r.setStart(text, i)
    r.setEnd(text, i + 1)
    return r.getBoundingClientRect().left
  }))
  assert.ok(slash < next && next < last, `the signs of the path are at ${slash}, ${next} … ${last}`)
  await page.click('#tab-Table')
  await page.waitForSelector('.table .row')
  const head = await page.locator('.table-head b').allTextContents()
  const rows = await page.evaluate(() => [...document.querySelectorAll('.table .row')].slice(0, 5).map(r => [...r.querySelectorAll('.cell')].map(c => c.classList.contains('null') ? null : c.textContent)))
  const want = execFileSync(command, ['head', '-n', '5', '-f', 'mine.dfp', '--to', 'jsonl', 'access.log'], { cwd: folder }).toString().trim().split('\n').map(l => JSON.parse(l))
  assert.deepEqual(head, Object.keys(want[0]))
  rows.forEach((r, i) => r.forEach((c, k) => assert.equal(c, want[i][head[k]] === null ? null : String(want[i][head[k]]))))

  const good = readFileSync(path('mine.dfp'), 'utf8')
  await write(page, good.replace('status', 'statos'))
  await until(page, '.status', 'fault')
  await page.waitForSelector('.faults .error')
  await page.waitForSelector('.cm-lintRange-error')
  await write(page, good)
  await until(page, '.status', 'apache_combined:')
  assert.equal(await page.locator('.faults .error').count(), 0)

  await page.click('#tab-Bytes')
  await page.locator('#line-0 code .f').first().click({ position: { x: 3, y: 8 } })
  await page.waitForSelector('.explained')
  const said = await page.textContent('.explained')
  const explained = execFileSync(command, ['explain', '--at', '0', '-f', 'mine.dfp', 'access.log'], { cwd: folder }).toString()
  for (const text of await page.locator('.explained dd').allTextContents()) assert.ok(explained.includes(text), `${text} in ${explained}`)
  assert.match(said, /byte 0, line 1, column 1, in record 1/)

  for (const tab of ['Rejects', 'Counts', 'Automaton', 'Table']) {
    await page.focus('[role=tab][aria-selected=true]')
    await page.click(`#tab-${tab}`)
    await page.waitForFunction(t => document.querySelector(`#tab-${t}`).getAttribute('aria-selected') === 'true' && !document.querySelector(`#panel-${t}`).hidden, tab)
    if (tab === 'Counts') await page.waitForSelector('.counts tbody tr')
    if (tab === 'Automaton') {
      await page.waitForSelector('.picture .state.now')
      assert.equal(await page.locator('.picture .state').count() > 5, true)
    }
    await shot(page, `server-${tab}`)
  }
  await page.keyboard.press('ArrowLeft')
  await page.waitForSelector('#tab-Bytes')

  await page.click('.cm-content')
  await page.keyboard.press('Control+Home')
  await page.keyboard.insertText('# mine\n')
  await page.keyboard.press('Control+S')
  await until(page, '.status', 'is saved')
  assert.match(readFileSync(path('mine.dfp'), 'utf8'), /^# mine\n/)
  await page.close()
})

await test('keys that are pressed while lines are fetched count', async () => {
  const page = await open(await studio('mine.dfp', 'access.log'))
  await until(page, '.status', 'apache_combined:')
  await page.waitForSelector('#line-0 .caret')
  let late // the next lines come after the keys
  await page.route('**/api/lines', async route => { await late; await route.continue() })
  for (let i = 0; i < 3; i++) {
    let go
    late = new Promise(resolve => { go = resolve })
    const asked = page.waitForRequest('**/api/lines')
    await page.focus('.cm-content')
    await page.keyboard.press('Control+Home')
    await page.keyboard.insertText(' ')
    await asked
    await page.focus('.bytes')
    await page.keyboard.press('Control+Home')
    for (let k = 0; k < 4 + i; k++) await page.keyboard.press('ArrowRight')
    for (let k = 0; k < 5; k++) await page.keyboard.press('Shift+ArrowRight')
    go()
    await until(page, '.hover', `byte ${9 + i} `)
    const line = await page.evaluate(() => document.querySelector('#line-0 code').textContent)
    await page.waitForFunction(piece => document.querySelector('.marked')?.textContent === piece && !document.querySelector('.marking').hidden, line.slice(4 + i, 9 + i))
  }
  await page.close()
})

await test('the table follows each keystroke on a window of 1 MiB', async () => {
  const page = await open(await studio('mine.dfp', 'access.log'))
  await until(page, '.status', 'apache_combined:')
  await page.click('.cm-content')
  await page.keyboard.press('Control+Home')
  await page.keyboard.insertText('# \n')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('End')
  await page.waitForTimeout(500)
  await page.evaluate(() => performance.clearMeasures())
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press('a')
    await page.waitForFunction(n => performance.getEntriesByName('dfaparse-shown').length > n, i)
  }
  const ms = (await page.evaluate(() => performance.getEntriesByName('dfaparse-shown').map(e => e.duration))).sort((a, b) => a - b)
  console.log(`      from a key to the bytes in their colours: median ${ms[15].toFixed(0)} ms, fastest ${ms[0].toFixed(0)}, slowest ${ms[29].toFixed(0)}`)
  await page.close()
})

await test('from nothing: proposals, and a template by marked pieces', async () => {
  const page = await open(await studio('app.log'))
  await page.waitForSelector('.proposals button')
  await page.click('.proposals button:has-text("a template")')
  await until(page, '.status', 'app: 3 rows')
  await mark(page, 0, '2024-05-06 07:08:09.123', 'time', 'at')
  await until(page, '.status', 'at is a field')
  await mark(page, 0, 'main', 'field', 'thread')
  await mark(page, 0, 'INFO', 'field', 'level')
  await mark(page, 0, 'a.B', 'field', 'logger')
  await mark(page, 0, ' in 12 ms', 'optional')
  const spec = await specOf(page)
  assert.ok(spec.includes('record `{at} [[{thread}] {level}{ }{logger} - {text}[ {extra}]`'), spec)
  assert.match(spec, /at\s+ts\("%Y-%m-%d %H:%M:%S\.%f"\)/)
  await until(page, '.status', 'app: 3 rows')
  await page.click('#tab-Table')
  await page.waitForSelector('.table .row')
  assert.deepEqual(await page.locator('.table .row').nth(1).locator('.cell').allTextContents(), ['2024-05-06T07:08:10.003', 'pool-1', 'WARN', 'a.C', 'slow:', '1200'])
  await page.close()
})

await test('from nothing: the log of uWSGI of docs/studio.md', async () => {
  const doc = readFileSync(join(root, 'docs/studio.md'), 'utf8')
  const line = /```\n(\[pid: .*)\n```/.exec(doc)[1]
  const want = /```dfp\n(format uwsgi \{\n  record `\[\[[^]*?)```/.exec(doc)[1].trim()
  // As in the log: what differs from line to line and is not marked becomes a field of its own.
  const other = line.replace('88185', '88187').replace('app: 0|req: 1/1', 'app: 0|req: 2/17').replace('38 vars in 696', '40 vars in 744').replace('22:49:12', '22:49:15')
    .replace('POST /update_metrics', 'GET /').replace('47 bytes in 129 msecs', '3903 bytes in 1 msecs').replace('9 headers in 378', '2 headers in 80')
  writeFileSync(path('uwsgi.log'), `${line}\n${other}\n`)
  const page = await open(await studio('uwsgi.log'))
  const began = Date.now()
  await page.waitForSelector('.proposals button')
  await page.click('.proposals button:has-text("a template")')
  for (const [piece, as, name] of [['Sun Mar 13 22:49:12 2016', 'time', 'time'], ['88185', 'field', 'pid'], ['127.0.0.1', 'field', 'client'], ['POST', 'field', 'method'], ['/update_metrics', 'field', 'path'],
    ['47', 'field', 'bytes'], ['129', 'field', 'took'], ['msecs', 'field', 'unit'], ['200', 'field', 'status']]) await mark(page, 0, piece, as, name)
  await until(page, '.status', 'status is a field')
  console.log(`      nine pieces marked, each awaited: ${((Date.now() - began) / 1000).toFixed(0)} s`)
  assert.equal((await specOf(page)).trim(), want)
  await page.click('#tab-Table')
  await page.waitForSelector('.table .row')
  await shot(page, 'table')
  await page.close()
})

await test('windows, and all of it', async () => {
  const broken = readFileSync(path('access.log'), 'utf8').split('\n')
  broken[Math.floor(broken.length * 0.9)] = 'this is no record'
  writeFileSync(path('broken.log'), broken.join('\n'))
  const page = await open(await studio('mine.dfp', 'broken.log'))
  await until(page, '.status', 'apache_combined:')
  await page.evaluate(() => {
    const s = document.querySelector('.window input[type=range]')
    s.value = '500'
    s.dispatchEvent(new Event('change'))
  })
  await page.waitForFunction(() => /bytes [1-9]/.test(document.querySelector('.where').textContent))
  await until(page, '.status', 'rows')
  assert.doesNotMatch(await page.textContent('.status'), /rejected/)
  await page.click('text="Run on all of it"')
  await page.waitForSelector('.rejects li button')
  await page.click('.rejects li:has-text("this is no record") button')
  await page.waitForSelector('.line.reject.current')
  assert.match(await page.textContent('.line.reject.current'), /this is no record/)
  await page.waitForSelector('.explained')
  await shot(page, 'server-reject')
  await page.close()
})

await test('a window of quotes, by guess and by index', async () => {
  execFileSync(command, ['gen', 'torture', '--size', '5MiB', '-o', path('torture.csv')])
  const says = async () => {
    const page = await open(await studio('csv', 'torture.csv'))
    await until(page, '.status', 'csv:')
    await page.evaluate(() => {
      const s = document.querySelector('.window input[type=range]')
      s.value = '700'
      s.dispatchEvent(new Event('change'))
    })
    await page.waitForFunction(() => /bytes [1-9]/.test(document.querySelector('.where').textContent))
    await page.waitForSelector('.bytes .line')
    assert.doesNotMatch(await page.textContent('.status'), /rejected/)
    const said = await page.getAttribute('.where', 'title')
    await page.close()
    return said
  }
  assert.match(await says(), /a guess: of \d+ states/)
  execFileSync(command, ['index', '-f', 'csv', 'torture.csv'], { cwd: folder })
  assert.match(await says(), /the index says so/)
})

await test('narrow, dark, hostile', async () => {
  writeFileSync(path('hostile.log'), Buffer.concat([Buffer.from([0, 255, 254, 10, 27, 91, 50, 74, 10]), Buffer.from('<img src=x onerror=alert(1)>\n'), Buffer.alloc(5000, 0x80)]))
  const page = await open(await studio('csv', 'hostile.log'), { viewport: { width: 390, height: 780 }, colorScheme: 'dark' })
  await page.waitForSelector('.bytes .line')
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), 'the page is wider than the window')
  assert.equal(await page.locator('img').count(), 0)
  await shot(page, 'narrow')
  await page.close()
  for (const colorScheme of ['dark', 'light']) {
    const page = await open(await studio('mine.dfp', 'access.log'), { viewport: { width: 390, height: 780 }, colorScheme, hasTouch: true })
    await until(page, '.status', 'apache_combined:')
    for (const tab of ['Table', 'Counts', 'Automaton', 'Bytes']) {
      await page.tap(`#tab-${tab}`)
      await page.waitForSelector(filled[tab])
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${tab}: the page is wider than the window`)
      await page.locator(`#panel-${tab}`).scrollIntoViewIfNeeded()
      await shot(page, `narrow-${colorScheme}-${tab}`)
    }
    await page.close()
  }
})

await test('for screen readers, and in enough contrast', async () => {
  for (const colorScheme of ['dark', 'light']) {
    const page = await open(await studio('mine.dfp', 'access.log'), { colorScheme })
    await until(page, '.status', 'apache_combined:')
    for (const tab of ['Bytes', 'Table', 'Rejects', 'Counts', 'Automaton']) {
      await page.click(`#tab-${tab}`)
      await page.waitForSelector(filled[tab])
      await page.evaluate(axe.source)
      const found = await page.evaluate(all => axe.run(all ? {} : { runOnly: ['color-contrast'] }), colorScheme === 'dark')
      const said = found.violations.map(v => `${v.id}: ${v.nodes.slice(0, 3).map(n => `${n.target.join(' ')}, ${n.failureSummary}`).join('; ')}`)
      assert.deepEqual(said, [], `${colorScheme}, ${tab}`)
      assert.ok(found.passes.length > (colorScheme === 'dark' ? 30 : 0))
    }
    await page.close()
  }
})

await test('the automaton of a large format', async () => {
  execFileSync(command, ['gen', 'haproxy', '--size', '200KiB', '-o', path('haproxy.log')])
  const page = await open(await studio('haproxy_http', 'haproxy.log'), { viewport: { width: 1500, height: 950 } })
  await until(page, '.status', 'haproxy_http:')
  await page.click('#tab-Automaton')
  await page.waitForSelector('.picture .state.now')
  assert.ok(await page.locator('.picture .state').count() > 40)
  assert.ok(await page.locator('.picture .group').count() > 10)
  const signs = await page.evaluate(() => document.querySelector('.picture .state .name').getBoundingClientRect().height)
  assert.ok(signs >= 9, `a state's name is ${signs} pixels high`)
  await page.locator('.way code .f').nth(5).hover()
  await page.waitForFunction(() => document.querySelectorAll('.picture .state.lit').length > 10 && document.querySelectorAll('.picture .edge.lit').length > 5)
  assert.match(await page.textContent('.state-text'), /byte \d+ · column /)
  assert.ok(await page.evaluate(() => {
    const now = document.querySelector('.picture .state.now').getBoundingClientRect(), all = document.querySelector('.picture').getBoundingClientRect()
    return now.right > all.left && now.left < all.right && now.bottom > all.top && now.top < all.bottom
  }), 'the state under the pointer is out of sight')
  await shot(page, 'haproxy')
  await page.close()
})

await test('as WebAssembly, from any path', async () => {
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }
  const server = createServer((q, a) => {
    const file = join(root, 'bin/studio-wasm', normalize(new URL(q.url, 'http://x').pathname.replace(/^\/any\/path/, '')))
    try {
      const data = readFileSync(file.endsWith('/') ? `${file}index.html` : file)
      a.writeHead(200, { 'Content-Type': types[extname(file) || '.html'] ?? 'application/octet-stream' })
      a.end(data)
    } catch { a.writeHead(404); a.end() }
  })
  await new Promise(r => server.listen(0, '127.0.0.1', r))
  closing.push(() => server.close())
  const page = await open(`http://127.0.0.1:${server.address().port}/any/path/#format=nginx`)
  await until(page, '.status', 'nginx:')
  await page.setInputFiles('input[type=file]', path('app.log'))
  await page.waitForFunction(() => document.querySelector('#line-0 code')?.textContent.startsWith('2024-05-06'))
  await write(page, 'format app {\n  record `{text...`\n}\n')
  await page.waitForSelector('.faults .error')
  await write(page, 'format app {\n  record `{text...}`\n}\n')
  await until(page, '.status', 'app: 3 rows')
  await mark(page, 1, 'pool-1', 'field', 'thread')
  await until(page, '.status', 'thread is a field')
  await page.click('#tab-Table')
  await page.waitForSelector('.table .row')
  assert.equal(await page.locator('.table .row').nth(1).locator('.cell').nth(1).textContent(), 'pool-1')
  await page.click('#tab-Bytes')
  await page.locator('#line-1 code .f').first().click()
  await page.waitForSelector('.explained')
  await page.setInputFiles('input[type=file]', path('access.log'))
  await page.selectOption('select[aria-label^="begin"]', 'apache_combined')
  await until(page, '.status', 'apache_combined:')
  await page.click('.cm-content')
  await page.keyboard.press('Control+Home')
  await page.evaluate(() => performance.clearMeasures())
  for (let i = 0; i < 10; i++) {
    await page.keyboard.press('#')
    await page.waitForFunction(n => performance.getEntriesByName('dfaparse-shown').length > n, i)
  }
  const ms = (await page.evaluate(() => performance.getEntriesByName('dfaparse-shown').map(e => e.duration))).sort((a, b) => a - b)
  console.log(`      from a key to the bytes in their colours, a window of 256 KiB: median ${ms[5].toFixed(0)} ms`)
  await shot(page, 'wasm')

  // A file of 6 GB, more than WebAssembly has memory for: a log at its beginning and its end, and a hole between.
  const log = readFileSync(path('access.log')), of = 6e9
  const fd = openSync(path('large.log'), 'w')
  writeSync(fd, log)
  ftruncateSync(fd, of - log.length)
  writeSync(fd, Buffer.concat([Buffer.from('\n'), log.subarray(0, -1)]), 0, log.length, of - log.length)
  closeSync(fd)
  await page.setInputFiles('input[type=file]', path('large.log'))
  await until(page, '.status', 'apache_combined:')
  assert.match(await page.textContent('.where'), /of 6.000.000.000/)
  await page.focus('.window input[type=range]')
  await page.evaluate(at => {
    const s = document.querySelector('.window input[type=range]')
    s.step = 'any'
    s.value = String(at)
    s.dispatchEvent(new Event('change'))
  }, (of - 1e6) / of * 1000)
  await page.waitForFunction(() => /bytes 5.99/.test(document.querySelector('.where').textContent))
  await until(page, '.status', 'rows')
  assert.doesNotMatch(await page.textContent('.status'), /rejected/)
  await page.close()
})

for (const close of closing) await close()
process.exitCode = failed ? 1 : 0
if (failed) console.log(`${failed} failed`)
