import type { IncomingMessage } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'

export type TrustProxy = boolean | string | ((address: string, hop: number) => boolean)

export function trustProxy(setting: string | undefined): TrustProxy {
  if (setting === undefined || setting === 'false') return false
  if (setting === 'true') return true
  const hops = Number(setting)
  return Number.isInteger(hops) ? (_address, hop) => hop < hops : setting
}

/** The address of a client whose request Fastify doesn't handle, by the same rules. */
export function clientAddressOf(setting: string | undefined): (request: IncomingMessage) => string {
  const trusted = trustProxy(setting)
  const isTrusted =
    typeof trusted === 'function'
      ? trusted
      : typeof trusted === 'boolean'
        ? () => trusted
        : proxyAddress.compile(trusted.split(',').map((part) => part.trim()))
  return (request) => proxyAddress(request, isTrusted)
}
