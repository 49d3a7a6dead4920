// Finds the suite's own Playwright by Node's resolution, but only as data and never outside the suite.
import { dirname, posix } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import { findInside, readInside } from '../inside-folder.ts'
import { upward } from './package-manager.ts'

const Manifest = z.looseObject({ version: z.string().regex(/^\d+\.\d+\.\d+[\w.-]{0,50}$/) })

/** The path of the suite in the cell of the install, for absolute links. */
const seenAs = '/work/suite'

/** `coreFolder`: the directory of playwright-core on this machine. */
export async function findPlaywright(folder: string, workingDir: string) {
  const find = (from: string, name: string) => findPackages(folder, from, name)
  const runners = [...(await find(workingDir, '@playwright/test')), ...(await find(workingDir, 'playwright'))]
  for (const runner of runners) {
    // A package resolves others beside it and above it: hoisted, nested, or linked into a store.
    for (const from of [...(await find(runner, 'playwright')), runner]) {
      for (const core of await find(from, 'playwright-core')) {
        const manifest = await readInside(folder, posix.join(core, 'package.json'), seenAs, 1_000_000)
        const parsed = Manifest.safeParse(parseJson(manifest ?? ''))
        const file = await findInside(folder, posix.join(core, 'browsers.json'), seenAs)
        if (parsed.success && file) return { coreFolder: dirname(file), version: parsed.data.version }
      }
    }
  }
  return null
}

/** Real paths relative to the directory, the nearest first. */
async function findPackages(folder: string, from: string, name: string): Promise<string[]> {
  const paths = upward(from).map((parent) =>
    findInside(folder, posix.join(parent, 'node_modules', name), seenAs),
  )
  return (await Promise.all(paths)).flatMap((path) => (path ? [posix.relative(folder, path)] : []))
}
