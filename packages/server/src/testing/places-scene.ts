// Sessions, locations with agents, and an alarm, for the screens of the app.
import { randomUUID } from 'node:crypto'
import { hourMs, minuteMs } from '@vedette/contracts'
import { sessionRunId } from '../dispatch/run-id.ts'
import { settleTestRuns } from '../dispatch/sessions.ts'
import { insertAgentKey } from '../storage/accounts/agent-keys.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { touchAgents } from '../storage/runs/agents.ts'
import type { TestApi } from './api.ts'
import { type SomeResult, wholeResult } from './results.ts'

export interface Places {
  checkSessionId: string
  testSessionId: string
  testResultId: string
}

type Post = (path: string, body: Record<string, unknown>) => Promise<Record<string, unknown>>

/** `failed`: what a run of the first check leaves. */
export async function addPlaces(
  api: TestApi,
  post: Post,
  {
    checkIds,
    failed,
    passed,
  }: { checkIds: string[]; failed: Partial<SomeResult>; passed: Partial<SomeResult> },
): Promise<Places> {
  const location = 'eu-central-1'
  const [first = ''] = checkIds
  const { body: triggered } = await api.alice.post('/v2/check-sessions/trigger', {
    target: { checkId: [first] },
  })
  const test = await post('/v1/test-sessions/trigger', {
    ...{ name: 'Before the release', runLocation: location, target: { checkId: checkIds } },
    metadata: {
      ...{ environment: 'staging', branchName: 'main', commitId: '9b1f5a3e6d0c', commitOwner: 'Mia' },
      ...{ commitMessage: 'Fix rounding of prices in the cart', repoUrl: 'https://github.com/acme/shop' },
    },
  })
  const testSessionId = String(test.testSessionId)
  const results = checkIds.map((checkId, index) => ({
    ...wholeResult({
      ...{ accountId: api.alice.accountId, checkId, checkType: 'URL', location, source: 'session' },
      ...{
        scheduledAt: Date.parse(String(test.startedAt)),
        runId: sessionRunId(testSessionId, checkId, location),
      },
      ranAt: { agentId: randomUUID(), agentName: 'fra-1', isBuiltIn: false },
      ...(index === 0 ? failed : passed),
    }),
    testSessionId,
  }))
  await inTransaction(api.store.pool, (client) => settleTestRuns(client, results, Date.now()))
  const { body: session } = await api.alice.get(`/v1/test-sessions/${testSessionId}`)
  const failing = session.results.find(({ hasFailures }: { hasFailures: boolean }) => hasFailures)
  await addLocations(api, post)
  return {
    checkSessionId: triggered.sessions[0].checkSessionId,
    testSessionId,
    testResultId: failing.testSessionResultId,
  }
}

async function addLocations(api: TestApi, post: Post): Promise<void> {
  const { pool, db } = api.store
  const now = Date.now()
  const office = await post('/v1/private-locations', {
    ...{ name: 'Office Bern', slugName: 'office-bern', proxyUrl: 'http://proxy.example.com:3128' },
  })
  await post('/v1/private-locations', { name: 'Warehouse', slugName: 'warehouse' })
  await post('/v1/checks/url', {
    ...{ name: 'Intranet', tags: ['office'], frequency: 5, locations: [], privateLocations: ['office-bern'] },
    request: { url: 'https://intranet.example.com' },
  })
  const facts = {
    checkTypes: ['API', 'URL', 'TCP', 'DNS', 'ICMP', 'BROWSER', 'PLAYWRIGHT', 'MULTI_STEP'],
    ...{ slots: { network: 500, code: 4 }, running: { network: 12, code: 1 }, network: 'private' },
    codeSandbox: { level: 'strong' },
  }
  const agent = (more: object) => ({
    ...{ id: randomUUID(), accountId: null, privateLocationId: null, agentKeyId: null, locations: [] },
    ...{ version: '0.2.0', state: 'running' as const, facts, startedAtMs: now - 30 * hourMs, name: null },
    ...more,
  })
  const ofOffice = { accountId: api.alice.accountId, privateLocationId: String(office.id) }
  const { id: agentKeyId } = await insertAgentKey(db, 'Frankfurt')
  // Seen far in the future: the pictures are taken minutes later.
  const seenAt = now + 30 * minuteMs
  await touchAgents(pool, [agent({ ...ofOffice, name: 'bern-1' })], seenAt)
  await touchAgents(pool, [agent({ ...ofOffice, name: 'bern-old', version: '0.0.9' })], now - 3 * hourMs)
  await touchAgents(pool, [agent({ name: 'fra-1', agentKeyId, locations: ['eu-central-1'] })], seenAt)
  await touchAgents(
    pool,
    [agent({ name: 'server', locations: ['eu-central-1', 'us-east-1', 'eu-west-1'] })],
    seenAt,
  )
  await pool.query(
    `insert into location_alarms (id, account_id, queue, kind, location, cause, check_ids, check_count, facts, opened_at, resolved_at)
     values ($1, $2, $3, 'no_agent', 'office-bern', 'no_agent', '{}', 1, '{"checks": ["Intranet"]}', $4, $5)`,
    [
      randomUUID(),
      api.alice.accountId,
      String(office.id),
      new Date(now - 5 * hourMs),
      new Date(now - 4 * hourMs),
    ],
  )
}
