// Prepares a cell in which the suite's command can run: bundle, packages (from the cache or installed), tools and browsers.
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job } from '@vedette/contracts'
import { ServerError } from '../../connection/server-exchange.ts'
import type { BrowsersFolder } from '../../runtimes/runtime.ts'
import type { Cell } from '../../sandbox/cell.ts'
import { suiteLimits } from '../../sandbox/code-limits.ts'
import { removeTree } from '../../sandbox/remove-tree.ts'
import type { CodeContext } from '../code-runner.ts'
import type { OutputLog } from '../output-log.ts'
import { cacheKey } from './cache-key.ts'
import { asCopied, type Mount, mountRoot } from './cell-paths.ts'
import { extractBundle } from './extract-bundle.ts'
import { fillCell } from './fill-cell.ts'
import { findPlaywright } from './find-playwright.ts'
import { installPackages, treeLimits } from './install-packages.ts'
import { findPackageManager } from './package-manager.ts'
import { openBrowsers, refuseAbsentBrowsers } from './suite-browsers.ts'
import type { SuiteDeps } from './suite-deps.ts'
import { BundleError } from './suite-errors.ts'
import type { SuiteSettings } from './suite-settings.ts'
import { openToolbox } from './toolbox.ts'

export interface PreparedSuite {
  cell: Cell
  browsers: BrowsersFolder
  playwrightVersion: string
  mounts: { inside: Mount; browsers: Mount }
}

export interface SuiteRun {
  job: Job
  settings: SuiteSettings
  context: CodeContext
  deps: SuiteDeps
  log: OutputLog
  /** The directory of this run on this machine. */
  folder: string
  /** Further facts for the result. */
  facts: Record<string, unknown>
}

export async function prepareSuite(run: SuiteRun): Promise<PreparedSuite> {
  const { job, settings, context, deps, log, folder, facts } = run
  const { signal } = context
  refuseAbsentBrowsers(settings.browsers, deps.browsers.programs())
  const { bundleFolder, bundle } = await unpackBundle(run)
  const manager = await findPackageManager(bundleFolder, settings.workingDir, bundle.entries)
  facts.packageManager = `${manager.name} ${manager.version}`
  const toolbox = await openToolbox(deps.tools, settings.engine, manager, signal)
  const registry = await deps.registry()
  const key = await cacheKey(bundleFolder, bundle.entries, { ...settings, manager })
  const open = (packages: string) => openSuiteCell(run, { bundleFolder, packages, toolbox, registry })

  const cached = job.refreshCache ? null : await deps.cache.use(job.accountId, key, open)
  facts.dependencyCache = cached ? 'hit' : job.refreshCache ? 'refreshed' : 'miss'
  if (cached) {
    log.note("The packages come from the cache: lock files and manifests haven't changed.")
    return cached
  }
  const staged = await deps.cache.stage()
  try {
    const begin = context.clock.monotonic()
    const suite = { job, ...settings, folder: bundleFolder, bundle, manager, toolbox, registry, into: staged }
    const { bytes, others } = await installPackages(suite, deps, context, log)
    facts.installMs = Math.round(context.clock.monotonic() - begin)
    const prepared = await open(staged)
    // Nothing may fail from here on: no one would remove the cell.
    if (others.length === 0) await deps.cache.store(job.accountId, key, staged, bytes)
    else log.note(`The packages are not cached: the install wrote other files too (${others[0]}).`)
    return prepared
  } finally {
    await deps.cache.discard(staged)
    await removeTree(join(folder, 'bundle')).catch(() => undefined)
  }
}

async function unpackBundle({ job, settings, context, deps, folder }: SuiteRun) {
  const archive = join(folder, 'bundle.tar.gz')
  await deps.downloadBundle(job.token, archive, context.signal).catch((error: unknown) => {
    throw downloadFailure(error, job.check.checkType === 'PLAYWRIGHT' ? job.check.codeBundlePath : null)
  })
  const bundleFolder = join(folder, 'bundle')
  await mkdir(bundleFolder)
  const bundle = await extractBundle(archive, bundleFolder, context.signal)
  await rm(archive)
  const { workingDir } = settings
  if (workingDir !== '' && bundle.entries.get(workingDir) !== 'directory')
    throw new BundleError(
      `The workingDir ${workingDir} isn't in the bundle. Correct it, or add the directory to the bundle.`,
    )
  return { bundleFolder, bundle }
}

/** Names the bundle instead of the server's URL, which is of no use to the owner of the suite. */
function downloadFailure(error: unknown, path: string | null | undefined): unknown {
  if (!(error instanceof ServerError)) return error
  if (error.status === 404) {
    const advice = 'Upload the archive again and update codeBundlePath.'
    return new BundleError(`The code bundle ${path} doesn't exist in this account. ${advice}`)
  }
  const cause = error.status === null ? 'no response' : `status ${error.status}`
  return new Error(`The server didn't deliver the code bundle ${path} (${cause}).`, { cause: error })
}

type Content = Omit<Parameters<typeof fillCell>[1], 'bundle' | 'packages' | 'mounts'> & {
  bundleFolder: string
  packages: string
}

/** The path of the suite in the install's cell, for absolute links. */
const seenAs = '/work/suite'

async function openSuiteCell(run: SuiteRun, content: Content): Promise<PreparedSuite> {
  const { settings, context, deps, folder } = run
  const { bundleFolder, packages, toolbox } = content
  const playwright =
    (await findPlaywright(packages, settings.workingDir, seenAs)) ??
    (await findPlaywright(bundleFolder, settings.workingDir, seenAs))
  if (!playwright)
    throw new BundleError(
      "Playwright isn't installed in the suite. Add @playwright/test to the dependencies in package.json.",
    )
  const programs = deps.browsers.programs()
  const into = join(folder, 'browsers')
  const { args } = deps.browsers
  const browsers = await openBrowsers(settings.browsers, playwright, into, { programs, args })
  const mounts = {
    inside: { from: fileURLToPath(new URL('./inside', import.meta.url)), to: `${mountRoot}/suite` },
    browsers: { from: browsers.folder, to: `${mountRoot}/browsers` },
  }
  const ours = [...toolbox.mounts, mounts.inside, mounts.browsers]
  const { signal, network, lookup } = context
  const cell = await deps.openCell(
    {
      mounts: [...ours.map(asCopied), ...browsers.reads.map((path) => ({ from: path, to: path }))],
      limits: suiteLimits,
      network,
      ...(lookup && { lookup }),
    },
    signal,
  )
  try {
    const whole = { ...content, bundle: bundleFolder, mounts: ours }
    await fillCell(cell, whole, { limits: treeLimits, signal })
    return { cell, browsers, playwrightVersion: playwright.version, mounts }
  } catch (error) {
    await cell.end()
    await cell.remove()
    throw error
  }
}
