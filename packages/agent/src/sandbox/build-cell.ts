// One cell, by one way of starting it: its folder, its door to the network, its processes, its limits, its end.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Cell, CellSettings } from './cell.ts'
import { type CellLaunch, systemPath } from './cell-launch.ts'
import { CellProcess } from './cell-process.ts'
import { relayPort } from './cell-programs/relay.ts'
import type { CellFolder, CellStage } from './cell-stage.ts'
import { type EgressDoor, openEgressDoor } from './egress-door.ts'
import { endAllOf, endAllWith, gone } from './end-processes.ts'
import { watchCell } from './watch-cell.ts'

const startMs = 20_000

/** Rejects with what the way of starting it complained of. */
export async function buildCell(
  stage: CellStage,
  launch: CellLaunch,
  settings: CellSettings,
  signal: AbortSignal,
): Promise<Cell> {
  const folder = stage.makeCellFolder(launch.uid)
  let door: EgressDoor | null = null
  try {
    const { network, lookup, limits } = settings
    if (launch.level === 'strong')
      door = await openEgressDoor(folder.run, { network, ...(lookup && { lookup }) }, limits)
    const cellProcess = await startCell(launch, folder, settings, signal)
    return await finishCell({ stage, launch, settings, folder, door, cellProcess }).catch((error) => {
      cellProcess.kill('cell')
      throw error
    })
  } catch (error) {
    door?.close()
    await folder.remove()
    throw error
  }
}

async function startCell(
  launch: CellLaunch,
  folder: CellFolder,
  settings: CellSettings,
  signal: AbortSignal,
) {
  const cellProcess = new CellProcess(launch.start(folder, settings))
  const stop = () => cellProcess.kill('cell')
  const timer = setTimeout(stop, startMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const isReady = await cellProcess.ready
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (!isReady) throw new Error(cellProcess.complaint.split('\n')[0] || 'a cell did not start')
  return cellProcess
}

interface Parts {
  stage: CellStage
  launch: CellLaunch
  settings: CellSettings
  folder: CellFolder
  door: EgressDoor | null
  cellProcess: CellProcess
}

async function finishCell({ stage, launch, settings, folder, door, cellProcess }: Parts): Promise<Cell> {
  const inside = launch.inside(folder)
  const isStrong = launch.level === 'strong'
  const { pid = 0 } = cellProcess
  const first = isStrong ? await firstProcess(pid) : null
  const watch = await watchCell({
    pid,
    list: first === null ? null : `/proc/${first}/root${stage.root}/proc`,
    work: isStrong ? folder.work : folder.whole,
    limits: settings.limits,
    end: (reason) => cellProcess.kill(reason),
  })
  return {
    folder: folder.work,
    work: inside.work,
    level: launch.level,
    environment: environmentOf(launch, inside),
    handOver: () => handOver(folder.work, launch.uid),
    start: (given) => cellProcess.start(given),
    connectionFailures: () => door?.failures ?? [],
    async end() {
      watch.stop()
      cellProcess.kill('killed')
      door?.close()
      await gone(first ?? pid)
      if (isStrong) return
      if (launch.uid !== null) await endAllOf(launch.uid)
      // Every program was told to put its temporary files there.
      else await endAllWith(inside.temporary)
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
    VEDETTE_EGRESS: run,
    NODE_OPTIONS: `--require ${join(program, 'preload.cjs')}`,
    ALL_PROXY: `socks5h://127.0.0.1:${relayPort}`,
  }
}

const execute = promisify(execFile)

async function handOver(folder: string, uid: number | null): Promise<void> {
  if (uid !== null) await execute('chown', ['-R', '-h', '-P', `${uid}:${uid}`, folder])
}

/** The first process of the namespace: when it is gone for good, so is everything in there. */
async function firstProcess(pid: number): Promise<number | null> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return Number(children.trim().split(' ')[0]) || null
}
