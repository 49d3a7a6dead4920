// Calls of the API, and operator commands, that prepare a benchmark.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Vedette } from './server-process.ts'

export function headersOf({ key, accountId }: Pick<Vedette, 'key' | 'accountId'>): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'x-service-account': accountId }
}

export async function post<T>(vedette: Vedette, path: string, body: unknown): Promise<T> {
  const response = await fetch(vedette.url + path, {
    method: 'POST',
    headers: { ...headersOf(vedette), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: status ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

/** Without alert channels. `type`: as in the path of the API. Returns the id. */
export async function createCheck(vedette: Vedette, type: string, body: object): Promise<string> {
  const path = `/v1/checks/${type}?autoAssignAlerts=false`
  return (await post<{ id: string }>(vedette, path, body)).id
}

/** URL monitors, eight at a time. */
export async function createUrlChecks(
  vedette: Vedette,
  count: number,
  bodyOf: (index: number) => object,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) {
      const index = next++
      await createCheck(vedette, 'url', { name: `Check ${index}`, ...bodyOf(index) })
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
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
