// The only sender of requests to the API: typed by the contracts, with the headers that sessions need.
import type { CallInput, ErrorBody, ResponseOf } from '@vedette/contracts'
import { basePath } from './base-path.ts'
import { notifyFailure, notifyResponse } from './connection.ts'
import type { Operations } from './operations.generated.ts'

export type Operation = keyof Operations
export type ResponseTo<O extends Operation> = ResponseOf<Operations[O]>

export class CallError extends Error {
  /** 0: there was no response. */
  readonly status: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds: number | null

  constructor(status: number, body: Partial<ErrorBody>, retryAfterSeconds: number | null = null) {
    super(body.message ?? `The server responded with ${status}.`)
    this.name = 'CallError'
    this.status = status
    this.attributes = body.attributes ?? {}
    this.retryAfterSeconds = retryAfterSeconds
  }
}

let accountId: string | null = null

/** The account that all further requests act in. */
export function chooseAccount(id: string | null): void {
  accountId = id
}

export function requestHeaders(): Record<string, string> {
  return { 'x-vedette-app': '1', ...(accountId === null ? {} : { 'x-service-account': accountId }) }
}

type Input<O extends Operation> = CallInput<Operations[O]> & {
  /** The version that the change is based on: 412 if there is a newer one. */
  ifMatch?: string
  /** Instead of a JSON body, for routes that take bytes. */
  bytes?: Blob
}

export async function call<O extends Operation>(
  operation: O,
  input: Input<O> = {},
  signal?: AbortSignal,
): Promise<ResponseTo<O>> {
  const { body } = await send(operation, input, signal)
  return body
}

/** With what the server accepts but what probably isn't meant. */
export async function callWithWarnings<O extends Operation>(
  operation: O,
  input: CallInput<Operations[O]> = {},
  signal?: AbortSignal,
): Promise<{ body: ResponseTo<O>; warnings: string[] }> {
  const { body, headers } = await send(operation, input, signal)
  const listed = headers.get('vedette-warnings')
  return { body, warnings: listed === null ? [] : listed.split(', ').map(decodeSentence) }
}

function decodeSentence(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A `limit`/`page` list, with the number of entries on all pages. */
export async function callList<O extends Operation>(
  operation: O,
  input: Input<O> = {},
  signal?: AbortSignal,
): Promise<{ entries: ResponseTo<O>; total: number }> {
  const { body, headers } = await send(operation, input, signal)
  const total = Number(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1] ?? 0)
  return { entries: body, total }
}

async function send<O extends Operation>(operation: O, input: Input<O>, signal?: AbortSignal) {
  const [method = 'GET', path = ''] = operation.split(' ')
  const hasBody = input.body !== undefined
  const response = await fetchFrom(fillPath(path, input.params) + queryString(input.query), {
    method,
    headers: {
      ...requestHeaders(),
      accept: 'application/json',
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(input.bytes === undefined ? {} : { 'content-type': 'application/octet-stream' }),
      ...(input.ifMatch === undefined ? {} : { 'if-match': `"${input.ifMatch}"` }),
    },
    ...(hasBody ? { body: JSON.stringify(input.body) } : {}),
    ...(input.bytes === undefined ? {} : { body: input.bytes }),
    ...(signal === undefined ? {} : { signal }),
  })
  const text = await response.text()
  const isJson = (response.headers.get('content-type') ?? '').includes('json')
  const body = isJson && text !== '' ? JSON.parse(text) : undefined
  notifyResponse(response.status)
  if (!response.ok) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw new CallError(response.status, body ?? {}, Number.isFinite(seconds) ? seconds : null)
  }
  return { body, headers: response.headers }
}

async function fetchFrom(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(basePath + path, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    notifyFailure()
    throw new CallError(0, { message: 'The server can’t be reached.' })
  }
}

function fillPath(path: string, params: object = {}): string {
  const values = new Map(Object.entries(params))
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values.get(name))))
}

function queryString(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    // With brackets, a single value may contain commas.
    if (Array.isArray(value)) for (const item of value) search.append(`${name}[]`, String(item))
    else search.append(name, String(value))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
