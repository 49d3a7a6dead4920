import { posix } from 'node:path'
import { z } from 'zod'
import { BundleError } from './suite-errors.ts'
import { type Engine, engineOf } from './toolbox.ts'

export interface SuiteSettings {
  /** Relative to the bundle; '': the bundle itself. */
  workingDir: string
  testCommand: string
  /** Empty: the default of the package manager. */
  installCommand: string
  browsers: readonly string[]
  engine: Engine
}

const Check = z.looseObject({
  workingDir: z.string().nullish(),
  testCommand: z.string().nullish(),
  installCommand: z.string().nullish(),
  browsers: z.array(z.string()).nullish(),
  engine: z.string().nullish(),
  engineVersion: z.string().nullish(),
})

export function suiteSettings(check: unknown): SuiteSettings {
  const { workingDir, testCommand, installCommand, browsers, engine, engineVersion } = Check.parse(check)
  return {
    workingDir: workingFolder(workingDir ?? ''),
    testCommand: testCommand?.trim() || 'npx playwright test',
    installCommand: installCommand?.trim() ?? '',
    browsers: browsers ?? ['chromium'],
    engine: engineOf({ engine, engineVersion }),
  }
}

function workingFolder(given: string): string {
  const folder = posix.normalize(`./${given}`).replace(/\/$/, '')
  if (folder === '..' || folder.startsWith('../'))
    throw new BundleError(`The workingDir ${given} leads out of the bundle. Enter a path inside the bundle.`)
  return folder === '.' ? '' : folder
}
