// Composes the HTTP server: hooks, routes, error handling, plugins. It contains no rule of any resource.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  LogController,
  type RouteOptions,
} from 'fastify'
import type { Logger } from 'pino'
import { openPasswordHasher, type PasswordHasher } from '../../accounts/password-hasher.ts'
import { SessionWatch } from '../../dispatch/session-watch.ts'
import { IngestPressure } from '../../ingest/pressure.ts'
import { LiveEvents } from '../../overview/live-events.ts'
import { Overviews } from '../../overview/overviews.ts'
import { Deployments } from '../../projects/deployments.ts'
import { listRunningSessions } from '../../storage/runs/check-sessions.ts'
import { allRoutes } from '../routes.ts'
import { Audit } from './audit.ts'
import { authenticate } from './auth.ts'
import { readBodies } from './body.ts'
import { trustProxy } from './client-address.ts'
import { closeConnections } from './close-connections.ts'
import { compressResponses } from './compression.ts'
import type { Deps } from './deps.ts'
import { abortOnClose } from './disconnect-signal.ts'
import { serveDocs } from './docs.ts'
import { handleErrors, handleUnknown, sendClientError, sendError } from './errors.ts'
import { createHttpServer, refuseBadHeaders } from './http-server.ts'
import { KeyCache } from './key-cache.ts'
import { mount } from './mount.ts'
import { logRequests } from './request-log.ts'
import { waitForWork } from './running-work.ts'
import { cutOffSlowReaders } from './slow-readers.ts'
import { limitBodyTime, longestUploadMs } from './slow-senders.ts'
import { probeStore, type StoreProbe } from './store-probe.ts'

export interface AppOptions
  extends Omit<
    Deps,
    'keys' | 'overviews' | 'events' | 'passwords' | 'log' | 'sessions' | 'deployments' | 'pressure' | 'probe'
  > {
  log: Logger
  /** Absent: the app creates its own. */
  pressure?: IngestPressure
  /** Fail on responses that differ from their contract: on in tests. */
  checkResponses?: boolean
  /** Other entry points than the API, such as the public pages. */
  plugins?: readonly FastifyPluginAsync[]
  /** Absent: the app creates its own. */
  probe?: StoreProbe
  /** Absent: the app creates its own. */
  passwords?: PasswordHasher
  /** Sends the page for an unknown path to browsers; absent: they get JSON, as API clients do. */
  sendUnknownPath?: (reply: FastifyReply) => FastifyReply
  /** Called for every route that is mounted. */
  onRoute?: (route: RouteOptions) => void
}

export async function buildApp({
  log,
  checkResponses = false,
  plugins = [],
  onRoute,
  pressure,
  probe,
  passwords,
  sendUnknownPath,
  ...rest
}: AppOptions): Promise<FastifyInstance> {
  const { clock } = rest
  const { pool } = rest.store
  const overviews = new Overviews({ pool, clock })
  const deps: Deps = {
    ...rest,
    log,
    pressure: pressure ?? new IngestPressure(rest.clock),
    keys: new KeyCache(rest.store, rest.clock),
    passwords: passwords ?? openPasswordHasher(),
    probe: probe ?? probeStore(() => rest.store.isWritable()),
    overviews,
    events: new LiveEvents({ overviews, pool, clock, log }),
    sessions: new SessionWatch((ids) => listRunningSessions(rest.store.pool, ids)),
    deployments: new Deployments({
      db: rest.store.db,
      log,
      afterChange: async () => rest.pageHosts?.refresh(),
    }),
  }
  const logger: FastifyBaseLogger = log
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: deps.config.BODY_LIMIT_BYTES,
    trustProxy: trustProxy(deps.config.TRUST_PROXY),
    genReqId: (request) => {
      const sent = request.headers['x-request-id']
      return typeof sent === 'string' && /^[\w.:-]{1,100}$/.test(sent) ? sent : randomUUID()
    },
    requestTimeout: longestUploadMs,
    forceCloseConnections: 'idle',
    // A request that arrives while the server stops is still served; its response closes the connection.
    return503OnClosing: false,
    // A path that can't be decoded reaches no route and no hook.
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    clientErrorHandler: sendClientError,
    serverFactory: createHttpServer,
    rewriteUrl: ({ headers, url = '/' }: IncomingMessage) => deps.pageHosts?.pathOf(headers.host, url) ?? url,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
  })
  if (onRoute !== undefined) app.addHook('onRoute', onRoute)
  app.addHook('preClose', async () => deps.probe.stop())
  app.addHook('preClose', () => deps.deployments.stop())
  handleErrors(app)
  abortOnClose(app)
  logRequests(app)
  refuseBadHeaders(app)
  forbidSniffing(app)
  limitBodyTime(app)
  closeConnections(app, deps.probe)
  authenticate(app, deps)
  readBodies(app, {
    setting: deps.config.BODY_LIMIT_BYTES,
    project: deps.config.DEPLOY_BODY_LIMIT_BYTES,
  })
  compressResponses(app)
  cutOffSlowReaders(app)
  const mounted = allRoutes(deps)
  const audit = new Audit({ pool: deps.store.pool, clock: deps.clock, log, mounted })
  audit.watchRefusals(app)
  const onWork = waitForWork(app)
  const readsByPath = new Map(
    mounted.flatMap(({ route }) =>
      route.method === 'GET' && route.response !== undefined ? [[route.path, route.response] as const] : [],
    ),
  )
  for (const route of mounted) mount(app, route, { checkResponses, readsByPath, audit, onWork })
  handleUnknown(
    app,
    mounted.map(({ route }) => route),
    sendUnknownPath,
  )
  for (const plugin of plugins) app.register(plugin)
  serveDocs(app)
  await app.ready()
  return app
}

/** Browsers take responses for what their type says, whatever users wrote into them. */
function forbidSniffing(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('x-content-type-options', 'nosniff')
    done()
  })
}
