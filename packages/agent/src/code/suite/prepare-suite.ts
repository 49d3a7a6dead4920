// Prepares a cell in which the suite's command can run: bundle, packages (from the cache or installed), tools and browsers.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job } from '@vedette/contracts'
import { ServerError } from '../../connection/server-exchange.ts'
import type { BrowserPrograms } from '../../runtimes/browsers.ts'
import { layOutBrowsers } from '../../runtimes/browsers-folder.ts'
import { missingBrowserMessage } from '../../runtimes/missing.ts'
import type { BrowserName, BrowsersFolder } from '../../runtimes/runtime.ts'
import type { Cell } from '../../sandbox/cell.ts'
import { suiteLimits } from '../../sandbox/code-limits.ts'
import { removeTree } from '../../sandbox/remove-tree.ts'
import type { CodeContext } from '../code-runner.ts'
import type { OutputLog } from '../output-log.ts'
import { asCopied, type Mount, mountRoot } from './cell-paths.ts'
import { extractBundle } from './extract-bundle.ts'
import { fillCell } from './fill-cell.ts'
import { findPlaywright, type SuitePlaywright } from './find-playwright.ts'
import { installPackages, treeLimits } from './install-packages.ts'
import { findPackageManager, lockFileNames, type PackageManager } from './package-manager.ts'
import type { SuiteDeps } from './suite-deps.ts'
import { BundleError } from './suite-errors.ts'
import type { SuiteSettings } from './suite-settings.ts'
import { type Engine, openToolbox } from './toolbox.ts'

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

/** Before anything is downloaded: refuses browsers that aren't installed for any version of Playwright. */
function refuseAbsentBrowsers(wanted: readonly string[], programs: BrowserPrograms): void {
  for (const name of wanted.map(browserName)) {
    const isHere = name === 'firefox' || name === 'webkit' ? programs.downloads : programs.headlessShell
    if (isHere === null) throw new BundleError(missingBrowserMessage(name))
  }
}

/** Lays browsers out for the suite's own version of Playwright. */
async function openBrowsers(
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

/** Files that determine the packages of a suite, besides the lock file. */
const settingFiles = [
  'package.json',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  'pnpm-workspace.yaml',
  'bunfig.toml',
]
const keyFiles: ReadonlySet<string> = new Set([...lockFileNames, ...settingFiles])

/** Identifies the packages that an install of this bundle creates, with this engine on this platform. */
export async function cacheKey(
  folder: string,
  entries: ReadonlyMap<string, string>,
  suite: { installCommand: string; workingDir: string; engine: Engine; manager: PackageManager },
): Promise<string> {
  const { installCommand, workingDir, engine, manager } = suite
  const hash = createHash('sha256')
  const platform = [process.platform, process.arch]
  const parts = [
    installCommand,
    workingDir,
    engine.name,
    engine.version,
    manager.name,
    manager.version,
    ...platform,
  ]
  hash.update(`${JSON.stringify(parts)}\n`)
  const files = [...entries]
    .filter(([path, kind]) => kind === 'file' && keyFiles.has(posix.basename(path)))
    .map(([path]) => path)
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort()
  for (const path of files) hash.update(`${JSON.stringify([path, await sha256Of(join(folder, path))])}\n`)
  return hash.digest('hex')
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  for await (const chunk of file.createReadStream()) hash.update(chunk)
  return hash.digest('hex')
}
