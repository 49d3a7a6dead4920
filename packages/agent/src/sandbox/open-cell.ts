// Opens cells with the strongest isolation that this host offers, determined once with a real cell. The caller ends and removes
// its cell.

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
  /** Each call returns a launch with its own user. */
  launch: () => CellLaunch
  level: CellLaunch['level']
  layers: readonly string[]
}

let opening: Promise<Cells> | null = null

/** The isolation of code on this host. */
export async function cellLevel(): Promise<Pick<Cells, 'level' | 'layers'>> {
  const { level, layers } = await openCells()
  return { level, layers }
}

/** Refuses code if the isolation doesn't meet AGENT_SANDBOX or the network rules. */
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
  const unmounted = level === 'strong' ? [] : settings.mounts.filter(({ isCopied }) => !isCopied)
  const unreachable = unmounted.find(({ from }) => !isReachable(from))
  if (unreachable) throw new MissingError(unreachableMessage(unreachable.from))
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
  opening ??= findLaunch().catch((error) => {
    // Retried the next time: the disk may have been full, or the process limit reached.
    opening = null
    throw error
  })
  return opening
}

async function findLaunch(): Promise<Cells> {
  const stage = await prepareCellStage()
  const errors: string[] = []
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
      errors.push(errorMessage(error))
    }
  }
  stage.remove()
  throw new Error(`Code can't run on this machine: ${errors.join('; ')}`)
}
