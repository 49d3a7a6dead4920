import { isIP } from 'node:net'

/** Splits `host`, `host:port`, `[v6]:port` or an IPv6 address without brackets. */
export function splitServer(text: string): { host: string; port?: number } {
  if (isIP(text) === 6) return { host: text }
  const [, v6, host, port] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(text.trim()) ?? []
  return { host: v6 ?? host ?? text, ...(port !== undefined && { port: Number(port) }) }
}

/** URLs put IPv6 addresses in brackets. */
export const stripBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1')

export function ipv6Text(bytes: Buffer): string {
  const words = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16))
  return stripBrackets(new URL(`http://[${words.join(':')}]/`).hostname)
}
