// The list of check types that are run over the network, without any code of the user's.
import type { Observation } from '@vedette/contracts'
import { runApi } from './api.ts'
import { runDns } from './dns.ts'
import { runIcmp } from './icmp.ts'
import type { NetworkCheck, RunContext, RunJob } from './runner.ts'
import { runTcp } from './tcp.ts'
import { runUrl } from './url.ts'

const runners = { API: runApi, URL: runUrl, TCP: runTcp, DNS: runDns, ICMP: runIcmp } satisfies Record<
  NetworkCheck['checkType'],
  unknown
>

/** Each type's runner takes that type's `request`: the map says so, the compiler can't follow it through a variable. */
export function observe(check: NetworkCheck, runId: string, context: RunContext): Promise<Observation> {
  const runner = runners[check.checkType] as (
    job: RunJob<unknown>,
    context: RunContext,
  ) => Promise<Observation>
  return runner({ runId, settings: check.request }, context)
}
