// One script in a real sandbox, for tests.
import { networkPolicy } from '@vedette/safeguards/address-policy'
import type { RequestView } from './messages.ts'
import { openSession } from './sandbox.ts'
import type { ScriptRun, SessionSettings } from './session.ts'

export const aRequest: RequestView = {
  method: 'GET',
  url: 'https://api.example.test/orders',
  body: '',
  headers: [['accept', 'text/plain']],
  queryParameters: [['page', '1']],
}

export const sessionSettings = (over: Partial<SessionSettings> = {}): SessionSettings => ({
  variables: {},
  snippets: [],
  region: 'eu-west-1',
  network: networkPolicy({ mode: 'default' }),
  signal: new AbortController().signal,
  onLog: () => {},
  ...over,
})

export async function runScript(
  script: string,
  settings: Partial<SessionSettings> = {},
  run: Partial<ScriptRun> = {},
) {
  const log: string[] = []
  const onLog = (level: string, msg: string) => void log.push(`${level} ${msg}`)
  const session = await openSession(sessionSettings({ onLog, ...settings }))
  if (!session) throw new Error('canceled')
  try {
    const outcome = await session.run({ phase: 'setup', script, request: aRequest, response: null, ...run })
    return { outcome, log }
  } finally {
    session.close()
  }
}
