// Errors whose cause or remedy only the agent knows. A browser behind a proxy reports every failed connection as a failure of the
// proxy; Playwright advises to install a browser where the script can't.
import { missingBrowserMessage } from '../../runtimes/missing.ts'
import type { ConnectionFailure } from '../../sandbox/cell.ts'

/** By the code, or else the kind of the failure. */
const causes: Record<string, string> = {
  dns: 'ERR_NAME_NOT_RESOLVED',
  blocked: 'ERR_BLOCKED_BY_ADMINISTRATOR',
  timeout: 'ERR_CONNECTION_TIMED_OUT',
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

/** Replaces Playwright's path and its box with a command for another machine. */
export function nameMissingBrowser(text: string): string {
  return text.replaceAll(
    /Executable doesn't exist at \S*?(firefox|webkit|chromium)\S*(?:\s*╔[^╝]*╝)?/g,
    (_whole, browser: 'firefox' | 'webkit' | 'chromium') => missingBrowserMessage(browser),
  )
}

function causeOf(address: string | undefined, failures: readonly ConnectionFailure[]): string | null {
  const failure =
    address && URL.canParse(address) ? failures.find((one) => isOf(one, new URL(address))) : failures.at(-1)
  if (!failure) return null
  return causes[failure.code ?? ''] ?? causes[failure.kind] ?? 'ERR_CONNECTION_FAILED'
}

function isOf({ host, port }: ConnectionFailure, url: URL): boolean {
  const wanted = Number(url.port) || (/^(https|wss):$/.test(url.protocol) ? 443 : 80)
  return port === wanted && host.toLowerCase() === url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
}
