// Runs scripts of API checks in cells that hold one Node process each, without a supervisor. It gets the scripts, their variables and
// the agent's network rules; it returns what the scripts changed, validated field by field. It gets nothing else of the agent: no
// environment, files, keys or memory. A spare process that is started between runs hides most of the time that Node needs to start.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import { errorMessage } from '@vedette/safeguards/errors'
import { Semaphore } from '../core/semaphore.ts'
import { egressEnvironment } from './build-cell.ts'
import type { LaunchSettings } from './cell-root.ts'
import type { CellStage } from './cell-stage.ts'
import { scriptLimits } from './limits.ts'
import { LineProcess } from './line-process.ts'
import { parseFromChild } from './messages.ts'
import { type Cells, cellLevel, closeCells, openCells } from './open-cell.ts'
import { type LimitsSetting, refusalToRun, type SandboxSetting } from './requirement.ts'
import { type ScriptChild, ScriptSession, type SessionSettings } from './session.ts'

/** A child takes some 50 MB, and a fraction of a second of a core to start. */
const maxChildren = Math.max(4, 4 * availableParallelism())

/** An unused spare child is ended after this time. */
const spareMs = 60_000

const children = new Semaphore(maxChildren)
let spare: Promise<ScriptChild | null> | null = null
let spareTimer: NodeJS.Timeout | null = null
/** The packages of a runtime for scripts; null: none is installed yet. */
let modulesFolder: string | null = null

/** Why scripts aren't run here; null: they are, and the rules are enforced for hostile ones too. */
export async function refusalOfScripts(
  network: NetworkPolicy,
  setting: SandboxSetting = 'auto',
  limits: LimitsSetting = 'auto',
): Promise<string | null> {
  try {
    return refusalToRun(await cellLevel(setting), network, setting, limits)
  } catch (error) {
    return errorMessage(error)
  }
}

/**
 * Waits while too many children run; that time doesn't count as the scripts' time. Null: the signal was aborted first. The
 * caller closes the session.
 */
export async function openSession(
  settings: SessionSettings,
  setting: SandboxSetting = 'auto',
): Promise<ScriptSession | null> {
  const release = await children.acquire(settings.signal)
  if (!release) return null
  const source = { take: () => takeChild(setting), giveBack: () => prepare(setting), release }
  return new ScriptSession(source, settings)
}

/** Scripts of later runs can use these packages: the directory node_modules of a runtime. */
export async function provideModules(folder: string): Promise<void> {
  modulesFolder = folder
  await dropSpare()
}

/** Ends the spare child and removes files; the callers close open sessions. */
export async function closeSandbox(): Promise<void> {
  await dropSpare()
  modulesFolder = null
  await closeCells()
}

async function takeChild(setting: SandboxSetting): Promise<ScriptChild | null> {
  const found = spare
  // Before the await: a child serves one run.
  spare = null
  const child = await found
  if (child && !child.process.hasEnded) return child
  child?.remove()
  return startChild(setting)
}

/** Called after a run, so that the start of a child doesn't compete with it. */
function prepare(setting: SandboxSetting): void {
  spare ??= startChild(setting)
  if (spareTimer) clearTimeout(spareTimer)
  spareTimer = setTimeout(() => void dropSpare(), spareMs).unref()
}

async function dropSpare(): Promise<void> {
  if (spareTimer) clearTimeout(spareTimer)
  const found = spare
  spare = null
  const child = await found
  child?.process.kill()
  child?.remove()
}

/** Never rejects. Null: the host lacks memory, processes or disk space, or isolation. */
async function startChild(setting: SandboxSetting): Promise<ScriptChild | null> {
  try {
    const child = launchChild(await openCells(setting))
    if (await waitUntilReady(child.process)) return child
    child.process.kill()
    child.remove()
  } catch {
    // Nothing was started.
  }
  return null
}

/** A cell in which nothing is writable. */
export function scriptLaunchSettings(stage: CellStage, hasOwnUser: boolean): LaunchSettings {
  const { residentBytes, openFiles, cpuSeconds, threads, threadsOfAgent } = scriptLimits
  return {
    mounts: [
      { from: stage.script, to: '/script' },
      ...(modulesFolder === null ? [] : [{ from: modulesFolder, to: '/node_modules' }]),
    ],
    limits: {
      ...{ memoryBytes: residentBytes, diskBytes: 0, temporaryBytes: 0, openFiles, cpuSeconds },
      processes: hasOwnUser ? threads : threadsOfAgent,
    },
    isReadOnly: true,
  }
}

export function launchChild({ stage, launch: nextLaunch }: Pick<Cells, 'stage' | 'launch'>): ScriptChild {
  const launch = nextLaunch()
  const folder = stage.makeCellFolder(launch.uid)
  const isMounted = launch.level !== 'fallback'
  const settings = scriptLaunchSettings(stage, launch.uid !== null)
  const [script = '', modules = null] = settings.mounts.map(({ from, to }) => (isMounted ? to : from))
  const group = stage.groups.open(settings.limits)
  const remove = () =>
    void Promise.resolve(group?.remove())
      .then(() => folder.remove())
      .catch(() => {})
  try {
    const { node, run, program } = launch.inside(folder)
    const readable = [script, ...(isMounted ? [program] : []), ...(modules === null ? [] : [modules])]
    const child = launch.start(
      folder,
      { ...settings, group },
      {
        argv: [node, ...nodeOptions(readable), join(script, 'main.mjs')],
        env: isMounted ? egressEnvironment({ run, program }) : {},
      },
    )
    const limits = { lineBytes: scriptLimits.maxLineBytes, allBytes: scriptLimits.maxOutputBytes }
    const process = new LineProcess(child, parseFromChild, limits)
    return { process, modules, egressFolder: isMounted ? folder.run : null, group, remove }
  } catch (error) {
    remove()
    throw error
  }
}

const nodeOptions = (readable: readonly string[]) => [
  ...['--permission', ...readable.map((folder) => `--allow-fs-read=${folder}/*`)],
  // Later versions of Node also restrict the agent's sockets by default.
  ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
  `--max-old-space-size=${scriptLimits.heapMb}`,
  // For import() in scripts.
  ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
]

function waitUntilReady(child: ScriptChild['process']): Promise<boolean> {
  return new Promise((settle) => {
    const done = (isReady: boolean) => {
      clearTimeout(timer)
      settle(isReady)
    }
    const timer = setTimeout(() => done(false), scriptLimits.startMs)
    child.onMessage = ({ type }) => done(type === 'ready')
    void child.ended.then(() => done(false))
  })
}
