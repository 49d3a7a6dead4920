// The real API on a real socket and a real database, with a cast: Alice owns her account, Bob owns another
// and must see nothing of hers.
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkTypes, type Role } from '@vedette/contracts'
import { pino } from 'pino'
import { openOidcProvider } from '../accounts/oidc/provider.ts'
import { type BlobStore, openBlobStore } from '../blobs/blob-store.ts'
import { type Config, readConfig } from '../config.ts'
import type { Clock } from '../core/clock.ts'
import { assetsUrl, publicUrl } from '../core/public-url.ts'
import { readStaticIps } from '../core/static-ips.ts'
import { buildApp } from '../http/transport/app.ts'
import { liveDeps } from '../http/transport/live-deps.ts'
import { RateLimiter } from '../http/transport/rate-limit.ts'
import { readMembership } from '../http/transport/read-membership.ts'
import { probeStore, type StoreProbe } from '../http/transport/store-probe.ts'
import { liveResults } from '../live/live-results.ts'
import { pages } from '../pages/app.ts'
import { PageHosts } from '../pages/domains/page-hosts.ts'
import { openWebApp } from '../pages/web-app.ts'
import { hashKey, insertServiceKey, insertUserKey } from '../storage/accounts/api-keys.ts'
import { createAccount } from '../storage/accounts/first-account.ts'
import { insertMembership, insertUser } from '../storage/accounts/users.ts'
import { insertCodeBundle } from '../storage/checks/code-bundles.ts'
import type { Store } from '../storage/core/db.ts'
import { openVault, type Vault } from '../storage/core/vault.ts'
import { createTestDatabase } from './database.ts'
import { quickHasher } from './quick-hasher.ts'
import { systemClock } from './system-clock.ts'

export interface TestAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the response holds
  body: any
  text: string
}

export interface Caller {
  key: string
  accountId: string
  userId: string | null
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>
  get(path: string): Promise<TestAnswer>
  post(path: string, body?: unknown): Promise<TestAnswer>
  put(path: string, body?: unknown): Promise<TestAnswer>
  patch(path: string, body?: unknown): Promise<TestAnswer>
  delete(path: string): Promise<TestAnswer>
}

export interface TestApi {
  url: string
  store: Store
  vault: Vault
  blobs: BlobStore
  config: Config
  pageHosts: PageHosts
  probe: StoreProbe
  /** Of all routes. */
  paths: readonly string[]
  /** What the agent built into the server shows. */
  builtInKey: string
  alice: Caller
  bob: Caller
  /** A request without a key. */
  nobody: Caller
  /** A service key of Alice's account with this role. */
  as(role: Role): Promise<Caller>
  /** Another person in an account; returns the user's id. */
  addMember(accountId: string, role: Role): Promise<string>
  /** A new account on the given plan, and its owner. */
  newAccount(plan?: string): Promise<Caller>
  close(): Promise<void>
}

export async function startTestApi(
  environment: Record<string, string> = {},
  clock: Clock = systemClock,
): Promise<TestApi> {
  const database = await createTestDatabase()
  const { store } = database
  const vault = openVault('a secret key for tests')
  const config = readConfig({
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000',
    RATE_LIMIT_FACTOR: '100000',
    PUBLIC_URL: 'http://vedette.test',
    // Made when the first file is kept.
    DATA_DIR: join(tmpdir(), `vedette-api-${randomUUID()}`),
    ...environment,
  })
  const blobs = openBlobStore(config)
  const log = pino({ level: 'silent' })
  const builtInKey = randomUUID()
  const probe = probeStore(() => store.isWritable())
  const oidc = openOidcProvider(config, log)
  const paths: string[] = []
  const pageHosts = new PageHosts(config, store.db)
  const webApp = openWebApp({ publicUrl: publicUrl(config), assetsUrl: assetsUrl(config) })
  const app = await buildApp({
    store,
    vault,
    blobs,
    config,
    clock,
    progressEveryMs: 50,
    log,
    checkResponses: true,
    passwords: quickHasher,
    builtInKeyHash: hashKey(builtInKey),
    staticIps: readStaticIps(config.STATIC_IPS_FILE),
    probe,
    oidc,
    sendUnknownPath: webApp.sendUnknownPath,
    pageHosts,
    onRoute: ({ url }) => paths.push(url),
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
  await app.listen({ host: '127.0.0.1', port: Number(environment.PORT ?? 0) })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  async function addMember(accountId: string, role: Role): Promise<string> {
    const email = `${randomUUID()}@example.com`
    const user = await insertUser(store.db, {
      id: randomUUID(),
      name: role === 'OWNER' ? 'Owner' : role,
      email,
    })
    await insertMembership(store.db, { account_id: accountId, user_id: user.id, role })
    return user.id
  }
  async function newAccount(plan?: string): Promise<Caller> {
    const account = await createAccount(store.db, 'An account', plan)
    const userId = await addMember(account.id, 'OWNER')
    const { rawKey } = await insertUserKey(store.db, userId, 'test')
    await addExampleBundle(store, account.id)
    return caller(url, { key: rawKey, accountId: account.id, userId })
  }
  const alice = await newAccount()
  const bob = await newAccount()
  await pageHosts.refresh()
  return {
    url,
    store,
    vault,
    blobs,
    config,
    pageHosts,
    probe,
    paths,
    builtInKey,
    alice,
    bob,
    nobody: caller(url, { key: '', accountId: alice.accountId, userId: null }),
    async as(role) {
      const { rawKey } = await insertServiceKey(store.db, alice.accountId, role, role)
      return caller(url, { key: rawKey, accountId: alice.accountId, userId: null })
    },
    addMember,
    newAccount,
    async close() {
      await app.close()
      oidc?.close()
      blobs.close()
      rmSync(config.DATA_DIR, { recursive: true, force: true })
      await database.drop()
    },
  }
}

/** The archive that the contract's example of a suite names; it has no bytes. */
async function addExampleBundle({ db }: Store, accountId: string): Promise<void> {
  await insertCodeBundle(db, {
    account_id: accountId,
    path: checkTypes.PLAYWRIGHT.example.codeBundlePath,
    sha256: '0'.repeat(64),
    size_bytes: 0,
    last_used_at: new Date('9999-01-01T00:00:00Z'),
  })
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}

function caller(url: string, who: Pick<Caller, 'key' | 'accountId' | 'userId'>): Caller {
  const send: Caller['send'] = async (method, path, body, headers = {}) => {
    const all: Record<string, string> = {}
    if (who.key !== '') all.authorization = `Bearer ${who.key}`
    if (body !== undefined) all['content-type'] = 'application/json'
    const init: RequestInit = { method, headers: { ...all, ...headers } }
    if (body !== undefined) init.body = isRaw(body) ? body : JSON.stringify(body)
    const response = await fetch(url + path, init)
    const text = await response.text()
    const isJson = (response.headers.get('content-type') ?? '').includes('json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text ? JSON.parse(text) : undefined,
    }
  }
  return {
    ...who,
    send,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => send('DELETE', path),
  }
}
