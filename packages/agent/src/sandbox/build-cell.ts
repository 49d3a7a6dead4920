// Builds one cell with one launch method: its directory, its egress, its processes and its limits.

import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from '@vedette/safeguards/errors'
import type { Cell, CellSettings } from './cell.ts'
import { type CellLaunch, type FirstProgram, systemPath } from './cell-launch.ts'
import { CellProcess } from './cell-process.ts'
import { relayPort } from './cell-programs/relay.ts'
import type { LaunchSettings } from './cell-root.ts'
import type { CellFolder, CellStage } from './cell-stage.ts'
import { type EgressServer, startEgressServer } from './egress-server.ts'
import type { RunGroup } from './run-groups.ts'
import { watchCell } from './watch-cell.ts'

const startMs = 20_000

/** Rejects with the error output of the launch. */
export async function buildCell(
  stage: CellStage,
  launch: CellLaunch,
  settings: CellSettings,
  signal: AbortSignal,
): Promise<Cell> {
  const folder = stage.makeCellFolder(launch.uid)
  let egress: EgressServer | null = null
  let group: RunGroup | null = null
  try {
    const { network, lookup, limits } = settings
    group = stage.groups.open(limits)
    if (launch.level !== 'fallback')
      egress = await startEgressServer(folder.run, { network, ...(lookup && { lookup }) }, limits)
    const cellProcess = await startCell(launch, folder, { ...settings, group }, signal)
    return await finishCell({ launch, settings, folder, egress, group, cellProcess }).catch((error) => {
      cellProcess.kill('cell')
      throw error
    })
  } catch (error) {
    egress?.close()
    await group?.remove()
    await folder.remove()
    throw error
  }
}

async function startCell(
  launch: CellLaunch,
  folder: CellFolder,
  settings: LaunchSettings,
  signal: AbortSignal,
) {
  const child = launch.start(folder, settings, supervisorOf(launch, folder))
  const cellProcess = new CellProcess(child, () => settings.group?.exceeded() ?? null)
  const stop = () => cellProcess.kill('cell')
  const timer = setTimeout(stop, startMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const isReady = await cellProcess.ready
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (!isReady) throw new Error(cellProcess.errorOutput.split('\n')[0] || "the cell didn't start")
  return cellProcess
}

function supervisorOf(launch: CellLaunch, folder: CellFolder): FirstProgram {
  const { node, program, run } = launch.inside(folder)
  return {
    argv: [node, '--disable-warning=ExperimentalWarning', join(program, 'supervisor.mjs')],
    env: { PATH: systemPath, ...(launch.level !== 'fallback' && egressEnvironment(run, program)) },
  }
}

/** Routes the connections of Node through the agent. */
export const egressEnvironment = (run: string, program: string) => ({
  VEDETTE_EGRESS: run,
  NODE_OPTIONS: `--require ${join(program, 'preload.cjs')}`,
})

interface Parts {
  launch: CellLaunch
  settings: CellSettings
  folder: CellFolder
  egress: EgressServer | null
  group: RunGroup | null
  cellProcess: CellProcess
}

async function finishCell({ launch, settings, folder, egress, group, cellProcess }: Parts): Promise<Cell> {
  const inside = launch.inside(folder)
  const isNamespaced = launch.level !== 'fallback'
  const { pid = 0 } = cellProcess
  const first = isNamespaced ? await firstProcess(pid) : null
  if (first !== null) await checkVisible(first)
  const watch = await watchCell({
    pid,
    first,
    work: isNamespaced ? folder.work : folder.whole,
    limits: settings.limits,
    group,
    onExcess: (reason) => cellProcess.kill(reason),
  })
  return {
    folder: folder.work,
    work: inside.work,
    level: launch.level,
    limits: group ? 'cgroup' : 'polling',
    environment: environmentOf(launch, inside),
    chown: () => chownTree(folder.work, launch.uid),
    start: (given) => cellProcess.start(given),
    connectionFailures: () => egress?.failures ?? [],
    async end() {
      watch.stop()
      cellProcess.kill('killed')
      egress?.close()
      if (group) return group.remove()
      await waitForExit(first ?? pid)
      if (isNamespaced) return
      if (launch.uid !== null) await killUserProcesses(launch.uid)
      // HOME and TMPDIR of every program.
      else await killByEnvironment(inside.temporary)
    },
    remove: () => folder.remove(),
  }
}

function environmentOf(
  { level }: CellLaunch,
  { run, temporary, program }: ReturnType<CellLaunch['inside']>,
): Record<string, string> {
  const shared = { PATH: systemPath, TZ: 'UTC', LANG: 'C.UTF-8', HOME: temporary, TMPDIR: temporary }
  if (level === 'fallback') return shared
  return {
    ...shared,
    ...egressEnvironment(run, program),
    ALL_PROXY: `socks5h://127.0.0.1:${relayPort}`,
  }
}

const execute = promisify(execFile)

async function chownTree(folder: string, uid: number | null): Promise<void> {
  if (uid !== null) await execute('chown', ['-R', '-h', '-P', `${uid}:${uid}`, folder])
}

/** Of a root without CAP_SYS_PTRACE, as in a container, the kernel hides what a cell uses: its limits would never be reached. */
async function checkVisible(first: number): Promise<void> {
  try {
    await stat(`/proc/${first}/root/`)
  } catch (error) {
    if (errorCode(error) !== 'EACCES') return
    throw new Error("the agent may not measure the processes of cells, so their limits don't work", {
      cause: error,
    })
  }
}

/** PID 1 of the namespace. When it has ended, so has everything in the namespace. */
async function firstProcess(pid: number): Promise<number | null> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return Number(children.trim().split(' ')[0]) || null
}

// Waits for killed processes, and kills processes by their user or their environment.
const endMs = 10_000

async function waitForExit(pid: number): Promise<void> {
  for (const until = Date.now() + endMs; Date.now() < until; await sleep(5)) {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
    if (status === null || / Z /.test(status.slice(status.lastIndexOf(')')))) return
  }
}

/** Without a namespace: processes that left the process group still have the user, which only this cell uses. */
function killUserProcesses(uid: number): Promise<void> {
  return killEach((pid) =>
    stat(`/proc/${pid}`).then(
      (found) => found.uid === uid,
      () => false,
    ),
  )
}

/** Without a user of its own: by an environment value that only this cell has. A process that removed it survives. */
function killByEnvironment(value: string): Promise<void> {
  return killEach((pid) =>
    readFile(`/proc/${pid}/environ`, 'latin1').then(
      (environment) => environment.split('\0').some((pair) => pair.endsWith(`=${value}`)),
      () => false,
    ),
  )
}

async function killEach(isOwn: (pid: string) => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + endMs; Date.now() < until; await sleep(20)) {
    const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
    const areOwn = await Promise.all(pids.map(async (pid) => (await isAlive(pid)) && (await isOwn(pid))))
    const own = pids.filter((_pid, index) => areOwn[index])
    if (own.length === 0) return
    for (const pid of own) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It has ended already.
      }
    }
  }
}

/** Zombies hold no resources; their parent may not have reaped them yet. */
async function isAlive(pid: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return status !== null && !/^ [ZX] /.test(status.slice(status.lastIndexOf(')') + 1))
}
