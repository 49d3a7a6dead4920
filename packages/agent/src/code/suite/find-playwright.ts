// Finds the suite's own Playwright by Node's resolution, but only as data and never outside the suite.
import { dirname, posix } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import { findInside, readInside } from '../inside-folder.ts'

interface SuitePlaywright {
  /** The directory of playwright-core on this machine. */
  coreFolder: string
  version: string
}

const Manifest = z.looseObject({ version: z.string().regex(/^\d+\.\d+\.\d+[\w.-]{0,50}$/) })

/** The path of the suite in the cell of the install, for absolute links. */
const seenAs = '/work/suite'

export async function findPlaywright(folder: string, workingDir: string): Promise<SuitePlaywright | null> {
  const direct = await findPackages(folder, workingDir, '@playwright/test')
  const runners = await findPackages(folder, workingDir, 'playwright')
  for (const start of [...direct, ...runners]) {
    const core = await throughPackages(folder, start)
    if (core) return core
  }
  return null
}

/** A package resolves others beside it and above it: hoisted, nested, or linked into a store. */
async function throughPackages(folder: string, start: string): Promise<SuitePlaywright | null> {
  const playwrights = [...(await findPackages(folder, start, 'playwright')), start]
  for (const from of playwrights) {
    for (const core of await findPackages(folder, from, 'playwright-core')) {
      const manifest = await readInside(folder, posix.join(core, 'package.json'), seenAs, 1_000_000)
      const parsed = Manifest.safeParse(parseJson(manifest ?? ''))
      const file = await findInside(folder, posix.join(core, 'browsers.json'), seenAs)
      if (parsed.success && file) return { coreFolder: dirname(file), version: parsed.data.version }
    }
  }
  return null
}

/** Real paths relative to the directory, the nearest first. */
async function findPackages(folder: string, from: string, name: string): Promise<string[]> {
  const parts = from.split('/').filter((part) => part !== '' && part !== '.')
  const found: string[] = []
  for (let depth = parts.length; depth >= 0; depth--) {
    const path = await findInside(folder, [...parts.slice(0, depth), 'node_modules', name].join('/'), seenAs)
    if (path) found.push(posix.relative(folder, path))
  }
  return found
}
