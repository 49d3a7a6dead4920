// A name server as people write it. Pure.
import { isIP } from 'node:net'

/** `host`, `host:port`, `[v6]:port` or a bare IPv6 address. */
export function splitServer(text: string): { host: string; port?: number } {
  if (isIP(text) === 6) return { host: text }
  const [, v6, host, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(text.trim()) ?? []
  return { host: v6 ?? host ?? text, ...(port !== undefined && { port: Number(port) }) }
}
