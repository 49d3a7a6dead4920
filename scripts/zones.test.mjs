import { readdirSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkZones, readTree } from './check-zones.mjs'
import { zones } from './zones.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = 'packages/server/src'
const agent = 'packages/agent/src'

/** A small tree that follows every rule; each case below adds one more file. */
const tree = {
  'packages/contracts/src/index.ts': "export * from './checks/index.ts'\n",
  'packages/contracts/src/checks/index.ts': "import { tcp } from './tcp.ts'\nexport const checks = { tcp }\n",
  'packages/contracts/src/checks/base.ts': "import { z } from 'zod'\nexport const base = z.object({})\n",
  'packages/contracts/src/checks/tcp.ts': "import { base } from './base.ts'\nexport const tcp = base\n",
  [`${agent}/core/log.ts`]: 'export const log = 1\n',
  [`${agent}/scrub/scrub.ts`]: "import { log } from '../core/log.ts'\nexport const scrub = log\n",
  [`${agent}/net/dial.ts`]: "import { connect } from 'node:net'\nexport const dial = connect\n",
  [`${agent}/runtimes/runtimes.ts`]: "import { log } from '../core/log.ts'\nexport const runtimes = log\n",
  [`${agent}/connection/outbox.ts`]: "import { log } from '../core/log.ts'\nexport const outbox = log\n",
  [`${agent}/artifacts/upload.ts`]:
    "import { outbox } from '../connection/outbox.ts'\nexport const upload = outbox\n",
  [`${agent}/checks/runner.ts`]: "import { dial } from '../net/dial.ts'\nexport const runner = dial\n",
  [`${agent}/judge/verdict.ts`]:
    "import { runner } from '../checks/runner.ts'\nexport const verdict = runner\n",
  [`${agent}/sandbox/cell.ts`]:
    "import { dial } from '../net/dial.ts'\nimport { runtimes } from '../runtimes/runtimes.ts'\nexport const cell = [dial, runtimes]\n",
  [`${agent}/run/run.ts`]:
    "import { verdict } from '../judge/verdict.ts'\nimport { cell } from '../sandbox/cell.ts'\nexport const run = [cell, verdict]\n",
  [`${agent}/checks/runner.conformance.ts`]:
    "import { run } from '../run/run.ts'\nexport const conform = run\n",
  [`${agent}/checks/runner.test.ts`]:
    "import { conform } from './runner.conformance.ts'\nconform.toString()\n",
  [`${agent}/code/run-code.ts`]: "import { run } from '../run/run.ts'\nexport const code = run\n",
  [`${agent}/process/agent.ts`]: "import { code } from '../code/run-code.ts'\nexport const start = code\n",
  [`${agent}/main.ts`]: "import { start } from './process/agent.ts'\nstart.toString()\n",
  [`${src}/config.ts`]: 'export const config = process.env\n',
  [`${src}/storage/checks.ts`]: "import { sql } from 'kysely'\nexport const all = sql`select 1`\n",
  [`${src}/alerting/message/message.ts`]:
    "import { all } from '../../storage/checks.ts'\nexport const message = all\n",
  [`${src}/alerting/decision/decide.ts`]:
    "import { message } from '../message/message.ts'\nexport const decide = message\n",
  [`${src}/alerting/channels/transport/http.ts`]:
    "import { request } from 'node:https'\nexport const post = request\n",
  [`${src}/alerting/channels/slack.ts`]:
    "import { message } from '../message/message.ts'\nimport { post } from './transport/http.ts'\nexport const slack = [post, message]\n",
  [`${src}/alerting/channels/index.ts`]:
    "import { slack } from './slack.ts'\nexport const channels = { slack }\n",
  [`${src}/alerting/delivery/deliver.ts`]:
    "import { channels } from '../channels/index.ts'\nexport const deliver = channels\n",
  [`${src}/alerting/mails/mails.ts`]:
    "import { deliver } from '../delivery/deliver.ts'\nexport const mails = deliver\n",
  [`${src}/ingest/record.ts`]:
    "import { decide } from '../alerting/decision/decide.ts'\nexport const record = decide\n",
  [`${src}/schedule/plan.ts`]: "import { all } from '../storage/checks.ts'\nexport const plan = all\n",
  [`${src}/dispatch/settle.ts`]:
    "import { record } from '../ingest/record.ts'\nimport { plan } from '../schedule/plan.ts'\nexport const settle = [record, plan]\n",
  [`${src}/checks/change-checks.ts`]:
    "import { plan } from '../schedule/plan.ts'\nexport const change = plan\n",
  [`${src}/runs/trigger-checks.ts`]:
    "import { change } from '../checks/change-checks.ts'\nimport { settle } from '../dispatch/settle.ts'\nexport const trigger = [change, settle]\n",
  [`${src}/prometheus/metrics.ts`]: 'export const metrics = 1\n',
  [`${src}/prometheus/read-metrics.ts`]:
    "import { all } from '../storage/checks.ts'\nexport const read = all\n",
  [`${src}/housekeeping/retention.ts`]:
    "import { report } from '../analytics/report.ts'\nexport const retention = report\n",
  [`${src}/analytics/report.ts`]: "import { all } from '../storage/checks.ts'\nexport const report = all\n",
  [`${src}/http/checks/a.ts`]:
    "import type { Mounted } from '../transport/mount.ts'\nexport const a: Mounted = 1\n",
  [`${src}/http/checks/checks.ts`]:
    "import { change } from '../../checks/change-checks.ts'\nimport { trigger } from '../../runs/trigger-checks.ts'\nexport const c = [change, trigger]\n",
  [`${src}/http/checks/b.ts`]: "import { tcp } from '@vedette/contracts'\nexport const b = tcp\n",
  [`${src}/http/routes.ts`]:
    "import { a } from './checks/a.ts'\nimport type { Mounted } from './transport/mount.ts'\nexport const all: Mounted[] = [a]\n",
  [`${src}/http/transport/mount.ts`]:
    "import type { Server } from 'node:http'\nexport type Mounted = Server\n",
  [`${src}/http/transport/app.ts`]:
    "import { createServer } from 'node:http'\nexport const app = createServer\n",
  [`${src}/live/live-results.ts`]:
    "import { settle } from '../dispatch/settle.ts'\nexport const live = settle\n",
  [`${src}/pages/app.ts`]: "import { report } from '../analytics/report.ts'\nexport const pages = report\n",
  [`${src}/operate/keys.ts`]: "import { all } from '../storage/checks.ts'\nexport const keys = all\n",
  [`${src}/operate.ts`]: "import { keys } from './operate/keys.ts'\nkeys.toString()\n",
  [`${src}/testing/app.ts`]: "import { app } from '../http/transport/app.ts'\nexport const testApp = app\n",
  [`${src}/storage/checks.test.ts`]: "import { testApp } from '../testing/app.ts'\ntestApp(process.env)\n",
  [`${src}/main.ts`]:
    "import { settle } from './dispatch/settle.ts'\nimport { app } from './http/transport/app.ts'\napp(settle)\n",
}

