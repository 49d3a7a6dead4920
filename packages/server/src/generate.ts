// Writes generated files: the OpenAPI document, schema.sql, the table types, .env.example.
// With --check it compares instead, and fails on a difference.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openapi, routes } from '@vedette/contracts'
import { environmentExample } from './config.ts'
import { createLog } from './core/log.ts'
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
      'docs/api/openapi.json': `${JSON.stringify(openapi(routes, { serverUrl: 'http://localhost:3000' }), null, 2)}\n`,
      'deploy/.env.example': environmentExample(),
    }
  } finally {
    await store.close()
    await embedded.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
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
