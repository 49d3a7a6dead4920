// Calls of the API, and operator commands, that prepare a benchmark.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Vedette } from './server-process.ts'

/** A key of an account, and the server that accepts it. */
export type Caller = Pick<Vedette, 'url' | 'key' | 'accountId'>

const longestRunMs = 600_000

export function headersOf({ key, accountId }: Omit<Caller, 'url'>): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'x-service-account': accountId }
}

export async function post<T>(caller: Caller, path: string, body: unknown): Promise<T> {
  const response = await fetch(caller.url + path, {
    method: 'POST',
    headers: { ...headersOf(caller), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: status ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

/** Without alert channels. `type`: as in the path of the API. Returns the id. */
export async function createCheck(caller: Caller, type: string, body: object): Promise<string> {
  const path = `/v1/checks/${type}?autoAssignAlerts=false`
  return (await post<{ id: string }>(caller, path, body)).id
}

/** Returns their ids. */
export async function createChecks(
  caller: Caller,
  type: string,
  count: number,
  bodyOf: (index: number) => object,
): Promise<string[]> {
  const ids: string[] = []
  await forEachIndex(count, async (index) => {
    ids[index] = await createCheck(caller, type, { name: `Check ${index}`, ...bodyOf(index) })
  })
  return ids
}

/** Eight at a time, in any order. */
export async function forEachIndex(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

/** Triggers a check session and waits for its end. Returns its status. */
export async function runCheck(caller: Caller, checkId: string): Promise<string> {
  const { sessions } = await post<{ sessions: { checkSessionId: string }[] }>(
    caller,
    '/v1/check-sessions/trigger',
    { target: { checkId: [checkId] } },
  )
  const path = `/v2/check-sessions/${sessions[0]?.checkSessionId}/completion?maxWaitSeconds=30`
  const until = performance.now() + longestRunMs
  while (performance.now() < until) {
    const response = await fetch(caller.url + path, { headers: headersOf(caller) })
    // Not over yet.
    if (response.status === 408) continue
    return ((await response.json()) as { status: string }).status
  }
  throw new Error('a run was not over in time')
}

/** What an operator command prints as JSON. */
export function operate<T>(
  { dataDir }: Pick<Vedette, 'dataDir'>,
  args: readonly string[],
  environment: Record<string, string> = {},
): T {
  const program = fileURLToPath(new URL('../packages/server/src/operate.ts', import.meta.url))
  const env = { ...process.env, DATA_DIR: dataDir, ...environment }
  return JSON.parse(
    execFileSync(process.execPath, [program, ...args, '--json'], { env, encoding: 'utf8' }),
  ) as T
}

/** `secretKey`: of the servers that accept it. */
export function createAgentKey(vedette: Vedette, secretKey: string): string {
  const args = ['agent-keys', 'create', '--name', 'bench']
  return operate<{ rawKey: string }>(vedette, args, { SECRET_KEY: secretKey }).rawKey
}
