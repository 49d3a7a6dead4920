// Installs a suite's packages in a separate cell, since install scripts are untrusted. Copies what the install added into a
// staging directory.
import { lstat, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { withOutputTail } from '../playwright-messages.ts'
import { endings } from '../wait-for-end.ts'
import { insideFolders, machineFolders } from './cell-paths.ts'
import { type CopiedTree, copyTree } from './copy-tree.ts'
import { openSuiteCell, runCommand, type SuiteContent } from './open-suite-cell.ts'
import { lockFileNames } from './package-manager.ts'
import { installPolicy } from './registry.ts'
import type { SuiteRun } from './suite-deps.ts'
import { installEnvironment } from './suite-environment.ts'
import { SuiteError } from './suite-error.ts'
import { maxTailChars } from './suite-verdict.ts'

export async function installPackages(run: SuiteRun, content: SuiteContent, into: string): Promise<Harvest> {
  const { job, settings, deps, context, log } = run
  const { signal } = context
  const { entries, manager, registry } = content
  const network = await installPolicy(context.network, registry, signal, context.lookup)
  const cell = await openSuiteCell(run, content, { network })
  try {
    const folders = machineFolders(cell)
    const mark = await markNow(join(folders.report, 'installing'))
    const line = settings.installCommand || manager.command
    const where = settings.installCommand ? settings.workingDir : manager.folder
    const env = installEnvironment(job, cell, manager.name, registry)
    const cwd = join(insideFolders(cell).suite, where)
    const { installMs } = deps.limits
    const end = await runCommand(run, cell, { line, cwd, env, limitMs: installMs })
    const tail = log.tail(maxTailChars)
    if (end.isTimedOut) {
      const what = `The install (${line}) didn't finish within its limit of ${installMs / 60_000} minutes`
      throw new SuiteError(withOutputTail(what, tail), { kind: 'timeout' })
    }
    if (end.exitCode !== 0 || end.reason !== 'exited') {
      const reason = endings[end.reason]
      const why = reason ? `The suite ${reason}` : `it ended with ${end.signal ?? `code ${end.exitCode}`}`
      throw new SuiteError(withOutputTail(`The install (${line}) failed: ${why}`, tail))
    }
    await cell.end()
    return await harvestInstall(folders.suite, into, { bundle: entries, mark, signal })
  } finally {
    await cell.end()
    await cell.remove()
  }
}

// Copies what an install added to its cell, after the cell has ended.
interface Harvest extends CopiedTree {
  /** Files outside packages. They may be built from sources, so they must not be reused for other sources. */
  others: string[]
}

/** Call it before the install: later changes are those of the install. */
export async function markNow(markFile: string): Promise<number> {
  await writeFile(markFile, '')
  return (await lstat(markFile)).ctimeMs
}

export async function harvestInstall(
  folder: string,
  into: string,
  { bundle, mark, signal }: { bundle: ReadonlyMap<string, string>; mark: number; signal: AbortSignal },
): Promise<Harvest> {
  const others: string[] = []
  const copied = await copyTree(folder, into, {
    signal,
    takes(path, stats) {
      if (stats.isDirectory()) return !bundle.has(path)
      // A change of the content updates ctime, which no program can set.
      if (bundle.has(path) && stats.ctimeMs <= mark) return false
      if (!isOfPackages(path) && others.length < 20) others.push(path)
      return true
    },
  })
  return { ...copied, others }
}

const packageFolders = ['node_modules', '.yarn', '.pnpm-store']
const packageFiles: readonly string[] = [
  ...lockFileNames,
  // Yarn rewrites it; its content is part of the key.
  'package.json',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '.pnp.data.json',
]

function isOfPackages(path: string): boolean {
  return (
    path.split('/').some((part) => packageFolders.includes(part)) ||
    packageFiles.includes(posix.basename(path))
  )
}