const forbidden = [
  // contracts ← storage ← alerting ← ingest; storage ← schedule ← dispatch
  ['order', `${src}/storage/x.ts`, "import '../schedule/plan.ts'"],
  ['order', `${src}/storage/x.ts`, "import '../alerting/decision/decide.ts'"],
  ['order', `${src}/storage/x.ts`, "import '../prometheus/read-metrics.ts'"],
  ['order', `${src}/states/x.ts`, "import '../alerting/decision/decide.ts'"],
  ['order', `${src}/alerting/decision/x.ts`, "import '../../ingest/record.ts'"],
  ['order', `${src}/ingest/x.ts`, "import '../dispatch/settle.ts'"],
  ['order', `${src}/ingest/x.ts`, "import '../analytics/report.ts'"],
  ['order', `${src}/ingest/x.ts`, "import '../schedule/plan.ts'"],
  ['order', `${src}/overview/x.ts`, "import '../http/routes.ts'"],
  ['order', `${src}/schedule/x.ts`, "import '../dispatch/settle.ts'"],
  ['order', `${src}/schedule/x.ts`, "import '../ingest/record.ts'"],
  ['order', `${src}/schedule/x.ts`, "import '../alerting/decision/decide.ts'"],
  ['order', `${src}/schedule/x.ts`, "import type { settle } from '../dispatch/settle.ts'"],
  ['order', `${src}/schedule/x.ts`, "export type X = import('../dispatch/settle.ts').X"],
  ['order', `${src}/schedule/x.ts`, "await import('../dispatch/settle.ts')"],
  ['order', `${src}/schedule/x.test.ts`, "import '../dispatch/settle.ts'"],
  ['order', `${src}/schedule/x.fixture.ts`, "import '../dispatch/settle.ts'"],
  ['order', `${src}/schedule/x.ts`, "import '../analytics/report.ts'"],
  // message ← channels ← delivery ← mails; message ← decision
  ['order', `${src}/alerting/message/x.ts`, "import '../channels/transport/http.ts'"],
  ['order', `${src}/alerting/message/x.test.ts`, "import '../channels/transport/http.ts'"],
  ['order', `${src}/alerting/message/x.fixture.ts`, "import '../channels/transport/http.ts'"],
  ['order', `${src}/alerting/message/x.ts`, "import '../delivery/deliver.ts'"],
  ['order', `${src}/alerting/message/x.ts`, "import '../decision/decide.ts'"],
  ['order', `${src}/alerting/channels/x.ts`, "import '../delivery/deliver.ts'"],
  ['order', `${src}/alerting/channels/x.test.ts`, "import '../delivery/deliver.ts'"],
  ['order', `${src}/alerting/channels/x.ts`, "import '../mails/mails.ts'"],
  ['order', `${src}/alerting/channels/x.ts`, "import '../decision/decide.ts'"],
  ['order', `${src}/alerting/delivery/x.ts`, "import '../mails/mails.ts'"],
  ['order', `${src}/alerting/delivery/x.ts`, "import '../decision/decide.ts'"],
  ['order', `${src}/alerting/decision/x.ts`, "import '../channels/transport/http.ts'"],
  ['order', `${src}/alerting/decision/x.test.ts`, "import '../mails/mails.ts'"],
  ['order', `${src}/alerting/backtest/x.ts`, "import '../delivery/deliver.ts'"],
  ['order', `${src}/alerting/mails/x.ts`, "import '../../ingest/record.ts'"],
  ['order', `${src}/blobs/x.ts`, "import '../ingest/record.ts'"],
  ['order', 'packages/safeguards/src/x.ts', "import '@vedette/server/main'"],
  // Use cases below HTTP
  ['order', `${src}/storage/x.ts`, "import '../checks/change-checks.ts'"],
  ['order', `${src}/schedule/x.ts`, "import '../checks/change-checks.ts'"],
  ['order', `${src}/dispatch/x.ts`, "import '../checks/change-checks.ts'"],
  ['order', `${src}/dispatch/x.ts`, "import '../runs/trigger-checks.ts'"],
  ['order', `${src}/accounts/oidc/x.ts`, "import '../../http/routes.ts'"],
  ['order', `${src}/accounts/x.ts`, "import '../checks/change-checks.ts'"],
  ['order', `${src}/accounts/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/alerts/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/alerts/x.ts`, "import '../alerting/delivery/deliver.ts'"],
  ['order', `${src}/projects/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/projects/x.ts`, "import '../dispatch/settle.ts'"],
  ['order', `${src}/pages/use-cases/x.ts`, "import '../app.ts'"],
  ['order', `${src}/pages/use-cases/x.ts`, "import '../../http/transport/app.ts'"],
  ['order', `${src}/checks/x.ts`, "import '../dispatch/settle.ts'"],
  ['order', `${src}/checks/x.ts`, "import '../runs/trigger-checks.ts'"],
  ['order', `${src}/checks/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/runs/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/http/x.ts`, "import '../schedule/plan.ts'"],
  ['order', `${src}/http/x.ts`, "import '../pages/app.ts'"],
  ['order', `${src}/http/x.ts`, "import '../main.ts'"],
  // The read side
  ['order', `${src}/analytics/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/analytics/x.ts`, "import '../housekeeping/retention.ts'"],
  ['order', `${src}/prometheus/x.ts`, "import '../analytics/report.ts'"],
  ['order', `${src}/housekeeping/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/rca/x.ts`, "import '../analytics/report.ts'"],
  ['order', `${src}/pages/images/x.ts`, "import '../app.ts'"],
  ['order', `${src}/pages/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/live/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/dispatch/x.ts`, "import '../live/live-results.ts'"],
  ['order', `${src}/pages/x.ts`, "import '../ingest/record.ts'"],
  ['order', `${src}/operate/x.ts`, "import '../http/transport/app.ts'"],
  // net ← checks ← judge ← run; sandbox ← run ← code ← process
  ['order', `${agent}/net/x.ts`, "import '../checks/runner.ts'"],
  ['order', `${agent}/net/x.test.ts`, "import '../checks/runner.ts'"],
  ['order', `${agent}/net/x.fixture.ts`, "import '../checks/runner.ts'"],
  ['order', `${agent}/checks/x.ts`, "import '../judge/verdict.ts'"],
  ['order', `${agent}/checks/x.ts`, "import '../run/run.ts'"],
  ['order', `${agent}/checks/x.test.ts`, "import '../run/run.ts'"],
  ['order', `${agent}/checks/x.ts`, "import '../sandbox/cell.ts'"],
  ['order', `${agent}/judge/x.ts`, "import '../run/run.ts'"],
  ['order', `${agent}/judge/x.ts`, "import '../sandbox/cell.ts'"],
  ['order', `${agent}/sandbox/x.ts`, "import '../checks/runner.ts'"],
  ['order', `${agent}/sandbox/x.ts`, "import '../run/run.ts'"],
  ['order', `${agent}/sandbox/x.ts`, "import '../code/run-code.ts'"],
  ['order', `${agent}/sandbox/x.test.ts`, "import '../code/run-code.ts'"],
  ['order', `${agent}/run/x.ts`, "import '../code/run-code.ts'"],
  ['order', `${agent}/code/x.ts`, "import '../process/agent.ts'"],
  ['order', `${agent}/process/x.ts`, "import '../main.ts'"],
  ['order', `${agent}/core/x.ts`, "import '../net/dial.ts'"],
  ['order', `${agent}/scrub/x.test.ts`, "import '../judge/verdict.ts'"],
  ['order', `${agent}/runtimes/x.ts`, "import '../sandbox/cell.ts'"],
  ['order', `${agent}/connection/x.ts`, "import '../run/run.ts'"],
  ['order', `${agent}/artifacts/x.test.ts`, "import '../code/run-code.ts'"],
  ['order', `${src}/core/clock.ts`, "import '../storage/checks.ts'"],
  ['order', `${src}/ingest/x.ts`, "import '../testing/app.ts'"],
  ['order', 'packages/contracts/src/x.ts', "import '@vedette/server/main'"],
  ['order', 'packages/cli/src/x.ts', "import '@vedette/server/main'"],
  ['order', 'packages/web/src/x.ts', "import type { Server } from '@vedette/server/main'"],
  ['order', 'packages/web/src/forms/schemas/x.ts', "import type { Server } from '@vedette/server/main'"],
  ['types', 'packages/web/src/x.ts', "import { routes } from '@vedette/contracts'"],
  ['order', 'packages/contracts/src/results/script-errors.ts', "import '../index.ts'"],
  ['order', 'packages/as-code/src/x.ts', "import '@vedette/server/main'"],
  ['types', 'packages/as-code/src/x.ts', "import { routes } from '@vedette/contracts'"],
  ['order', 'e2e/x.test.ts', "import '@vedette/server/operate'"],
  ['order', `${agent}/main-simulated.ts`, "import '@vedette/server/main'"],
  ['order', 'bench/x.bench.ts', "import '../packages/server/src/main.ts'"],
  ['types', 'bench/x.bench.ts', "import '@vedette/server/operate'"],
  ['path', 'bench/x.bench.ts', "import '../packages/contracts/src/index.ts'"],
  ['path', `${src}/http/x.ts`, "import '../../../contracts/src/index.ts'"],
  ['path', `${src}/http/x.ts`, "import '@vedette/contracts/src/route.ts'"],
  ['test', `${src}/http/x.ts`, "import '../storage/checks.test.ts'"],
  ['zone', `${src}/helpers/x.ts`, 'export const x = 1'],
  ['zone', `${src}/alerting/x.ts`, 'export const x = 1'],
  ['zone', `${agent}/helpers/x.ts`, 'export const x = 1'],
  ['zone', 'packages/new/src/x.ts', 'export const x = 1'],
  ['missing', `${src}/http/x.ts`, "import './not-there.ts'"],
  ['dynamic', `${src}/http/x.ts`, 'export const load = (name: string) => import(name)'],
  ['parse', `${src}/http/x.ts`, 'export const = 1'],
  ['package', 'packages/contracts/src/x.ts', "import 'fastify'"],
  ['package', 'packages/contracts/src/core/objects.ts', "import { z } from 'zod'"],
  ['package', 'packages/cli/src/x.ts', "import 'fastify'"],
  ['package', 'packages/web/src/x.ts', "import { z } from 'zod'"],
  ['package', 'packages/web/src/forms/schemas/x.ts', "import { z } from 'zod'"],
  ['builtin', 'packages/contracts/src/x.ts', "import { readFileSync } from 'node:fs'"],
  ['builtin', 'packages/contracts/src/x.ts', "import { readFileSync } from 'fs'"],
  ['database', `${src}/http/x.ts`, "import pg from 'pg'"],
  ['database', `${src}/ingest/x.ts`, "import type { Kysely } from 'kysely'"],
  ['database', `${src}/main.ts`, "import { from } from 'pg-copy-streams'"],
  ['database', `${agent}/x.ts`, "import pg from 'pg'"],
  ['database', `${src}/http/x.ts`, "export const x = 'select id from checks where id = $1'"],
  ['database', `${src}/http/x.ts`, 'export const x = `UPDATE checks SET name = null`'],
  ['database', `${src}/http/x.ts`, "export const x = (db) => db.selectFrom('checks')"],
  ['environment', `${src}/http/x.ts`, 'export const x = process.env.PORT'],
  ['environment', `${src}/http/config.ts`, "export const x = process['env']"],
  ['environment', `${src}/http/x.ts`, 'export const { env } = process'],
  ['environment', `${src}/http/x.ts`, "import { env } from 'node:process'\nexport const x = env.PORT"],
  ['environment', 'packages/cli/src/x.ts', 'export const x = globalThis.process.env'],
  ['network', `${src}/alerting/channels/x.ts`, "import { request } from 'node:https'"],
  ['network', `${src}/http/x.ts`, "import http from 'http'"],
  ['network', `${src}/http/x.ts`, "import * as net from 'node:net'"],
  ['network', `${agent}/checks/tcp.ts`, "import { connect } from 'node:tls'"],
  ['network', `${src}/rca/x.ts`, "export const x = await fetch('https://example.com')"],
  ['network', `${src}/rca/x.ts`, "export const x = globalThis.fetch('https://example.com')"],
  ['sibling', `${src}/http/checks/x.ts`, "import './a.ts'"],
  ['sibling', `${src}/http/runs/x.ts`, "import '../checks/a.ts'"],
  ['sibling', `${src}/alerting/channels/x.ts`, "import './slack.ts'"],
  ['sibling', 'packages/contracts/src/checks/x.ts', "import './tcp.ts'"],
  ['sibling', 'packages/contracts/src/checks/base.ts', "import './tcp.ts'"],
  ['cycle', 'packages/contracts/src/checks/tcp.ts', "import './index.ts'"],
  ['cycle', `${src}/schedule/settle-again.ts`, "import './settle-again.ts'"],
  ['cycle', 'packages/contracts/src/checks/tcp.ts', "import type { X } from '../index.ts'"],
  ['barrel', `${src}/storage/index.ts`, "export * from './checks.ts'"],
  ['barrel', `${src}/storage/x.ts`, "export { all } from './checks.ts'"],
  ['barrel', `${src}/storage/x.ts`, "import { all } from './checks.ts'\nexport { all }"],
]

