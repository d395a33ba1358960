// The support of Go for JavaScript; `make studio-wasm` puts it there.
import './wasm_exec.js'

declare const FileReaderSync: new () => { readAsArrayBuffer(part: Blob): ArrayBuffer }
declare const Go: new () => { importObject: WebAssembly.Imports; run(i: WebAssembly.Instance): Promise<void> }
declare global {
  function dfaparseCall(name: string, query: string): Promise<string>
  function dfaparseAdd(name: string, size: number, read: (from: number, to: number) => Uint8Array | string): number
  var dfaparseReady: () => void
}

const ready = (async () => {
  const file = await fetch(new URL('./dfaparse.wasm.gz', self.location.href))
  if (!file.ok || !file.body) throw new Error(`dfaparse.wasm.gz: ${file.status} ${file.statusText}`)
  let bytes = await file.arrayBuffer()
  // Some servers say of the file that it is encoded: then it comes decompressed.
  if (new Uint8Array(bytes, 0, 1)[0] === 0x1f) {
    bytes = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
  }
  const go = new Go()
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject)
  await new Promise<void>(resolve => {
    globalThis.dfaparseReady = resolve
    void go.run(instance)
  })
})()

/** Reads a part of a file, which may be larger than memory; or says why it cannot be read. */
const reading = (file: File) => (from: number, to: number) => {
  try { return new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(from, to))) } catch (e) { return String(e) }
}

self.onmessage = async ({ data }) => {
  try {
    await ready
    const answer = data.add !== undefined
      ? dfaparseAdd(data.add, data.data.size, reading(data.data))
      : JSON.parse(await dfaparseCall(data.name, data.query))
    self.postMessage({ id: data.id, answer })
  } catch (e) {
    let error = e instanceof Error ? e.message : String(e)
    try { error = JSON.parse(error).error ?? error } catch { /* it is plain */ }
    self.postMessage({ id: data.id, error })
  }
}
