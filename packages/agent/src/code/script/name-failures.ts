// A browser behind a proxy reports every failed connection as a failure of the proxy. The agent knows the cause.
import type { ConnectionFailure } from '../../sandbox/cell.ts'

const names: Record<string, string> = {
  dns: 'ERR_NAME_NOT_RESOLVED',
  blocked: 'ERR_BLOCKED_BY_ADMINISTRATOR',
  timeout: 'ERR_CONNECTION_TIMED_OUT',
}

const codes: Record<string, string> = {
  ECONNREFUSED: 'ERR_CONNECTION_REFUSED',
  ECONNRESET: 'ERR_CONNECTION_RESET',
  EHOSTUNREACH: 'ERR_ADDRESS_UNREACHABLE',
  ENETUNREACH: 'ERR_ADDRESS_UNREACHABLE',
  ETIMEDOUT: 'ERR_CONNECTION_TIMED_OUT',
}

/** Replaces the proxy error by the error that the browser would report without a proxy. */
export function nameFailures(text: string, failures: readonly ConnectionFailure[]): string {
  return text.replaceAll(
    /net::ERR_(?:SOCKS_CONNECTION_FAILED|SOCKS_CONNECTION_HOST_UNREACHABLE|PROXY_CONNECTION_FAILED)(?: at (\S+))?/g,
    (whole: string, address: string | undefined) => {
      const cause = causeOf(address, failures)
      return cause ? `net::${cause}${address ? ` at ${address}` : ''}` : whole
    },
  )
}

function causeOf(address: string | undefined, failures: readonly ConnectionFailure[]): string | null {
  const failure =
    address && URL.canParse(address) ? failures.find((one) => isOf(one, new URL(address))) : failures.at(-1)
  if (!failure) return null
  return codes[failure.code ?? ''] ?? names[failure.kind] ?? 'ERR_CONNECTION_FAILED'
}

function isOf({ host, port }: ConnectionFailure, url: URL): boolean {
  const wanted = Number(url.port) || (/^(https|wss):$/.test(url.protocol) ? 443 : 80)
  return port === wanted && host.toLowerCase() === url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
}
