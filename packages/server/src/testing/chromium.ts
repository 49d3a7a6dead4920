import { existsSync } from 'node:fs'

const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser']

/** The browser that tests drive. */
export function chromiumPath(): string {
  const path = [process.env.CHROMIUM_PATH, ...installed].find((one) => one !== undefined && existsSync(one))
  if (path === undefined) throw new Error('There is no Chromium: npm test installs one, or set CHROMIUM_PATH')
  return path
}
