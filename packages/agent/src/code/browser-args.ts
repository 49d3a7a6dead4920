// Arguments of every Chromium, before those of Playwright and of the script.
import type { CellLevel } from '../sandbox/cell.ts'
import { relayPort } from '../sandbox/cell-programs/relay.ts'

export function browserArgs(level: CellLevel): string[] {
  return [
    // Chromium's own sandbox needs privileges that the cell removes; the cell is the sandbox.
    '--no-sandbox',
    // No requests but those of the page.
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-sync',
    '--no-pings',
    '--no-first-run',
    '--no-default-browser-check',
    '--metrics-recording-only',
    ...(level === 'fallback'
      ? []
      : // Loopback addresses too: without a listener in the cell they lead to the agent's machine.
        [`--proxy-server=socks5://127.0.0.1:${relayPort}`, '--proxy-bypass-list=<-loopback>']),
  ]
}
