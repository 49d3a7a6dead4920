// restore FILE: loads a backup into an empty installation. The whole file is verified first; then either all rows are restored
// or nothing changes.
import { rmSync } from 'node:fs'
import type { Config } from '../config.ts'
import { countAccounts } from '../storage/accounts/installation.ts'
import { listForeignTables } from '../storage/backup/own-tables.ts'
import { replaceData, type TableWriter } from '../storage/backup/replace-data.ts'
import { compareSchema, readSchemaState } from '../storage/backup/schema-state.ts'
import type { Store } from '../storage/core/db.ts'
import { migrate } from '../storage/core/migrate.ts'
import {
  promoteSecretKey,
  readSecretKeyFile,
  secretKeyPath,
  stageSecretKey,
} from '../storage/core/secret-key.ts'
import { openVault } from '../storage/core/vault.ts'
import { hasArtifacts, promoteArtifacts, stageArtifact, stagingDir } from './artifacts.ts'
import { type Manifest, names, readBackup, verifyBackup } from './backup-file.ts'
import { type Command, type Input, OperatorError, type Output, UsageError } from './command.ts'
import { withStore } from './connect.ts'
import { argumentAt } from './values.ts'

export const restoreCommands: Record<string, Command> = {
  restore: {
    usage: 'restore FILE [--replace --yes]',
    summary:
      'restores a backup into an empty installation, or with --replace over all data; stop the server first',
    options: { replace: { type: 'boolean' }, yes: { type: 'boolean' } },
    words: 1,
    run: restore,
  },
}

async function restore(input: Input): Promise<Output> {
  const file = argumentAt(input, 0)
  const { config } = input
  const isReplacing = input.flag('replace')
  if (isReplacing && !input.flag('yes')) {
    throw new UsageError('--replace deletes all existing data: add --yes.')
  }
  input.progress(`reading ${file}…`)
  const { manifest, key } = await verifyBackup(file)
  refuseNewer(manifest)
  return withStore(config, { access: 'exclusive', schema: 'any' }, async (store) => {
    if (!isReplacing) await requireEmpty(store, config, key)
    await requireOwnSchema(store)
    // Staged: after a crash right after the commit, the next start finds the key (storage/core/secret-key.ts).
    if (key !== null) stageSecretKey(config.DATA_DIR, key)
    await load(store, input, file, manifest)
    if (key !== null) promoteSecretKey(config.DATA_DIR)
    promoteArtifacts(config.DATA_DIR)
    const migrated = await migrate(store.pool)
    return report(file, manifest, migrated, keyNote(config, manifest))
  })
}

function refuseNewer({ migrations }: Manifest): void {
  if (compareSchema(migrations) !== 'newer') return
  const last = migrations.at(-1)?.name
  throw new OperatorError(
    `The backup comes from a newer release of Vedette (schema ${last}): restore it with that release.`,
  )
}

async function requireEmpty({ pool, db }: Store, config: Config, key: string | null): Promise<void> {
  const hint = 'Add --replace --yes to replace it by the backup.'
  const state = await readSchemaState(pool)
  if (state === 'newer' || (state !== 'absent' && (await countAccounts(db)) > 0)) {
    throw new OperatorError(`There is data here already. ${hint}`)
  }
  if (hasArtifacts(config.DATA_DIR))
    throw new OperatorError(`${config.DATA_DIR} already contains artifacts. ${hint}`)
  const present = readSecretKeyFile(config.DATA_DIR)
  if (key !== null && present !== null && present !== key) {
    throw new OperatorError(
      `${secretKeyPath(config.DATA_DIR)} is another key than that of the backup. ${hint}`,
    )
  }
}

/** Foreign tables in the schema must not be dropped, and their names may conflict with ours. */
async function requireOwnSchema({ pool }: Store): Promise<void> {
  if ((await readSchemaState(pool)) === 'newer') return
  const client = await pool.connect()
  const foreign = await listForeignTables(client).finally(() => client.release())
  if (foreign.length === 0) return
  throw new OperatorError(
    `The database contains tables that aren't Vedette's (${foreign.slice(0, 5).join(', ')}): use a separate database for Vedette.`,
  )
}

async function load(
  { pool }: Store,
  { config, progress }: Input,
  file: string,
  manifest: Manifest,
): Promise<void> {
  rmSync(stagingDir(config.DATA_DIR), { recursive: true, force: true })
  await replaceData(pool, manifest, async (open) => {
    const loaded = new Map<string, number>()
    let current: { name: string; writer: TableWriter } | undefined
    const close = async () => {
      if (current !== undefined) loaded.set(current.name, await current.writer.close())
      current = undefined
    }
    await readBackup(file, async (entry) => {
      if (entry.name.startsWith(names.artifacts)) return stageArtifact(config.DATA_DIR, entry)
      if (!entry.name.startsWith(names.tables)) return
      const name = entry.name.split('/')[1] ?? ''
      if (current?.name !== name) {
        await close()
        const table = manifest.tables.find((candidate) => candidate.name === name)
        if (table === undefined)
          throw new OperatorError(`The backup contains rows of an unknown table, ${name}.`)
        current = { name, writer: open(table) }
      }
      progress(`table ${loaded.size + 1} of ${manifest.tables.length}: ${name}…`)
      for await (const chunk of entry.content) await current.writer.write(chunk)
    })
    await close()
    return loaded
  })
}

/** Warns now rather than at the start of the server, which refuses a wrong key. */
function keyNote(config: Config, { secretKeyFingerprint: expected }: Manifest): string | null {
  const key = config.SECRET_KEY ?? readSecretKeyFile(config.DATA_DIR)
  if (expected === null || (key !== null && openVault(key).fingerprint === expected)) return null
  const isSet = config.SECRET_KEY !== undefined
  if (isSet)
    return 'SECRET_KEY is not the key of this data: set the right one, or unset it if the backup contains the key.'
  return 'The backup contains no secret key: set SECRET_KEY to the key of this data before you start the server.'
}

function report(file: string, manifest: Manifest, migrated: string[], note: string | null): Output {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  const { artifacts, createdAt } = manifest
  const lines = [
    `Restored ${file}, created at ${createdAt}: ${manifest.tables.length} tables, ${rows} rows, ${artifacts} artifacts.`,
  ]
  if (migrated.length > 0) lines.push(`Then migrated the schema: ${migrated.join(', ')}.`)
  if (note !== null) lines.push(note)
  return {
    json: { file, createdAt, tables: manifest.tables.length, rows, artifacts, migrated, note },
    text: lines.join('\n'),
  }
}
