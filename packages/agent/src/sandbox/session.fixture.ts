// One script in a real cell, for tests.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { namespacedWay } from './cell-launch.ts'
import type { CellStage } from './cell-stage.ts'
import type { RequestView } from './messages.ts'
import { openSession, scriptLaunchSettings } from './sandbox.ts'
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

/** Runs a program instead of ours in the cell of a script, without Node's permission model; resolves with its output. */
export async function runInScriptCell(
  stage: CellStage,
  program: string,
  env: Record<string, string>,
): Promise<string> {
  writeFileSync(join(stage.script, 'main.mjs'), program)
  const launch = namespacedWay(stage)()
  const cell = stage.makeCellFolder(launch.uid)
  const settings = scriptLaunchSettings(stage, launch.uid !== null)
  const child = launch.start(cell, settings, { argv: ['/node', '/script/main.mjs'], env })
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => process.stderr.write(chunk))
  await new Promise((settle) => child.on('close', settle))
  await cell.remove()
  return output
}
