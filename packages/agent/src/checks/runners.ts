import type { NetworkCheckType, Observation } from '@vedette/contracts'
import * as list from './index.ts'
import type { NetworkCheck, RunContext, Runner } from './runner.ts'

type Runners = Readonly<Record<NetworkCheckType, Runner>>
type RunnerPerType = { readonly [T in NetworkCheckType]: Runner<T> }

/** Every network type of the contract: the compiler names one that the list lacks. */
const runners = mapOf(list)

function mapOf(listed: Runners & RunnerPerType): Runners {
  return listed
}

/** What an agent offers besides code. */
export const networkCheckTypes = Object.values(runners).map(({ type }) => type)

/** Of these, what runs no code of users at all. */
export const uptimeCheckTypes = networkCheckTypes.filter((type) => !runners[type].hasScripts)

export function runnerOf(type: NetworkCheckType): Runner {
  return runners[type]
}

/** Null: not a network type. */
export function findRunner(type: string): Runner | null {
  return Object.values(runners).find((runner) => runner.type === type) ?? null
}

export function observe(check: NetworkCheck, runId: string, context: RunContext): Promise<Observation> {
  return runners[check.checkType].run({ runId, settings: check.request }, context)
}
