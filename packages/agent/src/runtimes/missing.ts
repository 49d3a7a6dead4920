// Messages in results when a runtime or a browser isn't installed: what is missing and how to install it. They contain
// nothing about the machine.
import type { BrowserName } from './runtime.ts'

export class MissingError extends Error {
  override name = 'MissingError'
}

export const installingBrowserMessage =
  'A browser, or bubblewrap for the isolation of code, is still being installed on this agent. The next run will find it.'

export const runtimeMessages = {
  missing: (name: string) =>
    `This agent doesn't have the runtime ${name}. Install it on the agent's machine: vedette runtime install ${name}`,
  installing: (name: string) =>
    `The runtime ${name} is still being installed on this agent. The next run will find it.`,
  failed: (name: string) =>
    `This agent doesn't have the runtime ${name}: the installation failed, and the agent's log contains the reason. ` +
    `The next runs try again. To install it by hand: vedette runtime install ${name}`,
}

/** By the name that playwright.config uses. */
export function missingBrowserMessage(browser: BrowserName): string {
  if (browser === 'firefox' || browser === 'webkit') {
    return (
      `This agent doesn't have ${browser} for this version of Playwright. Install it on the agent's machine with the same ` +
      `version of Playwright: npx playwright install --with-deps ${browser}`
    )
  }
  return (
    'This agent has no Chromium. Install it on its machine (on Debian: apt-get install chromium-headless-shell chromium), ' +
    "with Playwright's own download (npx playwright install chromium), or set CHROMIUM_PATH."
  )
}
