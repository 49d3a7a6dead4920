// The suite's own Playwright, found as Node would find it, but only read as data and never outside of the suite.
import { dirname, posix } from 'node:path'
import { z } from 'zod'
import { findInside, readInside } from './inside-folder.ts'

export interface SuitePlaywright {
  /** Of the package playwright-core, on this machine. */
  coreFolder: string
  version: string
}

const Manifest = z.looseObject({ version: z.string().regex(/^\d+\.\d+\.\d+[\w.-]{0,50}$/) })

/** `folder` is seen as `seenAs` by the programs of the suite. */
export async function findPlaywright(
  folder: string,
  workingDir: string,
  seenAs: string,
): Promise<SuitePlaywright | null> {
  const places = await packagePlaces(folder, workingDir, seenAs, '@playwright/test')
  const runners = await packagePlaces(folder, workingDir, seenAs, 'playwright')
  for (const start of [...places, ...runners]) {
    const core = await throughPackages(folder, start, seenAs)
    if (core) return core
  }
  return null
}

/** A package sees what stands beside it, and above: hoisted, nested, or linked into a store. */
async function throughPackages(
  folder: string,
  start: string,
  seenAs: string,
): Promise<SuitePlaywright | null> {
  const playwrights = [...(await packagePlaces(folder, start, seenAs, 'playwright')), start]
  for (const from of playwrights) {
    for (const place of await packagePlaces(folder, from, seenAs, 'playwright-core')) {
      const manifest = await readInside(folder, posix.join(place, 'package.json'), seenAs, 1_000_000)
      const parsed = Manifest.safeParse(fromJson(manifest))
      const file = await findInside(folder, posix.join(place, 'browsers.json'), seenAs)
      if (parsed.success && file) return { coreFolder: dirname(file), version: parsed.data.version }
    }
  }
  return null
}

/** Real places, relative to the folder, the nearest first. */
async function packagePlaces(folder: string, from: string, seenAs: string, name: string): Promise<string[]> {
  const parts = from.split('/').filter((part) => part !== '' && part !== '.')
  const found: string[] = []
  for (let depth = parts.length; depth >= 0; depth--) {
    const place = await findInside(folder, [...parts.slice(0, depth), 'node_modules', name].join('/'), seenAs)
    if (place) found.push(posix.relative(folder, place))
  }
  return found
}

function fromJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}
