// What every Chromium of ours is started with, before what Playwright and the script give it.
import { relayPort } from '../sandbox/cell-programs/relay.ts'

export function browserArgs(level: 'strong' | 'fallback'): string[] {
  return [
    // Its own sandbox needs what the cell takes away; the cell is the sandbox.
    '--no-sandbox',
    // Nothing but what the page asks for goes out.
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-sync',
    '--no-pings',
    '--no-first-run',
    '--no-default-browser-check',
    '--metrics-recording-only',
    ...(level === 'strong'
      ? // Loopback too: it is the agent's machine that is meant, where the cell has no listener of its own.
        [`--proxy-server=socks5://127.0.0.1:${relayPort}`, '--proxy-bypass-list=<-loopback>']
      : []),
  ]
}
