// Background work of a server. Servers take turns; where turns overlap, rows are claimed.
import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { openHttp } from './alerting/channels/transport/http.ts'
import { decisionContext } from './alerting/decision/decision-context.ts'
import { channelRules } from './alerting/delivery/channel-settings.ts'
import { floorTo } from './analytics/range.ts'
import { refreshSummaries } from './analytics/refresh-summaries.ts'
import { rollUpClosedHours } from './analytics/roll-up.ts'
import type { Config } from './config.ts'
import type { Clock } from './core/clock.ts'
import type { EventLog } from './core/event-log.ts'
import type { Log } from './core/log.ts'
import { every, type Loop } from './core/loop.ts'
import type { ServerTurns } from './core/server-turns.ts'
import type { StateLog } from './core/state-log.ts'
import { watchAgents } from './core/watch-agents.ts'
import { reapOverdue } from './dispatch/reap.ts'
import { endLostTestRuns } from './dispatch/sessions.ts'
import { expireHeartbeats } from './ingest/heartbeat.ts'
import { openTxtLookup } from './pages/domains/look-up-txt.ts'
import type { PageHosts } from './pages/domains/page-hosts.ts'
import { proveDueDomains } from './pages/domains/prove-domains.ts'
import { refreshImages } from './pages/images/refresh-images.ts'
import { deleteOldWindows } from './storage/accounts/rate-windows.ts'
import type { Store } from './storage/core/db.ts'
import { readShards } from './storage/core/distribution.ts'
import { useShards } from './storage/core/shards.ts'
import { inTransaction } from './storage/core/transaction.ts'
import type { Vault } from './storage/core/vault.ts'
import { deleteOldDeployments, reapDeployments } from './storage/projects/project-deployments.ts'
import { listSeenAgents } from './storage/runs/agents.ts'
import { deleteOldLogChunks } from './storage/runs/run-logs.ts'
import { deleteUnrecordedSessions } from './storage/runs/unrecorded-sessions.ts'

const batch = 500

export interface LoopOptions {
  config: Config
  store: Store
  vault: Vault
  clock: Clock
  log: Log
  events: EventLog
  stateLog: StateLog
  turns: ServerTurns
  /** Copies status pages elsewhere; null: not wanted. */
  exportPages: (() => Promise<void>) | null
  pageHosts: PageHosts
}

export function startLoops(options: LoopOptions): Loop {
  const { config, store, vault, clock, log, events, turns, exportPages, pageHosts } = options
  const { pool } = store
  let isStopping = false
  const reap = () => inTransaction(pool, (client) => reapOverdue(client, decisionContext(options), batch))
  const expire = () => expireHeartbeats(pool, decisionContext(options), batch)
  const fold = async () => {
    const now = clock.now()
    // Results of earlier days are deleted, or may be at any moment; their rollups stay.
    const keptSince = floorTo(now, dayMs) - (config.RESULT_RETENTION_DAYS - 1) * dayMs
    await rollUpClosedHours(pool, now, { keptSince, isStopping: () => isStopping })
    await refreshSummaries(pool, now, { isStopping: () => isStopping })
  }
  const forgetSessions = async () => {
    const endedBefore = clock.now() - hourMs
    await untilDone(() => deleteUnrecordedSessions(pool, endedBefore, batch))
    await deleteOldLogChunks(pool, endedBefore)
  }
  const proof = { db: store.db, sign: vault.sign, clock, lookUp: openTxtLookup() }
  const proveDomains = async () => {
    if (config.CUSTOM_DOMAIN_PROOF === 'on' && (await proveDueDomains(proof)) > 0) await pageHosts.refresh()
  }
  const http = openHttp({ rules: channelRules(config), timeoutMs: 10_000 })
  const images = { pool, http, log, now: () => clock.now(), isStopping: () => isStopping }
  const shared = (periodMs: number, work: () => Promise<unknown>, name: string) =>
    every(periodMs, work, log, name, turns)
  const loops = [
    // Each server needs these for itself.
    every(10_000, async () => useShards(await readShards(pool)), log, 'shards'),
    every(5_000, () => pageHosts.refresh(), log, 'page-hosts'),
    every(
      2_000,
      watchAgents(() => listSeenAgents(pool, clock.now()), events),
      log,
      'agents',
    ),
    ...(exportPages === null
      ? []
      : [every(config.PAGES_EXPORT_MINUTES * minuteMs, exportPages, log, 'export-pages')]),
    shared(1_000, () => untilDone(reap), 'reap'),
    shared(1_000, () => untilDone(expire), 'heartbeats'),
    shared(20_000, fold, 'fold'),
    shared(5_000, proveDomains, 'domains'),
    shared(2_000, () => refreshImages(images), 'page-images'),
    shared(60_000, () => inTransaction(pool, (client) => endLostTestRuns(client, clock.now())), 'lost-tests'),
    shared(60_000, forgetSessions, 'forget-sessions'),
    shared(2_000, () => reapDeployments(store.db), 'deployments'),
    shared(3_600_000, () => deleteOldDeployments(store.db), 'old-deployments'),
    shared(
      600_000,
      () => deleteOldWindows(pool, Math.floor(clock.now() / 1000) - 2 * 86_400),
      'rate-windows',
    ),
  ]
  return {
    async stop() {
      isStopping = true
      http.close()
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}

/** In batches, so that no transaction holds its locks for long. */
async function untilDone(work: () => Promise<number>): Promise<void> {
  while ((await work()) >= batch);
}
