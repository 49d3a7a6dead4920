// Builds one cell with one launch method: its directory, its egress, its processes and its limits.

import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from '@vedette/safeguards/errors'
import { readText } from '../core/system.ts'
import type { Cell, CellSettings } from './cell.ts'
import { type CellLaunch, type CellPaths, systemPath } from './cell-launch.ts'
import { CellProcess } from './cell-process.ts'
import { relayPort } from './cell-programs/relay.ts'
import type { CellStage } from './cell-stage.ts'
import { startEgressServer } from './egress-server.ts'
import { killNow, pidsOf, readProc, statOf } from './processes.ts'
import { watchCell } from './watch-cell.ts'

const startMs = 20_000

/** Rejects with the error output of the launch. */
export async function buildCell(
  stage: CellStage,
  launch: CellLaunch,
  settings: CellSettings,
  signal: AbortSignal,
): Promise<Cell> {
  const { level, uid } = launch
  const isNamespaced = level !== 'fallback'
  const undo = new AsyncDisposableStack()
  try {
    const folder = stage.makeCellFolder(uid)
    undo.defer(() => folder.remove())
    const group = stage.groups.open(settings.limits)
    undo.defer(() => group?.remove())
    const egress = isNamespaced ? await startEgressServer(folder.run, settings, settings.limits) : null
    undo.defer(() => egress?.close())

    const inside = launch.inside(folder)
    const routed = isNamespaced ? egressEnvironment(inside) : {}
    const supervisor = {
      argv: [inside.node, '--disable-warning=ExperimentalWarning', join(inside.program, 'supervisor.mjs')],
      env: { PATH: systemPath, ...routed },
    }
    const child = launch.start(folder, { ...settings, group }, supervisor)
    const cellProcess = new CellProcess(child, () => group?.exceeded() ?? null)
    undo.defer(() => cellProcess.kill('cell'))
    await waitUntilReady(cellProcess, signal)

    const { pid = 0 } = cellProcess
    const first = isNamespaced ? firstProcess(pid) : null
    if (first !== null) await checkVisible(first)
    const watch = await watchCell({
      pid,
      first,
      work: isNamespaced ? folder.work : folder.whole,
      limits: settings.limits,
      group,
      onExcess: (reason) => cellProcess.kill(reason),
    })
    const { temporary } = inside
    return {
      folder: folder.work,
      work: inside.work,
      level,
      limits: group ? 'cgroup' : 'polling',
      environment: {
        ...{ PATH: systemPath, TZ: 'UTC', LANG: 'C.UTF-8', HOME: temporary, TMPDIR: temporary },
        ...(isNamespaced && { ...routed, ALL_PROXY: `socks5h://127.0.0.1:${relayPort}` }),
      },
      chown: () => chownTree(folder.work, uid),
      start: (given) => cellProcess.start(given),
      connectionFailures: () => egress?.failures ?? [],
      async end() {
        watch.stop()
        cellProcess.kill('killed')
        egress?.close()
        if (group) return group.remove()
        await waitForExit(first ?? pid)
        // The directory is HOME and TMPDIR of every program.
        if (!isNamespaced)
          await killEach((pid) => (uid === null ? hasInEnvironment(pid, temporary) : isOfUser(pid, uid)))
      },
      remove: () => folder.remove(),
    }
  } catch (error) {
    await undo.disposeAsync()
    throw error
  }
}

async function waitUntilReady(cellProcess: CellProcess, signal: AbortSignal): Promise<void> {
  const stop = () => cellProcess.kill('cell')
  const timer = setTimeout(stop, startMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const isReady = await cellProcess.ready
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (!isReady) throw new Error(cellProcess.errorOutput.split('\n')[0] || "the cell didn't start")
}

/** Routes the connections of Node through the agent. */
export const egressEnvironment = ({ run, program }: Pick<CellPaths, 'run' | 'program'>) => ({
  VEDETTE_EGRESS: run,
  NODE_OPTIONS: `--require ${join(program, 'preload.cjs')}`,
})

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
const firstProcess = (pid: number) =>
  Number.parseInt(readProc(`/proc/${pid}/task/${pid}/children`), 10) || null

// Waits for killed processes, and kills processes by their user or their environment.
const endMs = 10_000

async function waitForExit(pid: number): Promise<void> {
  for (const until = Date.now() + endMs; isAlive(pid) && Date.now() < until; ) await sleep(5)
}

/** Without a namespace. Processes that left the process group still have the user, which only this cell uses. */
const isOfUser = (pid: string, uid: number) =>
  statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid

/** Without a user of its own: by an environment value that only this cell has. A process that removed it survives. */
const hasInEnvironment = (pid: string, value: string) =>
  readText(`/proc/${pid}/environ`)
    .split('\0')
    .some((pair) => pair.endsWith(`=${value}`))

async function killEach(isOwn: (pid: string) => boolean): Promise<void> {
  for (const until = Date.now() + endMs; Date.now() < until; await sleep(20)) {
    const own = pidsOf('/proc').filter((pid) => isAlive(pid) && isOwn(pid))
    if (own.length === 0) return
    for (const pid of own) killNow(Number(pid))
  }
}

/** Zombies hold no resources; their parent may not have reaped them yet. */
const isAlive = (pid: number | string) => !['Z', 'X', undefined].includes(statOf(pid)[0])
