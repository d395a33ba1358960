import type { Engine } from './types'

async function post<T>(path: string, body: BodyInit): Promise<T> {
  const answer = await fetch(path, { method: 'POST', body, headers: { 'X-Dfaparse': '1' } })
  const text = await answer.text()
  if (answer.ok) return JSON.parse(text) as T
  let message = text
  try { message = JSON.parse(text).error } catch { /* it is plain */ }
  throw new Error(message)
}

/** The server of "dfaparse studio". */
export const engine: Engine = {
  waiting: '',
  call: (name, query = {}) => post(`api/${name}`, JSON.stringify(query)),
  add: (name, data) => post(`api/upload?name=${encodeURIComponent(name)}`, data),
}
