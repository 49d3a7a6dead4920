// Writes generated files: the OpenAPI document, schema.sql, the table types, .env.example, the settings of
// the Helm chart, the tables of capacity, the client of the web app.
// With --check it compares instead, and fails on a difference.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as contracts from '@vedette/contracts'
import { environmentExample, settingNames } from './config.ts'
import { createLog } from './core/log.ts'
import { withCapacityTables } from './operate/capacity/capacity-tables.ts'
import { capacityFigures } from './operate/capacity/figures.generated.ts'
import { describeCommands } from './operate/run-command.ts'
import { openStore } from './storage/core/db.ts'
import { describeTables, dumpSchema } from './storage/core/introspect.ts'
import { migrate } from './storage/core/migrate.ts'
import { startEmbedded } from './storage/embedded/start.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

async function generate(): Promise<Record<string, string>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vedette-generate-'))
  const embedded = await startEmbedded({ dataDir, log: createLog('error') })
  const store = openStore(embedded.connection, { poolSize: 2 })
  try {
    await migrate(store.pool)
    return {
      'packages/server/schema.sql': await dumpSchema(store.pool),
      'packages/server/src/storage/core/tables.generated.ts': await describeTables(store.pool),
      'docs/api/openapi.json': `${JSON.stringify(contracts.openapi(contracts.routes, { serverUrl: 'http://localhost:3000' }), null, 2)}\n`,
      'packages/cli/src/table/operate-commands.generated.ts': commandTable(),
      'docs/scaling.md': withCapacityTables(readOrEmpty(join(root, 'docs/scaling.md')), capacityFigures),
      'deploy/.env.example': environmentExample(),
      'deploy/chart/settings/server.json': `${JSON.stringify(settingNames(), null, 2)}\n`,
      'packages/web/src/api/operations.generated.ts': contracts.describeOperations(routeTypes()),
    }
  } finally {
    await store.close()
    await embedded.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** For help and completion of the `vedette` command. */
function commandTable(): string {
  return [
    '// Generated from packages/server/src/operate; do not edit.',
    "import type { CommandDescription } from '../core/command-description.ts'",
    '',
    `export const operateCommands: Readonly<Record<string, CommandDescription>> = ${JSON.stringify(describeCommands(), null, 2)}`,
    '',
  ].join('\n')
}

/** How the type of each route is written. */
function routeTypes(): Map<contracts.AnyRoute, string> {
  const exported: Record<string, unknown> = { ...contracts }
  const ofTypes = Object.entries(contracts.checkRoutesOf)
  return new Map(
    contracts.routes.map((route) => {
      const name = Object.keys(exported).find((key) => exported[key] === route)
      if (name !== undefined) return [route, `typeof contracts.${name}`]
      const ofType = ofTypes.find(([, { create, update }]) => [create, update].some((one) => one === route))
      const verb = route.method === 'POST' ? 'create' : 'update'
      if (ofType !== undefined) return [route, `typeof contracts.checkRoutesOf.${ofType[0]}.${verb}`]
      return [route, 'ValueOf<typeof contracts.analyticsRouteOf>']
    }),
  )
}

const isCheck = process.argv.includes('--check')
const stale: string[] = []
for (const [file, text] of Object.entries(await generate())) {
  const path = join(root, file)
  if (isCheck) {
    if (readOrEmpty(path) !== text) stale.push(file)
  } else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}
if (stale.length > 0) {
  process.stderr.write(`Out of date: ${stale.join(', ')}. Run npm run generate.\n`)
  process.exitCode = 1
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
