import type { BrowserPrograms } from '../../runtimes/browsers.ts'
import { layOutBrowsers } from '../../runtimes/browsers-folder.ts'
import { missingBrowserMessage } from '../../runtimes/missing.ts'
import type { BrowserName, BrowsersFolder } from '../../runtimes/runtime.ts'
import type { SuitePlaywright } from './find-playwright.ts'
import { BundleError } from './suite-errors.ts'

/** Before anything is downloaded: refuses browsers that aren't installed for any version of Playwright. */
export function refuseAbsentBrowsers(wanted: readonly string[], programs: BrowserPrograms): void {
  for (const name of wanted.map(browserName)) {
    const isHere = name === 'firefox' || name === 'webkit' ? programs.downloads : programs.headlessShell
    if (isHere === null) throw new BundleError(missingBrowserMessage(name))
  }
}

/** Lays browsers out for the suite's own version of Playwright. */
export async function openBrowsers(
  wanted: readonly string[],
  playwright: SuitePlaywright,
  into: string,
  { programs, args }: { programs: BrowserPrograms; args: readonly string[] },
): Promise<BrowsersFolder> {
  const browsers = await layOutBrowsers({
    playwrightCore: playwright.coreFolder,
    into,
    browserArgs: args,
    programs,
  })
  for (const name of wanted.map(browserName))
    if (!browsers.installed.includes(name)) throw new BundleError(missingBrowserMessage(name))
  return browsers
}

const browserNames: readonly BrowserName[] = ['chromium', 'chromium-headless-shell', 'firefox', 'webkit']

function browserName(wanted: string): BrowserName {
  const name = browserNames.find((known) => known === wanted.trim().toLowerCase())
  if (!name)
    throw new BundleError(
      `This agent has no browser named ${wanted.slice(0, 50)}. Use chromium, firefox or webkit.`,
    )
  return name
}
