// The site in a real browser: search, dark mode, a page of the gallery, the studio; and that nothing
// is asked of another host. `make site` runs it. With SHOTS=FOLDER it writes pictures.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '../../studio/node_modules/playwright-core/index.mjs'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const base = process.env.BASE || '/'
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json', '.webp': 'image/webp', '.woff2': 'font/woff2' }
const server = createServer((q, a) => {
  try {
    const path = decodeURIComponent(new URL(q.url, 'http://x').pathname)
    if (!path.startsWith(base)) throw new Error('not of the site')
    const file = join(dist, normalize('/' + path.slice(base.length)))
    const data = readFileSync(file.endsWith('/') ? `${file}index.html` : file)
    a.writeHead(200, { 'Content-Type': types[extname(file) || '.html'] ?? 'application/octet-stream' })
    a.end(data)
  } catch { a.writeHead(404); a.end() }
})
await new Promise(r => server.listen(0, '127.0.0.1', r))
const site = `http://127.0.0.1:${server.address().port}${base}`

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] })
let failed = 0
const fail = text => { failed++; console.log(`FAIL  ${text}`) }

/** Opens a page that may not complain, and asks nobody else. */
async function open(path, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 }, ...options })
  page.setDefaultTimeout(60_000)
  page.on('pageerror', e => fail(`${path}: ${e.stack}`))
  page.on('console', m => { if (['error', 'warning'].includes(m.type())) fail(`${path} says: ${m.text()}`) })
  page.on('request', q => { if (!q.url().startsWith(site) && !/^(data|blob):/.test(q.url())) fail(`${path} asks for ${q.url()}`) })
  page.on('response', r => { if (r.status() >= 400) fail(`${path}: ${r.status()} for ${r.url()}`) })
  await page.goto(site + path)
  return page
}

async function test(name, run) {
  const began = Date.now()
  try {
    await run()
    console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`)
  } catch (e) { fail(`${name}\n${e.stack}`) }
}

const shot = (page, name) => process.env.SHOTS && page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) })
const fits = async (page, name) => assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${name} is wider than the window`)

await test('the search finds a page, and leads there', async () => {
  const page = await open('')
  await shot(page, 'home')
  await page.waitForLoadState('networkidle') // the page is alive
  await page.locator('.VPNavBarSearch button').first().click()
  await page.fill('.VPLocalSearchBox input', 'carry-over')
  await page.waitForSelector('.VPLocalSearchBox .result')
  await shot(page, 'search')
  await page.fill('.VPLocalSearchBox input', 'sshd')
  await page.locator('.VPLocalSearchBox .result[href*="gallery/sshd"]').first().click()
  await page.waitForSelector('h1:has-text("sshd")')
  await page.close()
})

await test('dark mode', async () => {
  const page = await open('spec.html')
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await ground()
  await page.locator('.VPNavBar .VPSwitchAppearance').first().click()
  await page.waitForFunction(() => document.documentElement.classList.contains('dark'))
  assert.notEqual(await ground(), light)
  await page.waitForTimeout(400)
  await shot(page, 'spec-dark')
  await page.reload()
  assert.ok(await page.evaluate(() => document.documentElement.classList.contains('dark')), 'it is forgotten')
  await page.close()
})

await test('the gallery', async () => {
  const page = await open('gallery/')
  const all = await page.locator('.card').count()
  assert.ok(all > 100, `${all} formats`)
  await shot(page, 'gallery')
  await page.fill('.gallery input', 'haproxy')
  await page.waitForFunction(() => document.querySelectorAll('.card').length === 2)
  await page.click('.card:has-text("haproxy_http")')
  await page.waitForSelector('h1:has-text("haproxy_http")')
  assert.ok(await page.locator('.sample .f').count() > 20)
  assert.ok(await page.locator('.rows tbody tr').count() > 20)
  await shot(page, 'format')
  await page.locator('.automaton').scrollIntoViewIfNeeded()
  await page.waitForSelector('.automaton .state')
  assert.ok(await page.locator('.automaton .state').count() > 20)
  await page.locator('.automaton').evaluate(e => e.scrollIntoView({ block: 'center' }))
  await shot(page, 'automaton')
  await page.click('a.button:has-text("studio")')
  await page.waitForFunction(() => document.querySelector('.status')?.textContent.includes('haproxy_http:'))
  await shot(page, 'studio')
  await page.close()
})

await test('a phone', async () => {
  const page = await open('gallery/nginx.html', { viewport: { width: 390, height: 780 }, colorScheme: 'dark' })
  await page.waitForSelector('.sample')
  await fits(page, 'a format')
  await shot(page, 'phone-format')
  for (const path of ['', 'gallery/', 'spec.html', 'benchmarks.html']) {
    await page.goto(site + path)
    await fits(page, path)
    await shot(page, `phone-${path.replace(/\W/g, '')}`)
  }
  await page.close()
})

await browser.close()
server.close()
process.exitCode = failed ? 1 : 0
if (failed) console.log(`${failed} failed`)
