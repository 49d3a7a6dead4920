// Opens cells by the strongest way that this host offers, found once with a real cell. Whoever opened a cell ends and
// removes it.

import { networkPolicy } from '@vedette/safeguards/address-policy'
import { errorMessage } from '@vedette/safeguards/errors'
import { MissingError } from '../runtimes/missing.ts'
import { buildCell } from './build-cell.ts'
import type { Cell, CellSettings, OpenCell } from './cell.ts'
import { type CellLaunch, cellLaunches } from './cell-launch.ts'
import { type CellStage, prepareCellStage } from './cell-stage.ts'
import { codeLimits } from './code-limits.ts'
import { isReachable } from './is-reachable.ts'
import { refusalToRun, type SandboxSetting, unreachableMessage } from './requirement.ts'

interface Cells {
  stage: CellStage
  /** Each call is a launch of its own: with a user of its own. */
  launch: () => CellLaunch
  level: CellLaunch['level']
  layers: readonly string[]
}

let opening: Promise<Cells> | null = null

/** How well code is held on this host. */
export async function cellLevel(): Promise<Pick<Cells, 'level' | 'layers'>> {
  const { level, layers } = await openCells()
  return { level, layers }
}

/** As the operator wants it: code is refused where the walls are not what the setting or the network's rules ask for. */
export function cellOpener(setting: SandboxSetting): OpenCell {
  return async (settings, signal) => {
    const cells = await openCells()
    return openBy(cells, setting, settings, signal)
  }
}

export async function openBy(
  { stage, launch, level }: Pick<Cells, 'stage' | 'launch' | 'level'>,
  setting: SandboxSetting,
  settings: CellSettings,
  signal: AbortSignal,
): Promise<Cell> {
  signal.throwIfAborted()
  const refusal = refusalToRun({ isStrong: level === 'strong', network: settings.network, setting })
  if (refusal !== null) throw new MissingError(refusal)
  const found = level === 'strong' ? [] : settings.mounts.filter(({ isCopied }) => !isCopied)
  const closed = found.find(({ from }) => !isReachable(from))
  if (closed) throw new MissingError(unreachableMessage(closed.from))
  return buildCell(stage, launch(), settings, signal)
}

export async function closeCells(): Promise<void> {
  const cells = await opening?.catch(() => null)
  opening = null
  if (!cells) return
  process.off('exit', cells.stage.remove)
  cells.stage.remove()
}

function openCells(): Promise<Cells> {
  opening ??= findWay().catch((error) => {
    // Perhaps there is room on the disk, or a process to be had, the next time.
    opening = null
    throw error
  })
  return opening
}

async function findWay(): Promise<Cells> {
  const stage = await prepareCellStage()
  const complaints: string[] = []
  const settings = { mounts: [], limits: codeLimits, network: networkPolicy({ mode: 'public' }) }
  for (const launch of cellLaunches(stage)) {
    const probe = launch()
    try {
      const cell = await buildCell(stage, probe, settings, new AbortController().signal)
      await cell.end()
      await cell.remove()
      process.once('exit', stage.remove)
      return { stage, launch, level: probe.level, layers: probe.layers }
    } catch (error) {
      complaints.push(errorMessage(error))
    }
  }
  stage.remove()
  throw new Error(`Code can't run on this machine: ${complaints.join('; ')}`)
}
