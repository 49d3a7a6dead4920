// Installs a suite's packages in a separate cell, since install scripts are untrusted. Copies what the install added into a
// staging directory.
import { lstat, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { Job } from '@vedette/contracts'
import { suiteLimits } from '../../sandbox/code-limits.ts'
import type { CodeContext } from '../code-runner.ts'
import type { OutputLog } from '../output-log.ts'
import { withOutputTail } from '../playwright-messages.ts'
import { asCopied, insideFolders, machineFolders } from './cell-paths.ts'
import { type CopiedTree, copyTree, type TreeLimits } from './copy-tree.ts'
import type { Bundle } from './extract-bundle.ts'
import { fillCell } from './fill-cell.ts'
import { lockFileNames, type PackageManager } from './package-manager.ts'
import { installPolicy, type Registry } from './registry.ts'
import { runCommand } from './run-command.ts'
import type { SuiteDeps } from './suite-deps.ts'
import { installEnvironment, suiteEnvironment } from './suite-environment.ts'
import { SuiteFailure } from './suite-errors.ts'
import { endings, maxTailChars } from './suite-verdict.ts'
import type { Toolbox } from './toolbox.ts'

export const treeLimits = { bytes: suiteLimits.diskBytes, entries: 400_000 }

export async function installPackages(
  suite: {
    job: Job
    folder: string
    bundle: Bundle
    manager: PackageManager
    /** Empty: by the package manager. */
    installCommand: string
    workingDir: string
    toolbox: Toolbox
    registry: Registry
    into: string
  },
  deps: Pick<SuiteDeps, 'openCell' | 'limits'>,
  context: CodeContext,
  log: OutputLog,
): Promise<Harvest> {
  const { signal, clock } = context
  const { manager, toolbox, registry } = suite
  const cell = await deps.openCell(
    {
      mounts: toolbox.mounts.map(asCopied),
      limits: suiteLimits,
      network: await installPolicy(context.network, registry, signal, context.lookup),
      ...(context.lookup && { lookup: context.lookup }),
    },
    signal,
  )
  try {
    const content = { bundle: suite.folder, toolbox, registry, mounts: toolbox.mounts }
    await fillCell(cell, content, { limits: treeLimits, signal })
    const folders = machineFolders(cell)
    const mark = await markNow(join(folders.report, 'installing'))
    const line = suite.installCommand || manager.command
    const where = suite.installCommand ? suite.workingDir : manager.folder
    const env = installEnvironment(suiteEnvironment(suite.job, cell), cell, manager.name, registry)
    log.note(`$ ${line}`)
    const end = await runCommand(
      cell,
      { line, cwd: join(insideFolders(cell).suite, where), env },
      { limitMs: deps.limits.installMs, signal, log, monotonic: clock.monotonic },
    )
    signal.throwIfAborted()
    const { installMs } = deps.limits
    const tail = log.tail(maxTailChars)
    if (end.stoppedBy === 'limit')
      throw new SuiteFailure(
        'timeout',
        withOutputTail(
          `The install (${line}) didn't finish within its limit of ${installMs / 60_000} minutes`,
          tail,
        ),
      )
    if (end.exitCode !== 0 || end.reason !== 'exited') {
      const why = endings[end.reason] ?? `it ended with ${end.signal ?? `code ${end.exitCode}`}`
      throw new SuiteFailure('script', withOutputTail(`The install (${line}) failed: ${why}`, tail))
    }
    await cell.end()
    const harvest = { bundle: suite.bundle.entries, mark, limits: treeLimits, signal }
    return await harvestInstall(folders.suite, suite.into, harvest)
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
  options: {
    bundle: ReadonlyMap<string, string>
    mark: number
    limits: TreeLimits
    signal: AbortSignal
  },
): Promise<Harvest> {
  const { bundle, mark, limits, signal } = options
  const others: string[] = []
  const copied = await copyTree(folder, into, {
    limits,
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
