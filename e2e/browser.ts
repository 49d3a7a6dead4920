import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** Debian's browser. */
export function openBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? programs.find((path) => existsSync(path))
  return chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: ['--no-sandbox', ...args],
  })
}
