import type { HttpCall } from './transport/http.ts'

export function jsonCall(url: string, body: unknown, headers: Record<string, string> = {}): HttpCall {
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}
