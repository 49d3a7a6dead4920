// The remaining days of the certificate of a browser check's `sslCheckDomain`.
import { dial } from '../../net/dial.ts'
import { daysRemaining } from '../../net/tls.ts'
import type { CodeContext } from '../code-runner.ts'

const timeoutMs = 10_000

/** Null: no certificate or no response, which doesn't fail the check. */
export async function certificateDays(domain: unknown, context: CodeContext): Promise<number | null> {
  if (typeof domain !== 'string' || domain.trim() === '') return null
  const target = targetOf(domain.trim())
  if (target === null) return null
  const { network, lookup, clock } = context
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(timeoutMs)])
  const rules = { network, ...(lookup && { lookup }), signal, monotonic: () => clock.monotonic() }
  const dialled = await dial({ ...target, ipFamily: 'IPv4', tls: { verify: false } }, rules)
  if (!dialled.failure) dialled.socket.destroy()
  return dialled.tls === null ? null : daysRemaining(dialled.tls, clock.now())
}

function targetOf(domain: string): { host: string; port: number } | null {
  const address = domain.includes('://') ? domain : `https://${domain}`
  if (!URL.canParse(address)) return null
  const { hostname, port } = new URL(address)
  return hostname === '' ? null : { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443 }
}
