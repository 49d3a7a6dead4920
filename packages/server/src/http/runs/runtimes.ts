import { getRuntime, listRuntimes, runtimes, specifiersOf } from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { listRuntimeProblems } from '../../storage/runs/agents.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function runtimeRoutes({ store, clock }: Deps): Mounted[] {
  const list = async () => {
    const reported = Map.groupBy(await listRuntimeProblems(store.pool, clock.now()), ({ runtime }) => runtime)
    return runtimes.map((runtime) => {
      const problems = reported.get(runtime.name)?.map(({ agentName, message }) => ({ agentName, message }))
      return { ...runtime, ...(problems && { problems }) }
    })
  }
  return [
    handle(listRuntimes, async ({ caller, request }) => {
      const listed = caller === null ? runtimes : await list()
      if (request.headers['x-checkly-source'] !== 'CLI') return listed
      return listed.map((runtime) => ({ ...runtime, dependencies: specifiersOf(runtime) }))
    }),
    handle(getRuntime, async ({ params }) =>
      orNotFound((await list()).find(({ name }) => name === params.id)),
    ),
  ]
}
