// PostgreSQL, its schema, the secret key and the agents: what needs a connection to the store.
import { existsSync, statSync } from 'node:fs'
import type { Finding } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Config } from '../../config.ts'
import { readSchemaState, type SchemaState } from '../../storage/backup/schema-state.ts'
import type { Store } from '../../storage/core/db.ts'
import { findFingerprint, openSecretKey, secretKeyPath } from '../../storage/core/secret-key.ts'
import { clusterDirOf } from '../../storage/embedded/settings.ts'
import { listSeenAgents } from '../../storage/runs/agents.ts'
import { countServers } from '../../storage/runs/servers.ts'
import { withStore } from '../connect.ts'

export interface StoreFindings {
  findings: Finding[]
  isServerRunning: boolean
}

/** More is a clock that isn't set by NTP. */
const clockToleranceMs = 2_000
const oldestVersion = 150_000

/** `isUsable`: whether an embedded PostgreSQL could be started in the data directory. */
export async function checkStore(
  config: Config,
  { isUsable }: { isUsable: boolean },
): Promise<StoreFindings> {
  const subject = 'PostgreSQL'
  const isEmbedded = config.DATABASE_URL === undefined
  if (isEmbedded && (!isUsable || !existsSync(clusterDirOf(config.DATA_DIR)))) {
    const message = 'The embedded one is created at the first start.'
    return { findings: isUsable ? [{ subject, level: 'ok', message }] : [], isServerRunning: false }
  }
  try {
    return await withStore(config, { schema: 'any' }, (store) => examineStore(store, config))
  } catch (error) {
    const cause: unknown = error instanceof AggregateError ? error.errors[0] : error
    const fix = isEmbedded
      ? `Start the server as the owner of ${config.DATA_DIR}; its log has the reason. A backup can be restored: vedette restore FILE.`
      : `Start PostgreSQL, or correct ${urlSetting(config)}: postgres://user:password@host:5432/database.`
    const message = `It can't be reached: ${errorMessage(cause)}`
    return { findings: [{ subject, level: 'problem', message, fix }], isServerRunning: false }
  }
}

async function examineStore(store: Store, config: Config): Promise<StoreFindings> {
  const { rows } = await store.pool.query<{ version: string; number: number; now: string }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number, now() as now`,
  )
  const [{ version, number, now } = { version: '', number: 0, now: '' }] = rows
  const schema = await readSchemaState(store.pool)
  const findings = [
    versionFinding(version, number, config),
    clockFinding(Date.now() - Date.parse(now)),
    schemaFindings[schema],
  ]
  if (schema !== 'current') return { findings, isServerRunning: false }
  const isServerRunning = (await countServers(store.pool, Date.parse(now))) > 0
  findings.push(await secretKeyFinding(store, config))
  if (isServerRunning) findings.push(await agentsFinding(store, Date.parse(now)))
  return { findings, isServerRunning }
}

/** The setting that commands connect with. */
function urlSetting({ DATABASE_DIRECT_URL }: Config): string {
  return DATABASE_DIRECT_URL === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
}

function versionFinding(version: string, number: number, config: Config): Finding {
  const kind = config.DATABASE_URL === undefined ? 'embedded' : `of ${urlSetting(config)}`
  if (number >= oldestVersion) return { subject: 'PostgreSQL', level: 'ok', message: `${version}, ${kind}.` }
  const message = `${version}, ${kind}, is too old: Vedette needs 15 or newer.`
  return { subject: 'PostgreSQL', level: 'problem', message, fix: 'Upgrade PostgreSQL.' }
}

function clockFinding(differenceMs: number): Finding {
  const subject = 'Clock of PostgreSQL'
  if (Math.abs(differenceMs) <= clockToleranceMs) {
    return { subject, level: 'ok', message: 'The same as on this machine.' }
  }
  const message = `${(Math.abs(differenceMs) / 1000).toFixed(0)} s ${differenceMs < 0 ? 'ahead of' : 'behind'} this machine: times of results differ from those of schedules.`
  return { subject, level: 'warning', message, fix: 'Set both clocks with NTP: timedatectl set-ntp true.' }
}

const schemaFindings = {
  current: { subject: 'Schema', level: 'ok', message: 'All migrations of this release are applied.' },
  absent: {
    subject: 'Schema',
    level: 'ok',
    message: 'The database is empty: the first start creates the schema.',
  },
  older: {
    subject: 'Schema',
    level: 'warning',
    message: 'The data belongs to an older release.',
    fix: 'Start the server once, which migrates it. Back up before: vedette backup FILE.tar.gz.',
  },
  newer: {
    subject: 'Schema',
    level: 'problem',
    message: "The data was written by another release: this one can't use it.",
    fix: 'Install the release that wrote it, or restore a backup of this release.',
  },
} satisfies Record<SchemaState, Finding>

async function secretKeyFinding(store: Store, { SECRET_KEY, DATA_DIR }: Config): Promise<Finding> {
  const subject = 'Secret key'
  if ((await findFingerprint(store.db)) === null) {
    return { subject, level: 'ok', message: 'Created at the first start.' }
  }
  const path = secretKeyPath(DATA_DIR)
  try {
    await openSecretKey({ store, dataDir: DATA_DIR, fromEnvironment: SECRET_KEY })
  } catch (error) {
    const fix = `Restore ${path} from a backup, or set SECRET_KEY. Without the key stored secrets can't be read.`
    return { subject, level: 'problem', message: errorMessage(error), fix }
  }
  if (SECRET_KEY !== undefined)
    return { subject, level: 'ok', message: 'SECRET_KEY opens the stored secrets.' }
  if ((statSync(path).mode & 0o077) !== 0) {
    return { subject, level: 'warning', message: `Other users can read ${path}.`, fix: `chmod 600 ${path}` }
  }
  return { subject, level: 'ok', message: `${path} opens the stored secrets.` }
}

async function agentsFinding({ pool }: Store, now: number): Promise<Finding> {
  const subject = 'Agents'
  const agents = await listSeenAgents(pool, now)
  const running = agents.filter(({ state }) => state === 'running')
  if (running.length > 0) {
    const kinds = Object.entries(Object.groupBy(running, ({ kind }) => kind)).map(
      ([kind, members]) => `${members?.length} ${kind}`,
    )
    return { subject, level: 'ok', message: `Connected: ${kinds.join(', ')}.` }
  }
  const message = 'No agent is connected: no check runs.'
  const fix = 'Set AGENT=on to use the built-in one, or start one: vedette agent.'
  return { subject, level: 'problem', message, fix }
}
