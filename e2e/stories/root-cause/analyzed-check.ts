// A check that passed, then failed, and the analysis of the failure.
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

export type FailureAnalysis = Extract<ResponseOf<typeof getRootCauseAnalysis>, { status: 'COMPLETED' }>
type ErrorGroup = ResponseOf<typeof listErrorGroupsOfCheck>[number]

/** The shared settings of these checks; the times are far above those of a run, even on a busy machine. */
export function planted(name: string, ...locations: LocationId[]) {
  return {
    name,
    ...onDemandOnly,
    locations,
    doubleCheck: false,
    degradedResponseTime: 5_000,
    maxResponseTime: 5_000,
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

/** Of a check whose failures are all the same. */
export async function groupOf(account: Account, checkId: string): Promise<ErrorGroup> {
  const groups = await account.call(listErrorGroupsOfCheck, { params: { checkId } })
  expect(groups).toHaveLength(1)
  return groups[0] as ErrorGroup
}

/** Requests an analysis of a check, and waits for the result, which must have evidence. */
export async function requestAnalysis(
  account: Account,
  checkId: string,
  userContext?: string,
): Promise<FailureAnalysis> {
  const { id: errorGroupId } = await groupOf(account, checkId)
  const body = userContext === undefined ? {} : { userContext }
  const requested = await account.call(analyzeErrorGroup, { params: { errorGroupId }, body })
  expect(requested).toEqual({ id: expect.any(String), status: 'PENDING' })
  const analysis = await until('the analysis', async () => {
    const response = await account.fetch(`/v1/root-cause-analyses/${requested.id}`)
    const read = getRootCauseAnalysis.response?.parse(await response.json())
    expect([response.status, read?.status]).toEqual(
      response.status === 202 ? [202, 'PENDING'] : [200, 'COMPLETED'],
    )
    return read?.status === 'COMPLETED' && read
  })
  expect(analysis).toMatchObject({ id: requested.id, checkId, errorGroupId })
  await expectFounded(account, analysis)
  return analysis
}

/** Each statement has evidence, evidence names existing artifacts of results, and links point to the product. */
async function expectFounded(account: Account, { checkId, analysis }: FailureAnalysis): Promise<void> {
  const evidence = analysis.evidence ?? []
  const [findings = ''] = analysis.rootCause.split('\n\n')
  const isKnown = analysis.classification !== 'UNKNOWN_ERROR'
  const sentences = isKnown
    ? findings
    : findings.replace(/^The cause is unknown\. | The following is missing.*$/g, '')
  for (const statement of [...statementsOf(sentences), ...statementsOf(analysis.userImpact)]) {
    const numbers = /\[(\d+(?:, \d+)*)\]$/.exec(statement)?.[1]?.split(', ').map(Number) ?? []
    expect(numbers, statement).not.toEqual([])
    expect(Math.max(...numbers), statement).toBeLessThanOrEqual(evidence.length)
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
  return text.split(/(?<=\[\d+(?:, \d+)*\]) /).filter((statement) => statement !== '')
}

async function resultIdsOf(account: Account, checkId: string): Promise<string[]> {
  const results = await account.call(listCheckResults, { params: { checkId }, query: { limit: 100 } })
  return results.map(({ id }) => id)
}
