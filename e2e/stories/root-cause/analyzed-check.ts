// A check that passed, then failed: what its owner is told when they ask why.
import {
  analyzeErrorGroup,
  getRootCauseAnalysis,
  type LocationId,
  listCheckResults,
  listErrorGroupsOfCheck,
  type ResponseOf,
} from '@vedette/contracts'
import { expect } from 'vitest'
import type { Account } from '../../account.ts'
import { onDemandOnly } from '../../scene.ts'
import { until } from '../../until.ts'

export type Analysed = Extract<ResponseOf<typeof getRootCauseAnalysis>, { status: 'COMPLETED' }>
type ErrorGroup = ResponseOf<typeof listErrorGroupsOfCheck>[number]

/** What the checks of these stories have alike; times are far from what a run takes, even on a busy machine. */
export function planted(name: string, ...locations: LocationId[]) {
  return {
    ...{ name, ...onDemandOnly, locations, doubleCheck: false },
    ...{ degradedResponseTime: 5_000, maxResponseTime: 5_000 },
  }
}

export async function passes(account: Account, checkId: string, times = 3): Promise<void> {
  for (let number = 0; number < times; number++) {
    const { results } = await account.session(checkId)
    expect(results.map(({ hasFailures, hasErrors }) => hasFailures || hasErrors)).not.toContain(true)
  }
}

export async function fails(account: Account, checkId: string): Promise<void> {
  expect(await account.run(checkId)).toMatchObject({ hasFailures: true })
}

/** Of a check whose failures are all alike. */
export async function groupOf(account: Account, checkId: string): Promise<ErrorGroup> {
  const groups = await account.call(listErrorGroupsOfCheck, { params: { checkId } })
  expect(groups).toHaveLength(1)
  return groups[0] as ErrorGroup
}

/** Asks why a check fails, and waits for the answer, which must be founded. */
export async function analysed(account: Account, checkId: string, userContext?: string): Promise<Analysed> {
  const { id: errorGroupId } = await groupOf(account, checkId)
  const body = userContext === undefined ? {} : { userContext }
  const asked = await account.call(analyzeErrorGroup, { params: { errorGroupId }, body })
  expect(asked).toEqual({ id: expect.any(String), status: 'PENDING' })
  const answer = await until('the analysis', async () => {
    const response = await account.fetch(`/v1/root-cause-analyses/${asked.id}`)
    const read = getRootCauseAnalysis.response?.parse(await response.json())
    expect([response.status, read?.status]).toEqual(
      response.status === 202 ? [202, 'PENDING'] : [200, 'COMPLETED'],
    )
    return read?.status === 'COMPLETED' && read
  })
  expect(answer).toMatchObject({ id: asked.id, checkId, errorGroupId })
  await expectFounded(account, answer)
  return answer
}

/** Each statement names evidence, evidence names artifacts of results that are there, and links lead to the product. */
async function expectFounded(account: Account, { checkId, analysis }: Analysed): Promise<void> {
  const evidence = analysis.evidence ?? []
  const [findings = ''] = analysis.rootCause.split('\n\n')
  const isKnown = analysis.classification !== 'UNKNOWN_ERROR'
  const sentences = isKnown
    ? findings
    : findings.replace(/^The cause is unknown\. | The following is missing.*$/g, '')
  for (const said of [...statementsOf(sentences), ...statementsOf(analysis.userImpact)]) {
    const numbers = /\[(\d+(?:, \d+)*)\]$/.exec(said)?.[1]?.split(', ').map(Number) ?? []
    expect(numbers, said).not.toEqual([])
    expect(Math.max(...numbers), said).toBeLessThanOrEqual(evidence.length)
  }
  const stored = await resultIdsOf(account, checkId as string)
  for (const { artifacts, description } of evidence) {
    expect(artifacts, description).not.toEqual([])
    const named = [...description.matchAll(/^Result (\S+)/g)].map(([, id]) => id)
    expect(stored).toEqual(expect.arrayContaining(named))
  }
  const links = (analysis.referenceLinks ?? []).map(({ url }) => new URL(url))
  expect(links).not.toEqual([])
  for (const { port, pathname } of links) {
    expect(port).toBe(new URL(account.baseUrl).port)
    const page = await fetch(account.baseUrl + pathname)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  }
}

/** A statement ends with the numbers of its evidence. */
function statementsOf(text: string): string[] {
  return text.split(/(?<=\[\d+(?:, \d+)*\]) /).filter((said) => said !== '')
}

async function resultIdsOf(account: Account, checkId: string): Promise<string[]> {
  const results = await account.call(listCheckResults, { params: { checkId }, query: { limit: 100 } })
  return results.map(({ id }) => id)
}
