import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { checkZones } from './check-zones.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = 'packages/server/src'

/** A small tree that keeps every rule; each case below plants one more file in it. */
const house = {
  'packages/contracts/src/index.ts': "export * from './checks/index.ts'\n",
  'packages/contracts/src/checks/index.ts': "import { tcp } from './tcp.ts'\nexport const checks = { tcp }\n",
  'packages/contracts/src/checks/base.ts': "import { z } from 'zod'\nexport const base = z.object({})\n",
  'packages/contracts/src/checks/tcp.ts': "import { base } from './base.ts'\nexport const tcp = base\n",
  'packages/agent/src/net/dial.ts': "import { connect } from 'node:net'\nexport const dial = connect\n",
  [`${src}/config.ts`]: 'export const config = process.env\n',
  [`${src}/storage/checks.ts`]: "import { sql } from 'kysely'\nexport const all = sql`select 1`\n",
  [`${src}/alerting/decide.ts`]: "import { all } from '../storage/checks.ts'\nexport const decide = all\n",
  [`${src}/alerting/channels/transport/http.ts`]:
    "import { request } from 'node:https'\nexport const post = request\n",
  [`${src}/alerting/channels/slack.ts`]:
    "import { post } from './transport/http.ts'\nexport const slack = post\n",
  [`${src}/alerting/channels/index.ts`]:
    "import { slack } from './slack.ts'\nexport const channels = { slack }\n",
  [`${src}/ingest/record.ts`]:
    "import { decide } from '../alerting/decide.ts'\nexport const record = decide\n",
  [`${src}/schedule/plan.ts`]: "import { record } from '../ingest/record.ts'\nexport const plan = record\n",
  [`${src}/dispatch/settle.ts`]: "import { plan } from '../schedule/plan.ts'\nexport const settle = plan\n",
  [`${src}/analytics/report.ts`]: "import { all } from '../storage/checks.ts'\nexport const report = all\n",
  [`${src}/http/checks/a.ts`]:
    "import type { Mounted } from '../transport/mount.ts'\nexport const a: Mounted = 1\n",
  [`${src}/http/checks/b.ts`]: "import { tcp } from '@vedette/contracts'\nexport const b = tcp\n",
  [`${src}/http/routes.ts`]:
    "import { a } from './checks/a.ts'\nimport type { Mounted } from './transport/mount.ts'\nexport const all: Mounted[] = [a]\n",
  [`${src}/http/transport/mount.ts`]:
    "import type { Server } from 'node:http'\nexport type Mounted = Server\n",
  [`${src}/http/transport/app.ts`]:
    "import { createServer } from 'node:http'\nexport const app = createServer\n",
  [`${src}/pages/app.ts`]: "import { report } from '../analytics/report.ts'\nexport const pages = report\n",
  [`${src}/operate/keys.ts`]: "import { all } from '../storage/checks.ts'\nexport const keys = all\n",
  [`${src}/operate.ts`]: "import { keys } from './operate/keys.ts'\nkeys.toString()\n",
  [`${src}/testing/app.ts`]: "import { app } from '../http/transport/app.ts'\nexport const testApp = app\n",
  [`${src}/storage/checks.test.ts`]: "import { testApp } from '../testing/app.ts'\ntestApp(process.env)\n",
  [`${src}/main.ts`]:
    "import { settle } from './dispatch/settle.ts'\nimport { app } from './http/transport/app.ts'\napp(settle)\n",
}

