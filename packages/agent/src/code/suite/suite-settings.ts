import { posix } from 'node:path'
import type { Job } from '@vedette/contracts'
import type { BrowserName } from '../../runtimes/runtime.ts'
import { SuiteError } from './suite-error.ts'
import { engineOf } from './toolbox.ts'

export type SuiteSettings = ReturnType<typeof suiteSettings>

export function suiteSettings({ check }: Job) {
  if (check.checkType !== 'PLAYWRIGHT')
    throw new Error(`A check of the type ${check.checkType} isn't a suite.`)
  const { workingDir, testCommand, installCommand, browsers } = check
  return {
    /** Relative to the bundle; '': the bundle itself. */
    workingDir: workingFolder(workingDir ?? ''),
    testCommand: testCommand?.trim() || 'npx playwright test',
    /** Empty: the default of the package manager. */
    installCommand: installCommand?.trim() ?? '',
    browsers: (browsers ?? ['chromium']).map(browserName),
    engine: engineOf(check),
  }
}

function workingFolder(given: string): string {
  const folder = posix.normalize(`./${given}`).replace(/\/$/, '')
  if (folder === '..' || folder.startsWith('../'))
    throw new SuiteError(`The workingDir ${given} leads out of the bundle. Enter a path inside the bundle.`)
  return folder === '.' ? '' : folder
}

const browserNames: readonly BrowserName[] = ['chromium', 'chromium-headless-shell', 'firefox', 'webkit']

function browserName(wanted: string): BrowserName {
  const name = browserNames.find((known) => known === wanted.trim().toLowerCase())
  if (!name)
    throw new SuiteError(
      `This agent has no browser named ${wanted.slice(0, 50)}. Use chromium, firefox or webkit.`,
    )
  return name
}
