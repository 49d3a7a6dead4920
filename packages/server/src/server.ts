// Composes the server from its parts, and shuts them down.

import { createServer, type Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '@vedette/safeguards/errors'
import type { Logger } from 'pino'
import { openOidcProvider } from './accounts/oidc/provider.ts'
import { startAlertLoops } from './alert-loops.ts'
import { openChannelClients } from './alerting/delivery/channel-clients.ts'
import { openBlobStore } from './blobs/blob-store.ts'
import type { Config } from './config.ts'
import { createEventLog } from './core/event-log.ts'
import { assetsUrl, publicUrl } from './core/public-url.ts'
import { ServerTurns } from './core/server-turns.ts'
import { createStateLog } from './core/state-log.ts'
import { readStaticIps } from './core/static-ips.ts'
import { openDatabase } from './database.ts'
import { startUpkeep } from './housekeeping/upkeep.ts'
import { buildApp } from './http/transport/app.ts'
import { liveDeps } from './http/transport/live-deps.ts'
import { RateLimiter } from './http/transport/rate-limit.ts'
import { readMembership } from './http/transport/read-membership.ts'
import { probeStore } from './http/transport/store-probe.ts'
import { IngestPressure } from './ingest/pressure.ts'
import { liveResults } from './live/live-results.ts'
import { startLoops } from './loops.ts'
import { pages } from './pages/app.ts'
import { PageHosts } from './pages/domains/page-hosts.ts'
import { pagesExport } from './pages/export/export-pages.ts'
import { openWebApp } from './pages/web-app.ts'
import { startBuiltInAgent } from './startup/built-in-agent.ts'
import { makeKey } from './storage/accounts/api-keys.ts'
import { createFirstAccount, type FirstAccount } from './storage/accounts/first-account.ts'
import { updateUser } from './storage/accounts/users.ts'
import { listNamesForLog } from './storage/checks/check-names.ts'
import { readShards } from './storage/core/distribution.ts'
import { migrate } from './storage/core/migrate.ts'
import { openSecretKey } from './storage/core/secret-key.ts'
import { announceServer } from './storage/core/server-presence.ts'
import { useShards } from './storage/core/shards.ts'
import { openStoreClock } from './storage/core/store-clock.ts'
import { lockDataDir } from './storage/embedded/lock.ts'

export interface Server {
  address: string
  /** Address or directory of the data, without a password. */
  dataLocation: string
  /** Set at the first start on an empty database, the only time its key is visible. */
  first: FirstAccount | null
  /** Changes the address of the owner created at the first start. */
  setOwnerEmail(email: string): Promise<void>
  stop(): Promise<void>
}

export async function startServer(
  config: Config,
  log: Logger,
  onFatal: (error: Error) => void,
): Promise<Server> {
  // First: an invalid file fails before anything is opened.
  const staticIps = readStaticIps(config.STATIC_IPS_FILE)
  await refuseTakenPort(config)
  const closers: (() => Promise<void> | void)[] = []
  const stop = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  try {
    // With an external PostgreSQL, several servers may share the data directory.
    if (config.DATABASE_URL === undefined) {
      const lock = lockDataDir(config.DATA_DIR)
      closers.push(() => lock.release())
    }
    const database = await openDatabase({ config, log, onLost: onFatal })
    closers.push(() => database.close())
    const { store } = database
    // Before anything that a restore or a rotation of the secret key changes.
    const presence = await announceServer(store.direct, log)
    closers.push(() => presence.release())
    const applied = await migrate(store.direct)
    if (applied.length > 0) log.info({ applied }, 'schema.migrated')
    const vault = await openSecretKey({ store, dataDir: config.DATA_DIR, fromEnvironment: config.SECRET_KEY })
    const names = { account: config.FIRST_ACCOUNT_NAME, email: config.FIRST_USER_EMAIL }
    const clock = await openStoreClock(store.pool, log)
    closers.push(() => clock.stop())
    const pressure = new IngestPressure(clock)
    const events = createEventLog(log)
    const stateLog = createStateLog(events, (ids) => listNamesForLog(store.pool, ids))
    const blobs = openBlobStore(config)
    closers.push(() => blobs.close())
    const turns = new ServerTurns(() => clock.now())
    const upkeep = await startUpkeep({ config, store, blobs, clock, log, turns })
    closers.push(() => upkeep.stop())
    // In memory only: known to this process and the agent that it starts.
    const builtInKey = config.AGENT === 'on' ? makeKey('agent') : null
    const clients = openChannelClients(config)
    closers.push(() => clients.close())
    const oidc = openOidcProvider(config, log)
    closers.push(() => oidc?.close())
    const probe = probeStore(() => store.isWritable())
    const pageHosts = new PageHosts(config, store.db)
    await pageHosts.refresh()
    const webApp = openWebApp({ publicUrl: publicUrl(config), assetsUrl: assetsUrl(config) })
    const app = await buildApp({
      store,
      vault,
      blobs,
      config,
      clock,
      pressure,
      staticIps,
      log,
      stateLog,
      turns,
      builtInKeyHash: builtInKey?.hash,
      channels: clients,
      oidc,
      probe,
      sendUnknownPath: webApp.sendUnknownPath,
      pageHosts,
      plugins: [
        pages({
          store,
          vault,
          clock,
          publicUrl: publicUrl(config),
          assetsUrl: assetsUrl(config),
          webApp,
          isMember: readMembership({ config, store, clock }),
          limiter: new RateLimiter(store.pool, clock),
          resultRetentionDays: config.RESULT_RETENTION_DAYS,
          rateLimitFactor: config.RATE_LIMIT_FACTOR,
        }),
        liveResults(liveDeps({ config, store, clock, log, pageHosts })),
      ],
    })
    closers.push(() => app.close())
    const exportPages = pagesExport(config, { store, clock, publicUrl: publicUrl(config) })
    useShards(await readShards(store.pool))
    const loops = startLoops({
      config,
      store,
      vault,
      clock,
      log,
      events,
      stateLog,
      turns,
      exportPages,
      pageHosts,
    })
    closers.push(() => loops.stop())
    const alertLoops = await startAlertLoops({
      config,
      store,
      vault,
      clock,
      log,
      clients,
      pressure,
      events,
      stateLog,
      turns,
    })
    closers.push(() => alertLoops.stop())
    await listen(app, config)
    const first = await createFirstAccount(store.db, names, clock.now())
    const port = portOf(app.server)
    if (builtInKey !== null) {
      const agent = startBuiltInAgent({ config, port, apiKey: builtInKey.rawKey, log })
      // Stopped first: it reports to the other parts.
      closers.push(() => agent.stop())
    }
    return {
      address: publicUrl({ ...config, PORT: port }),
      dataLocation: database.location,
      first,
      setOwnerEmail: async (email) => {
        if (first !== null) await updateUser(store.db, first.owner.id, { email })
      },
      async stop() {
        // Requests are served until the load balancer has noticed that this server isn't ready.
        probe.stop()
        await sleep(config.STOP_DELAY_SECONDS * 1000)
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Checked first: the most common reason for a failed start should be reported at once. */
async function refuseTakenPort(config: Config): Promise<void> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject)
      probe.listen({ host: config.HOST, port: config.PORT }, resolve)
    })
  } catch (cause) {
    throw listenError(cause, config)
  } finally {
    await new Promise((resolve) => probe.close(resolve))
  }
}

async function listen(app: Awaited<ReturnType<typeof buildApp>>, config: Config): Promise<void> {
  try {
    await app.listen({ host: config.HOST, port: config.PORT })
  } catch (cause) {
    throw listenError(cause, config)
  }
}

function portOf(server: NetServer): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}

function listenError(cause: unknown, { HOST, PORT }: Config): unknown {
  const code = errorCode(cause)
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${PORT} is taken by another program. Stop it, or choose another port: PORT=${PORT + 1} npm start`,
    EACCES: `This user may not listen on port ${PORT}: choose one above 1023 with PORT=…`,
    EADDRNOTAVAIL: `HOST=${HOST} isn't an address of this machine.`,
    ENOTFOUND: `HOST=${HOST} is neither an address nor a name that can be resolved.`,
  }
  const reason = reasons[code ?? '']
  return reason === undefined ? cause : new Error(reason, { cause })
}
