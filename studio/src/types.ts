// What the calls of internal/studio answer, as its Go types have it.

export interface Fault { line: number; column: number; severity: 'error' | 'test' | 'warning' | 'slow'; message: string }
export interface Column { name: string; type: string; field: number; numeric: boolean; nullable: boolean }
export interface Reject {
  offset: number; start: number; line: number; column: number
  field?: string; field_only?: boolean; reason: string; raw: string
}
export interface Where { name: string; offset: number; size: number; of: number; how: string; sure: boolean }
export interface Summary {
  faults: Fault[]; format?: string; doc?: string; states: number; tests: number
  columns: Column[]; fields: string[]; template?: string; window: Where
  lines: number; records: number; rows: number; rejected: number; nulled: number
  rejects: Reject[]; error?: string; millis: number
}
export interface Line { offset: number; number: number; text: string; runs: number[]; record: number; row: number; reject: number }
export interface Count {
  name: string; type: string; values: string; nulls: string; distinct: string; smallest: string; largest: string; why?: string
}
export interface GraphNode { name: string; doc: string; group: number; end: string; final: boolean; error: boolean }
export interface GraphLabel { symbols: string; emits: string; kind: string }
export interface GraphEdge { from: number; to: number; labels: GraphLabel[] }
export interface Graph {
  start: number; nodes: GraphNode[]; edges: GraphEdge[]; groups: string[]; emissions: string[]
  analysis: string; path: string; index: string; slow: Fault[]
}
export interface Explanation { offset: number; place: string; rows: [string, string][]; before: number; after: number }
export interface Changed { spec: string; template: string; name?: string; type?: string; note?: string }
export interface Proposal { title: string; why: string; spec: string }
export interface Progress {
  bytes: number; of: number; rows: number; rejected: number; nulled: number
  seconds: number; done: boolean; error?: string; rejects: Reject[]
}
export interface State {
  file: string; spec: string; inputs: { name: string; size: number }[]
  formats: { Name: string; Names: string[] }[]; types: { name: string; examples: string[] }[]; saves: boolean
}

// What a byte is that is no data of a field (view.go).
export const what = { separator: -1, control: -2, dropped: -3, preface: -4, malformed: -5, unread: -6 } as const

/** Who answers calls. */
export interface Engine {
  call<T>(name: string, query?: object): Promise<T>
  add(name: string, data: File): Promise<number>
  /** What there is before the first call, in words; '' if nothing is to be waited for. */
  waiting: string
}
