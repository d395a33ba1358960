// Puts the page that Vite has built where the command embeds it, each file compressed. A file is
// written only if it is another: so what is checked in does not depend on who compresses.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'

const from = new URL('./dist/', import.meta.url), to = new URL('../internal/studio/assets/', import.meta.url)
mkdirSync(to, { recursive: true })
const built = readdirSync(from)
for (const old of readdirSync(to)) if (!built.includes(old.replace(/\.gz$/, ''))) rmSync(new URL(old, to))
for (const name of built) {
  const text = readFileSync(new URL(name, from)), file = new URL(`${name}.gz`, to)
  try { if (gunzipSync(readFileSync(file)).equals(text)) continue } catch { /* it is not there yet */ }
  const packed = gzipSync(text, { level: 9 })
  packed.fill(0, 4, 8) // no time
  packed[9] = 255 // of no system
  writeFileSync(file, packed)
}
