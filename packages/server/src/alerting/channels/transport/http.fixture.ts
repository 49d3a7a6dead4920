// HTTP clients and listeners that are closed after each test.
import type { NetworkRules } from '@vedette/safeguards/address-policy'
import { closeListeners } from '../../../testing/listeners.ts'
import { DeliveryError } from './delivery-error.ts'
import { type Http, type HttpCall, openHttp } from './http.ts'

const opened: Http[] = []

export function open(rules: NetworkRules = { mode: 'default' }, timeoutMs?: number): Http {
  const http = openHttp({ rules, ...(timeoutMs !== undefined && { timeoutMs }) })
  opened.push(http)
  return http
}

export function call(url: string, over: Partial<HttpCall> = {}): HttpCall {
  return { method: 'POST', url, headers: {}, body: '{"a": 1}', ...over }
}

export async function failureOf(sent: Promise<unknown>): Promise<DeliveryError> {
  const error = await sent.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof DeliveryError)) throw new Error(`not a DeliveryError: ${String(error)}`)
  return error
}

export async function closeAll(): Promise<void> {
  for (const http of opened.splice(0)) http.close()
  await closeListeners()
}
