// Opens cells with the strongest isolation that this host offers, determined once with a real cell. The caller ends and removes
// its cell.

import { networkPolicy } from '@vedette/safeguards/address-policy'
import { errorMessage } from '@vedette/safeguards/errors'
import { MissingError } from '../runtimes/missing.ts'
import { buildCell } from './build-cell.ts'
import type { Cell, CellSettings, Isolation, OpenCell } from './cell.ts'
import { fallbackWay, type LaunchWay, namespacedWay } from './cell-launch.ts'
import { type CellStage, prepareCellStage } from './cell-stage.ts'
import { codeLimits } from './code-limits.ts'
import { isReachable } from './is-reachable.ts'
import {
  type LimitsSetting,
  noIsolation,
  type RelevantIsolation,
  refusalToRun,
  type SandboxSetting,
  unreachableMessage,
} from './requirement.ts'
import { missingSettings, readSurroundings } from './surroundings.ts'

export interface Cells {
  stage: CellStage
  /** Each call returns a launch with its own user. */
  launch: LaunchWay
  isolation: Isolation
}

let opening: Promise<Cells> | null = null

/** The isolation of code on this host. Rejects with a MissingError if there is none. */
export async function cellLevel(setting: SandboxSetting = 'auto'): Promise<Isolation> {
  return (await openCells(setting)).isolation
}

/** Refuses code if the isolation doesn't meet AGENT_SANDBOX, AGENT_LIMITS or the network rules. */
export function cellOpener(setting: SandboxSetting, limits: LimitsSetting = 'auto'): OpenCell {
  return async (settings, signal) => {
    const cells = await openCells(setting)
    return openBy(cells, setting, settings, signal, limits)
  }
}

export async function openBy(
  { stage, launch, isolation }: Omit<Cells, 'isolation'> & { isolation: RelevantIsolation },
  setting: SandboxSetting,
  settings: CellSettings,
  signal: AbortSignal,
  limits: LimitsSetting = 'auto',
): Promise<Cell> {
  signal.throwIfAborted()
  const refusal = refusalToRun(isolation, settings.network, setting, limits)
  if (refusal !== null) throw new MissingError(refusal)
  const unmounted = isolation.level === 'fallback' ? settings.mounts.filter(({ isCopied }) => !isCopied) : []
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

export function openCells(setting: SandboxSetting): Promise<Cells> {
  opening ??= findLaunch(setting).catch((error) => {
    // Retried the next time: bubblewrap may have been installed meanwhile, or the disk was full.
    opening = null
    throw error
  })
  return opening
}

async function findLaunch(setting: SandboxSetting): Promise<Cells> {
  const stage = await prepareCellStage()
  const ways = [namespacedWay(stage), ...(setting === 'fallback' ? [fallbackWay(stage)] : [])]
  const errors: string[] = []
  const settings = { mounts: [], limits: codeLimits, network: networkPolicy({ mode: 'public' }) }
  for (const launch of ways) {
    try {
      const probe = launch()
      const cell = await buildCell(stage, probe, settings, new AbortController().signal)
      await cell.end()
      await cell.remove()
      process.once('exit', stage.remove)
      const { level, layers } = probe
      const missing = level === 'strong' ? [] : missingSettings(readSurroundings(), errors)
      const limitsMissing = stage.groups.missing ?? undefined
      const limits = limitsMissing === undefined ? 'cgroup' : 'polling'
      return { stage, launch, isolation: { level, layers, missing, limits, limitsMissing } }
    } catch (error) {
      errors.push(errorMessage(error))
    }
  }
  stage.remove()
  throw new MissingError(noIsolation(errors.join('; '), missingSettings(readSurroundings(), errors)))
}
