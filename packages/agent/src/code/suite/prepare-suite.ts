// Prepares a cell in which the suite's command can run: bundle, packages (from the cache or installed), tools and browsers.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServerError } from '../../connection/server-exchange.ts'
import { layOutBrowsers } from '../../runtimes/browsers-folder.ts'
import { missingBrowserMessage } from '../../runtimes/missing.ts'
import { removeTree } from '../../sandbox/remove-tree.ts'
import { copiedMount, mountPath } from './cell-paths.ts'
import { extractBundle } from './extract-bundle.ts'
import { findPlaywright } from './find-playwright.ts'
import { installPackages } from './install-packages.ts'
import { openSuiteCell, type SuiteContent } from './open-suite-cell.ts'
import { findPackageManager, lockFileNames, type PackageManager } from './package-manager.ts'
import type { PreparedSuite, SuiteRun } from './suite-deps.ts'
import { SuiteError } from './suite-error.ts'
import type { SuiteSettings } from './suite-settings.ts'
import { openToolbox } from './toolbox.ts'

export async function prepareSuite(run: SuiteRun): Promise<PreparedSuite> {
  const { job, settings, context, deps, log, folder, facts } = run
  refuseAbsentBrowsers(run)
  const bundle = await unpackBundle(run)
  const manager = await findPackageManager(bundle.folder, settings.workingDir, bundle.entries)
  facts.packageManager = `${manager.name} ${manager.version}`
  const toolbox = await openToolbox(deps.tools, settings.engine, manager, context.signal)
  const content = { ...bundle, manager, toolbox, registry: await deps.registry() }
  const key = await cacheKey(bundle.folder, bundle.entries, { ...settings, manager })
  const openCell = (packages: string) => openTestCell(run, content, packages)

  const cached = job.refreshCache ? null : await deps.cache.use(job.accountId, key, openCell)
  facts.dependencyCache = cached ? 'hit' : job.refreshCache ? 'refreshed' : 'miss'
  if (cached) {
    log.note("The packages come from the cache: lock files and manifests haven't changed.")
    return cached
  }
  const staged = await deps.cache.stage()
  try {
    const begin = context.clock.monotonic()
    const { bytes, others } = await installPackages(run, content, staged)
    facts.installMs = Math.round(context.clock.monotonic() - begin)
    const prepared = await openCell(staged)
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
  const entries = await extractBundle(archive, bundleFolder, context.signal)
  await rm(archive)
  const { workingDir } = settings
  if (workingDir !== '' && entries.get(workingDir) !== 'directory')
    throw new SuiteError(
      `The workingDir ${workingDir} isn't in the bundle. Correct it, or add the directory to the bundle.`,
    )
  return { folder: bundleFolder, entries }
}

/** Names the bundle instead of the server's URL, which is of no use to the owner of the suite. */
function downloadFailure(error: unknown, path: string | null | undefined): unknown {
  if (!(error instanceof ServerError)) return error
  if (error.status === 404) {
    const advice = 'Upload the archive again and update codeBundlePath.'
    return new SuiteError(`The code bundle ${path} doesn't exist in this account. ${advice}`)
  }
  const cause = error.status === null ? 'no response' : `status ${error.status}`
  return new Error(`The server didn't deliver the code bundle ${path} (${cause}).`, { cause: error })
}

async function openTestCell(run: SuiteRun, content: SuiteContent, packages: string): Promise<PreparedSuite> {
  const { settings, context, deps, folder, facts } = run
  const playwright =
    (await findPlaywright(packages, settings.workingDir)) ??
    (await findPlaywright(content.folder, settings.workingDir))
  if (!playwright)
    throw new SuiteError(
      "Playwright isn't installed in the suite. Add @playwright/test to the dependencies in package.json.",
    )
  facts.playwrightVersion = playwright.version
  const browsers = await layOutBrowsers({
    playwrightCore: playwright.coreFolder,
    into: join(folder, 'browsers'),
    browserArgs: deps.browsers.args,
    programs: deps.browsers.programs(),
  })
  const missing = settings.browsers.find((name) => !browsers.installed.includes(name))
  if (missing) throw new SuiteError(missingBrowserMessage(missing))
  const inside = copiedMount(fileURLToPath(new URL('./inside', import.meta.url)), 'suite')
  const ofBrowsers = copiedMount(browsers.folder, 'browsers')
  const reads = browsers.reads.map((path) => ({ from: path, to: path }))
  const mounts = [inside, ofBrowsers, ...reads]
  const cell = await openSuiteCell(run, content, { network: context.network, packages, mounts })
  return {
    cell,
    inside: mountPath(cell, inside),
    browsers: mountPath(cell, ofBrowsers),
    hasVideo: browsers.hasVideo,
  }
}

/** Before anything is downloaded: refuses browsers that aren't installed for any version of Playwright. */
function refuseAbsentBrowsers({ settings, deps }: SuiteRun): void {
  const { downloads, headlessShell } = deps.browsers.programs()
  for (const name of settings.browsers) {
    const found = name === 'firefox' || name === 'webkit' ? downloads : headlessShell
    if (found === null) throw new SuiteError(missingBrowserMessage(name))
  }
}

/** Files that determine the packages of a suite. */
const keyFiles: ReadonlySet<string> = new Set([
  ...lockFileNames,
  'package.json',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  'pnpm-workspace.yaml',
  'bunfig.toml',
])

/** Identifies the packages that an install of this bundle creates, with this engine on this platform. */
export async function cacheKey(
  folder: string,
  entries: ReadonlyMap<string, string>,
  suite: Pick<SuiteSettings, 'installCommand' | 'workingDir' | 'engine'> & { manager: PackageManager },
): Promise<string> {
  const { installCommand, workingDir, engine, manager } = suite
  const hash = createHash('sha256')
  const programs = [engine.name, engine.version, manager.name, manager.version]
  const parts = [installCommand, workingDir, ...programs, process.platform, process.arch]
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