describe('the zone checker', () => {
  it('accepts a tree that follows the rules', () => {
    const { modules, problems } = checkZones(tree)
    expect(problems).toEqual([])
    expect(modules).toBe(Object.keys(tree).length)
  })

  it.each(forbidden)('reports [%s] in %s: %s', (rule, file, text) => {
    const { problems } = checkZones({ ...tree, [file]: `${text}\n` })
    expect(problems).toContainEqual(expect.objectContaining({ rule }))
    expect(problems.filter((problem) => problem.file !== file && problem.rule !== 'cycle')).toEqual([])
  })

  it('accepts prose that resembles SQL', () => {
    const text = "export const x = ['Select a check from the list', 'Update the name', 'delete']\n"
    expect(checkZones({ ...tree, [`${src}/http/x.ts`]: text }).problems).toEqual([])
  })
})

it('every zone has a forbidden import above', () => {
  const sources = forbidden.filter(([rule]) => rule === 'order').map(([, file]) => file)
  const untested = zones.filter(({ zone, files, imports }) => {
    // Zones that may import everything, or that can import nothing, can't break the order.
    const isFree = ['testing', 'main', 'agent/main', 'cli bin', 'scripts', 'root']
    if (isFree.includes(zone) || imports.length === 0) return false
    return !sources.some((file) => files.some((pattern) => matchesGlob(file, pattern)))
  })
  expect(untested.map(({ zone }) => zone)).toEqual([])
})

describe('the real tree', () => {
  // Parses every module: two seconds on an idle machine, half a minute on a busy one.
  it('is read completely, and follows the rules', () => {
    const { modules, imports, problems } = checkZones(readTree(root))
    expect(problems).toEqual([])
    expect(modules).toBeGreaterThanOrEqual(countSources())
    expect(imports).toBeGreaterThan(modules / 2)
  }, 120_000)
})

function countSources() {
  const counts = ['contracts', 'server', 'cli'].map(
    (name) =>
      readdirSync(join(root, 'packages', name, 'src'), { recursive: true }).filter((file) =>
        file.endsWith('.ts'),
      ).length,
  )
  expect(Math.min(...counts)).toBeGreaterThan(0)
  return counts.reduce((sum, count) => sum + count)
}
