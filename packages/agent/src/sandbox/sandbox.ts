// The one place where code of users runs: in a process of its own, behind the walls that launch.ts finds on this host.
// In: scripts, the variables they may know and the agent's network rules; out: what they changed, as data that was read
// field by field. Nothing of the agent goes in but that: not its environment, its files, its keys or its memory.
// Measured (Node 24, two busy cores): a child costs about 90 ms of CPU, nearly all of it Node's own start; a spare that is
// started between runs hides most of that.
import { availableParallelism } from 'node:os'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import { Gate } from './gate.ts'
import { type Launch, launchesFor, type SandboxLayer } from './launch.ts'
import { scriptLimits } from './limits.ts'
import { refusalToRun, type SandboxSetting } from './requirement.ts'
import { SandboxProcess } from './sandbox-process.ts'
import { type ChildSource, ScriptSession, type SessionSettings } from './session.ts'
import { prepareStage, type Stage } from './stage.ts'

/** The rest waits: a child takes some 50 MB, and a fraction of a second of a core to start. */
const maxChildren = Math.max(4, 4 * availableParallelism())

/** A spare child that nobody wanted for so long is ended. */
const spareMs = 60_000

interface Child {
  process: SandboxProcess
  folder: string
  /** Where it finds packages: those that were there when it started. */
  modules: string | null
}

interface Sandbox {
  stage: Stage
  launch: Launch
  spare: Promise<Child | null> | null
  spareTimer: NodeJS.Timeout | null
  isClosed: boolean
}

const gate = new Gate(maxChildren)
let opening: Promise<Sandbox | null> | null = null

/** What stands between scripts and this host; none means that no script can run. */
export async function sandboxLayers(): Promise<readonly SandboxLayer[]> {
  return (await openSandbox())?.launch.layers ?? []
}

/** Why scripts are not run here by these rules; null: they are, and hostile ones are held to the rules too. */
export async function refusalOfScripts(
  network: NetworkPolicy,
  setting: SandboxSetting = 'auto',
): Promise<string | null> {
  return refusalToRun({ isStrong: isStrong(await sandboxLayers()), network, setting })
}

const isStrong = (layers: readonly SandboxLayer[]) =>
  layers.includes('network-namespace') && layers.includes('pid-namespace') && layers.includes('root')

/**
 * Waits for a place among the children; null: the signal came first. The scripts' time does not run meanwhile. Whoever
 * has opened a session closes it.
 */
export async function openSession(
  settings: SessionSettings,
): Promise<Pick<ScriptSession, 'run' | 'close'> | null> {
  const leave = await gate.enter(settings.signal)
  if (!leave) return null
  const session = new ScriptSession(sourceOf(await openSandbox()), settings)
  let isOpen = true
  return {
    run: (script) => session.run(script),
    close() {
      session.close()
      if (isOpen) leave()
      isOpen = false
    },
  }
}

/** Scripts of runs that begin from now on may use these packages: the folder node_modules of a runtime. */
export async function provideModules(folder: string): Promise<void> {
  const sandbox = await openSandbox()
  if (!sandbox) return
  sandbox.stage.modules = folder
  await dropSpare(sandbox)
}

/** Ends the spare child and removes what lies on disk; sessions still open are their owners'. */
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
  // Perhaps there is room on the disk, or a process to be had, the next time.
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
      // Before waiting for it: a child serves one run.
      sandbox.spare = null
      const child = await spare
      if (child && !child.process.hasEnded) return child
      if (child) sandbox.stage.removeRunFolder(child.folder)
      return startChild(sandbox)
    },
    giveBack(folder) {
      sandbox.stage.removeRunFolder(folder)
      if (sandbox.isClosed) return
      // Made once a run is over, so that its start does not compete with the run.
      sandbox.spare ??= startChild(sandbox)
      expireSpare(sandbox)
    },
  }
}

/** Never rejects: null is a host out of memory, processes or disk, or a way that it does not offer. */
async function startChild({ stage, launch }: Pick<Sandbox, 'stage' | 'launch'>): Promise<Child | null> {
  let folder: string | null = null
  try {
    folder = stage.makeRunFolder()
    const modules = launch.modulesFolder()
    const child = new SandboxProcess(launch.start(folder), scriptLimits)
    if (await saysReady(child)) return { process: child, folder, modules }
    child.kill()
  } catch {
    // Nothing was started.
  }
  if (folder !== null) stage.removeRunFolder(folder)
  return null
}

function saysReady(child: SandboxProcess): Promise<boolean> {
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
