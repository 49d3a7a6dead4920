import type { NetworkCheckType, Observation } from '@vedette/contracts'
import { roundMs } from '../net/timings.ts'
import * as list from './index.ts'
import type { NetworkCheck, RunContext, Runner } from './runner.ts'

type Runners = Readonly<Record<NetworkCheckType, Runner>>
type RunnerPerType = { readonly [T in NetworkCheckType]: Runner<T> }

const runners = toMap(list)

/** The compiler reports a network type of the contract that the list lacks. */
function toMap(listed: Runners & RunnerPerType): Runners {
  return listed
}

/** The types that an agent offers besides code checks. */
export const networkCheckTypes = Object.values(runners).map(({ type }) => type)

/** Those that run no user code. */
export const uptimeCheckTypes = networkCheckTypes.filter((type) => !runners[type].hasScripts)

export function runnerOf(type: NetworkCheckType): Runner {
  return runners[type]
}

const byType = new Map<string, Runner>(Object.entries(runners))

/** Null: not a network type. */
export function findRunner(type: string): Runner | null {
  return byType.get(type) ?? null
}

export async function observe(check: NetworkCheck, context: RunContext): Promise<Observation> {
  const { clock } = context
  const startedAt = clock.now()
  const start = clock.monotonic()
  const observed = await runners[check.checkType].run(check.request, context)
  return { startedAt, durationMs: roundMs(clock.monotonic() - start), ...observed }
}
