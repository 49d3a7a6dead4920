// Snapshots: files that a script compares with, such as screenshots of an earlier run. The client has uploaded them.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { z } from 'zod'
import type { snapshotDownloader } from '../../artifacts/download-bundle.ts'
import { safePath } from './workspace.ts'
import { writeInside } from './write-inside.ts'

export type DownloadSnapshot = ReturnType<typeof snapshotDownloader>

const maxSnapshots = 200

/** What command-line clients add to a script. Older servers send none of it. */
const Settings = z.looseObject({
  snapshots: z.array(z.object({ key: z.string(), path: z.string() })).nullish(),
  playwrightConfig: z.looseObject({ use: z.looseObject({}).nullish() }).nullish(),
  updateSnapshots: z.boolean().nullish(),
})

/** Settings of the test runner that a script may have. */
const allowedConfig = ['timeout', 'expect', 'use']

export function scriptSettings(check: Job['check']) {
  const { snapshots, playwrightConfig, updateSnapshots } = Settings.parse(check)
  const config = Object.entries(playwrightConfig ?? {})
  return {
    snapshots: snapshots ?? [],
    playwrightConfig: Object.fromEntries(config.filter(([name]) => allowedConfig.includes(name))),
    updatesSnapshots: updateSnapshots === true,
  }
}

/** Returns their paths. Call it before the script runs: the directory has only files of the agent. */
export async function writeSnapshots(
  folder: string,
  token: string,
  snapshots: readonly { key: string; path: string }[],
  download: DownloadSnapshot | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  if (snapshots.length > maxSnapshots)
    throw new Error(`The check has ${snapshots.length} snapshots; ${maxSnapshots} are possible.`)
  const files = snapshots.map(({ key, path }) => ({ key, path: safePath(path) }))
  if (files.length > 0 && download === undefined) throw new Error("This agent can't load snapshots.")
  const received = join(folder, '.vedette', 'snapshot')
  for (const { key, path } of files) {
    await download?.(token, key, received, signal)
    writeInside(folder, path, readFileSync(received))
    rmSync(received)
  }
  return files.map(({ path }) => path)
}
