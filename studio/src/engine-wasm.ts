import type { Engine } from './types'

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
const open = new Map<number, { resolve: (x: never) => void; reject: (e: Error) => void }>()
let last = 0

worker.onmessage = ({ data }) => {
  const waiting = open.get(data.id)
  open.delete(data.id)
  if (data.error === undefined) waiting?.resolve(data.answer as never)
  else waiting?.reject(new Error(data.error))
}

function ask<T>(message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    open.set(++last, { resolve, reject })
    worker.postMessage({ id: last, ...message })
  })
}

/** The engine as WebAssembly, in a worker. */
export const engine: Engine = {
  waiting: 'The engine is being loaded, some megabytes of WebAssembly …',
  call: (name, query = {}) => ask({ name, query: JSON.stringify(query) }),
  add: (name, data) => ask({ add: name, data }),
}