const forbidden = [
  ['order', `${src}/storage/x.ts`, "import '../alerting/decide.ts'"],
  ['order', `${src}/alerting/x.ts`, "import '../ingest/record.ts'"],
  ['order', `${src}/ingest/x.ts`, "import '../dispatch/settle.ts'"],
  ['order', `${src}/schedule/x.ts`, "import '../dispatch/settle.ts'"],
  ['order', `${src}/schedule/x.ts`, "import type { settle } from '../dispatch/settle.ts'"],
  ['order', `${src}/schedule/x.ts`, "export type X = import('../dispatch/settle.ts').X"],
  ['order', `${src}/schedule/x.ts`, "await import('../dispatch/settle.ts')"],
  ['order', `${src}/schedule/x.test.ts`, "import '../dispatch/settle.ts'"],
  ['order', `${src}/schedule/x.ts`, "import '../analytics/report.ts'"],
  ['order', `${src}/analytics/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/checks/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/http/x.ts`, "import '../pages/app.ts'"],
  ['order', `${src}/http/x.ts`, "import '../main.ts'"],
  ['order', `${src}/pages/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/operate/x.ts`, "import '../http/transport/app.ts'"],
  ['order', `${src}/core/clock.ts`, "import '../storage/checks.ts'"],
  ['order', `${src}/ingest/x.ts`, "import '../testing/app.ts'"],
  ['order', 'packages/contracts/src/x.ts', "import '@vedette/server/main'"],
  ['order', 'packages/cli/src/x.ts', "import '@vedette/server/main'"],
  ['order', 'e2e/x.test.ts', "import '@vedette/server/operate'"],
  ['order', 'bench/x.bench.ts', "import '../packages/server/src/main.ts'"],
  ['path', 'bench/x.bench.ts', "import '../packages/contracts/src/index.ts'"],
  ['path', `${src}/http/x.ts`, "import '../../../contracts/src/index.ts'"],
  ['path', `${src}/http/x.ts`, "import '@vedette/contracts/src/route.ts'"],
  ['test', `${src}/http/x.ts`, "import '../storage/checks.test.ts'"],
  ['zone', `${src}/helpers/x.ts`, 'export const x = 1'],
  ['zone', 'packages/new/src/x.ts', 'export const x = 1'],
  ['missing', `${src}/http/x.ts`, "import './not-there.ts'"],
  ['dynamic', `${src}/http/x.ts`, 'export const load = (name: string) => import(name)'],
  ['parse', `${src}/http/x.ts`, 'export const = 1'],
  ['package', 'packages/contracts/src/x.ts', "import 'fastify'"],
  ['package', 'packages/cli/src/x.ts', "import 'fastify'"],
  ['builtin', 'packages/contracts/src/x.ts', "import { readFileSync } from 'node:fs'"],
  ['builtin', 'packages/contracts/src/x.ts', "import { readFileSync } from 'fs'"],
  ['database', `${src}/http/x.ts`, "import pg from 'pg'"],
  ['database', `${src}/ingest/x.ts`, "import type { Kysely } from 'kysely'"],
  ['database', `${src}/main.ts`, "import { from } from 'pg-copy-streams'"],
  ['database', 'packages/agent/src/x.ts', "import pg from 'pg'"],
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
  ['network', 'packages/agent/src/checks/tcp.ts', "import { connect } from 'node:tls'"],
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
  it('passes a tree that keeps the rules', () => {
    const { modules, problems } = checkZones(build(house))
    expect(problems).toEqual([])
    expect(modules).toBe(Object.keys(house).length)
  })

  it.each(forbidden)('reports [%s] in %s: %s', (rule, file, text) => {
    const { problems } = checkZones(build({ ...house, [file]: `${text}\n` }))
    expect(problems).toContainEqual(expect.objectContaining({ rule }))
    expect(problems.filter((problem) => problem.file !== file && problem.rule !== 'cycle')).toEqual([])
  })

  it('passes prose that only sounds like SQL', () => {
    const text = "export const x = ['Select a check from the list', 'Update the name', 'delete']\n"
    expect(checkZones(build({ ...house, [`${src}/http/x.ts`]: text })).problems).toEqual([])
  })
})

describe('the real tree', () => {
  it('is read, every package of it, and keeps the rules', () => {
    const { modules, imports, problems } = checkZones(root)
    expect(problems).toEqual([])
    expect(modules).toBeGreaterThanOrEqual(countSources())
    expect(imports).toBeGreaterThan(modules / 2)
  })
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

const made = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true })
})

function build(files) {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-zones-'))
  made.push(folder)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  return folder
}
