// What a run is told when its runtime or its browser is not on this machine. For the people who read results: what is
// missing and how to get it, nothing of the machine.
import type { BrowserName } from './runtime.ts'

export class MissingError extends Error {
  override name = 'MissingError'
}

export function missingRuntimeMessage(name: string): string {
  return `This agent does not have the runtime ${name}. Install it on the agent's machine: vedette runtime install ${name}`
}

export function installingRuntimeMessage(name: string): string {
  return `The runtime ${name} is still being installed on this agent. The next run will find it.`
}

export function failedRuntimeMessage(name: string): string {
  return (
    `This agent does not have the runtime ${name}: it could not be installed, and the agent's log says why. ` +
    `It is tried again; by hand: vedette runtime install ${name}`
  )
}

/** As people and playwright.config name it. */
export function missingBrowserMessage(browser: BrowserName): string {
  if (browser === 'firefox' || browser === 'webkit') {
    return (
      `This agent does not have ${browser} for this version of Playwright. It comes only from Playwright's own download: ` +
      `npx playwright install --with-deps ${browser} on the agent's machine, with the suite's version of Playwright.`
    )
  }
  return (
    'This agent has no Chromium. Install it on its machine (on Debian: apt-get install chromium-headless-shell chromium), ' +
    "with Playwright's own download (npx playwright install chromium), or let CHROMIUM_PATH lead to one."
  )
}
