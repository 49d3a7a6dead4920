// Background work of alerting: due alerts, deliveries, mails, notices about maintenance, alarms about locations, root-cause analyses. Servers
// take turns; where turns overlap, rows are claimed.

import { setTimeout as pause } from 'node:timers/promises'
import { minuteMs } from '@vedette/contracts'
import { DeliveryError } from './alerting/channels/transport/delivery-error.ts'
import { openHttp } from './alerting/channels/transport/http.ts'
import { settleIdleRules } from './alerting/decision/automation-rules.ts'
import { decisionContext } from './alerting/decision/decision-context.ts'
import { decideDueAlerts } from './alerting/decision/due.ts'
import { endMutes } from './alerting/decision/end-mutes.ts'
import { notifyChannels } from './alerting/decision/notify-channels.ts'
import { NotifyTurns } from './alerting/decision/notify-turns.ts'
import { raiseUnknownAlarms } from './alerting/decision/unknown-alarms.ts'
import type { ChannelClients } from './alerting/delivery/channel-clients.ts'
import { channelRules } from './alerting/delivery/channel-settings.ts'
import { openDelivery } from './alerting/delivery/deliver.ts'
import { openPageWebhooks } from './alerting/delivery/page-webhooks.ts'
import { raiseLocationAlarms } from './alerting/mails/location-alarms.ts'
import { deliverMails } from './alerting/mails/mails.ts'
import { writeMaintenanceNotices } from './alerting/mails/maintenance-notices.ts'
import type { Config } from './config.ts'
import type { Clock } from './core/clock.ts'
import type { EventLog } from './core/event-log.ts'
import type { Log } from './core/log.ts'
import { every, type Loop } from './core/loop.ts'
import type { ServerTurns } from './core/server-turns.ts'
import type { StateLog } from './core/state-log.ts'
import { decideOverdueParallelRuns } from './ingest/parallel-deadline.ts'
import type { IngestPressure } from './ingest/pressure.ts'
import { runAnalyses } from './rca/run-analyses.ts'
import { forgetAlertStates } from './storage/alerts/alert-states.ts'
import { releaseMails } from './storage/alerts/mails.ts'
import { releaseNotifications } from './storage/alerts/notification-queue.ts'
import type { Store } from './storage/core/db.ts'
import { type Client, inTransaction } from './storage/core/transaction.ts'
import type { Vault } from './storage/core/vault.ts'
import { releaseWebhookDeliveries } from './storage/pages/page-webhook-queue.ts'

const batch = 500
/** Shorter than the limit of the process, so that the database is closed even if a mail server hangs. */
const stopTimeoutMs = 12_000

export interface AlertLoopOptions {
  config: Config
  store: Store
  vault: Vault
  clock: Clock
  log: Log
  clients: ChannelClients
  pressure: IngestPressure
  events: EventLog
  stateLog: StateLog
  turns: Pick<ServerTurns, 'isOwn'>
}

export async function startAlertLoops(options: AlertLoopOptions): Promise<Loop> {
  const { config, store, vault, clock, log, clients, turns } = options
  const { pool } = store
  const isOn = config.ALERTS === 'on'
  let isStopping = false
  // The embedded database has only one server, so earlier claims belong to a process that no longer runs.
  if (config.DATABASE_URL === undefined) {
    await releaseNotifications(pool, clock.now())
    await releaseMails(pool, clock.now())
    await releaseWebhookDeliveries(pool, clock.now())
  }
  if (!isOn) await forgetAlertStates(pool, clock.now())
  const { settings, senders, renderTemplate } = clients
  const delivery = openDelivery({
    store,
    vault,
    clock,
    log,
    events: options.events,
    settings,
    senders,
    renderTemplate,
    isOn,
  })
  const { publicUrl } = settings
  const pageWebhooks = openPageWebhooks({ pool, vault, clock, log, publicUrl, http: senders.http, isOn })
  const inBatches = (work: (client: Client) => Promise<number>) => async () => {
    while ((await inTransaction(pool, work)) >= batch);
  }
  const mail = {
    publicUrl: settings.publicUrl,
    sign: vault.sign,
    now: () => clock.now(),
    log,
    isStopping: () => isStopping,
    send: isOn ? senders.mail.send : refuseMail,
    pauseLeftMs: () => senders.mail.pauseLeftMs?.() ?? 0,
  }
  const model = openModel(config)
  const analyse = () =>
    runAnalyses({
      store,
      vault,
      publicUrl: settings.publicUrl,
      model,
      now: () => clock.now(),
      onError: (err) => log.error({ err }, 'analysis.failed'),
    })
  const dueAlerts = inBatches((client) => decideDueAlerts(client, clock.now(), batch))
  const mutes = inBatches((client) => endMutes(client, { now: clock.now(), isAlerting: isOn }, batch))
  const parallelRuns = inBatches((client) =>
    decideOverdueParallelRuns(client, decisionContext(options), batch),
  )
  const idleRules = inBatches((client) => settleIdleRules(client, clock.now(), batch))
  const maintenanceNotices = inBatches((client) => writeMaintenanceNotices(client, clock.now(), batch))
  const notify = notifyInTurns(options)
  const alarms = async () => {
    if (isOn) await raiseLocationAlarms(pool, clock.now())
  }
  const unknownAlarms = async () => {
    if (isOn) await raiseUnknownAlarms(pool, clock.now())
  }
  const shared = (periodMs: number, work: () => Promise<unknown>, name: string) =>
    every(periodMs, work, log, name, turns)
  const loops = [
    shared(1_000, dueAlerts, 'due-alerts'),
    shared(2_000, mutes, 'mutes'),
    shared(2_000, parallelRuns, 'parallel-runs'),
    shared(10_000, idleRules, 'idle-rules'),
    shared(250, notify, 'notify'),
    shared(250, () => delivery.turn(), 'delivery'),
    shared(5_000, maintenanceNotices, 'maintenance-notices'),
    shared(1_000, () => deliverMails(pool, mail), 'mails'),
    shared(500, () => pageWebhooks.turn(), 'page-webhooks'),
    shared(minuteMs, alarms, 'location-alarms'),
    shared(5_000, unknownAlarms, 'unknown-alarms'),
    shared(
      500,
      async () => {
        while (!isStopping && (await analyse()) > 0);
      },
      'analyses',
    ),
  ]
  return {
    async stop() {
      isStopping = true
      const stopped = Promise.all([...loops.map((loop) => loop.stop()), delivery.stop(), pageWebhooks.stop()])
      await Promise.race([stopped, pause(stopTimeoutMs, null, { ref: false })])
      model?.close()
    },
  }
}

/** One batch per turn. Returns true if more alerts wait. */
function notifyInTurns({ store, clock, pressure }: AlertLoopOptions): () => Promise<boolean> {
  const turns = new NotifyTurns()
  return async () => {
    const limit = turns.limit(pressure.isHigh)
    const count = await inTransaction(store.pool, (client) => notifyChannels(client, clock.now(), limit))
    turns.done(count, limit)
    return count >= limit
  }
}

/** Its own HTTP client: a model takes longer than channels may. */
function openModel(config: Config) {
  const { MODEL_URL: url, MODEL_NAME: name, MODEL_API_KEY: apiKey = null } = config
  if (url === undefined) return null
  const http = openHttp({ rules: channelRules(config), timeoutMs: 30_000 })
  return { url, name, apiKey, send: http.send, close: () => http.close() }
}

async function refuseMail(): Promise<never> {
  throw new DeliveryError(
    'The email was not sent, because alerts are turned off on this server (ALERTS=off).',
    { permanent: true },
  )
}
