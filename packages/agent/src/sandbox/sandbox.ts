// Runs scripts of API checks in child processes, with the isolation that launch.ts finds on this host. A child gets the scripts,
// their variables and the agent's network rules; it returns what the scripts changed, validated field by field. It gets nothing
// else of the agent: no environment, files, keys or memory.
// Measured (Node 24, two busy cores): a child takes about 90 ms of CPU, nearly all of it for the start of Node; a spare child
// that is started between runs hides most of that.
import { availableParallelism } from 'node:os'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { CellLevel } from './cell.ts'
import { type Launch, launchesFor, type SandboxLayer } from './launch.ts'
import { scriptLimits } from './limits.ts'
import { refusalToRun, type SandboxSetting } from './requirement.ts'
import { SandboxProcess } from './sandbox-process.ts'
import { Semaphore } from './semaphore.ts'
import { type ChildSource, ScriptSession, type SessionSettings } from './session.ts'
import { prepareStage, type Stage } from './stage.ts'

/** A child takes some 50 MB, and a fraction of a second of a core to start. */
const maxChildren = Math.max(4, 4 * availableParallelism())

/** An unused spare child is ended after this time. */
const spareMs = 60_000

interface Child {
  process: SandboxProcess
  folder: string
  /** The path of packages, if they were installed when it started. */
  modules: string | null
}

interface Sandbox {
  stage: Stage
  launch: Launch
  spare: Promise<Child | null> | null
  spareTimer: NodeJS.Timeout | null
  isClosed: boolean
}

const children = new Semaphore(maxChildren)
let opening: Promise<Sandbox | null> | null = null

/** The isolation of scripts on this host; empty: scripts can't run. */
export async function sandboxLayers(): Promise<readonly SandboxLayer[]> {
  return (await openSandbox())?.launch.layers ?? []
}

/** Why scripts aren't run here; null: they are, and the rules are enforced for hostile ones too. */
export async function refusalOfScripts(
  network: NetworkPolicy,
  setting: SandboxSetting = 'auto',
): Promise<string | null> {
  return refusalToRun({ level: levelOf(await sandboxLayers()), network, setting })
}

function levelOf(layers: readonly SandboxLayer[]): CellLevel {
  const isNamespaced = ['network-namespace', 'pid-namespace', 'root'].every((layer) =>
    layers.some((one) => one === layer),
  )
  if (!isNamespaced) return 'fallback'
  return layers.includes('user') ? 'strong' : 'same-user'
}

/**
 * Waits while too many children run; that time doesn't count as the scripts' time. Null: the signal was aborted first. The
 * caller closes the session.
 */
export async function openSession(
  settings: SessionSettings,
): Promise<Pick<ScriptSession, 'run' | 'close'> | null> {
  const release = await children.acquire(settings.signal)
  if (!release) return null
  const session = new ScriptSession(sourceOf(await openSandbox()), settings)
  let isOpen = true
  return {
    run: (script) => session.run(script),
    close() {
      session.close()
      if (isOpen) release()
      isOpen = false
    },
  }
}

/** Scripts of later runs can use these packages: the directory node_modules of a runtime. */
export async function provideModules(folder: string): Promise<void> {
  const sandbox = await openSandbox()
  if (!sandbox) return
  sandbox.stage.modules = folder
  await dropSpare(sandbox)
}

/** Ends the spare child and removes files; the callers close open sessions. */
export async function closeSandbox(): Promise<void> {
  const sandbox = await opening?.catch(() => null)
  opening = null
  if (!sandbox) return
  sandbox.isClosed = true
  await dropSpare(sandbox)
  process.off('exit', sandbox.stage.remove)
  sandbox.stage.remove()
}

async function openSandbox(): Promise<Sandbox | null> {
  opening ??= findSandbox()
  const found = await opening.catch(() => null)
  // Retried the next time: the disk may have been full, or the process limit reached.
  if (!found) opening = null
  return found
}

async function findSandbox(): Promise<Sandbox | null> {
  const stage = await prepareStage()
  for (const launch of launchesFor(stage)) {
    const sandbox: Sandbox = { stage, launch, spare: null, spareTimer: null, isClosed: false }
    const child = await startChild(sandbox)
    if (!child) continue
    sandbox.spare = Promise.resolve(child)
    expireSpare(sandbox)
    process.once('exit', stage.remove)
    return sandbox
  }
  stage.remove()
  return null
}

function sourceOf(sandbox: Sandbox | null): ChildSource {
  if (!sandbox) return { takeChild: async () => null, giveBack: () => {}, socketFolder: (folder) => folder }
  return {
    socketFolder: (folder) => sandbox.launch.socketFolder(folder),
    async takeChild() {
      const { spare } = sandbox
      // Before the await: a child serves one run.
      sandbox.spare = null
      const child = await spare
      if (child && !child.process.hasEnded) return child
      if (child) sandbox.stage.removeRunFolder(child.folder)
      return startChild(sandbox)
    },
    giveBack(folder) {
      sandbox.stage.removeRunFolder(folder)
      if (sandbox.isClosed) return
      // Started after a run, so that it doesn't compete with the run.
      sandbox.spare ??= startChild(sandbox)
      expireSpare(sandbox)
    },
  }
}

/** Never rejects. Null: the host lacks memory, processes or disk space, or doesn't support this launch. */
async function startChild({ stage, launch }: Pick<Sandbox, 'stage' | 'launch'>): Promise<Child | null> {
  let folder: string | null = null
  try {
    folder = stage.makeRunFolder()
    const modules = launch.modulesFolder()
    const child = new SandboxProcess(launch.start(folder), scriptLimits)
    if (await waitUntilReady(child)) return { process: child, folder, modules }
    child.kill()
  } catch {
    // Nothing was started.
  }
  if (folder !== null) stage.removeRunFolder(folder)
  return null
}

function waitUntilReady(child: SandboxProcess): Promise<boolean> {
  return new Promise((settle) => {
    const done = (isReady: boolean) => {
      clearTimeout(timer)
      settle(isReady)
    }
    const timer = setTimeout(() => done(false), scriptLimits.startMs)
    child.onMessage = ({ type }) => done(type === 'ready')
    child.onEnd(() => done(false))
  })
}

function expireSpare(sandbox: Sandbox): void {
  if (sandbox.spareTimer) clearTimeout(sandbox.spareTimer)
  sandbox.spareTimer = setTimeout(() => void dropSpare(sandbox), spareMs).unref()
}

async function dropSpare(sandbox: Sandbox): Promise<void> {
  if (sandbox.spareTimer) clearTimeout(sandbox.spareTimer)
  const { spare } = sandbox
  sandbox.spare = null
  const child = await spare
  if (!child) return
  child.process.kill()
  sandbox.stage.removeRunFolder(child.folder)
}
