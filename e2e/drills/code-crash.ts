// kill -9 of an agent during a suite, in several rounds. Each run must be repeated and end once, and the killed agent must
// leave nothing: no process, no browser, no directory.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listCheckResults, triggerCheckSessions } from '@vedette/contracts'
import { CodeAccount } from '../code-account.ts'
import { Scene } from '../scene.ts'
import { Shop } from '../target/shop.ts'
import { createAgentKey, type Program, startAgent, until } from './fleet.ts'

export interface CodeCrashOptions {
  rounds: number
  log?: (line: string) => void
}

export interface CodeCrashBooks {
  /** Violations, as sentences. */
  faults: string[]
  /** Processes of the suite that were alive when the agent was killed, over all rounds. */
  killedProcesses: number
  results: number
}

const spec = `import { test, expect } from '@playwright/test'
test('looks at the shelf', async ({ page }) => {
  await page.goto(process.env.SHOP_URL + '/')
  await expect(page.getByTestId('product')).toHaveCount(4)
})
`

/** Longer than a round may take: the shop responds only after it is fixed. */
const heldMs = 120_000

export async function codeCrashDrill({ rounds, log = () => {} }: CodeCrashOptions): Promise<CodeCrashBooks> {
  const scene = new Scene()
  const shop = await Shop.open()
  const home = mkdtempSync(join(tmpdir(), 'vedette-cc-'))
  const books: CodeCrashBooks = { faults: [], killedProcesses: 0, results: 0 }
  const agents: Program[] = []
  try {
    await scene.open({ AGENT: 'off' })
    const { account } = scene
    const code = new CodeAccount(account)
    const key = await createAgentKey({ DATA_DIR: scene.installation.dataDir })
    const start = () => {
      const agent = runAgent(scene, home, key)
      agents.push(agent)
      return agent
    }
    const marker = `drill-${process.pid}-${Date.now()}`
    const id = await code.suite(
      { 'tests/shelf.spec.ts': spec },
      {
        environmentVariables: [
          { key: 'SHOP_URL', value: shop.url() },
          { key: 'DRILL_MARKER', value: marker },
        ],
      },
    )
    let agent = start()
    const fault = (words: string) => books.faults.push(words)
    if ((await account.run(id)).hasFailures) fault('the suite fails although nothing was killed')

    for (let round = 1; round <= rounds; round++) {
      log(`round ${round}`)
      shop.breaks({ delayMs: heldMs })
      const visits = shop.seen('/').length
      const body = { target: { checkId: [id] } }
      const { sessions } = await account.call(triggerCheckSessions, { body })
      await until('the suite is in the middle of its test', () => shop.seen('/').length > visits)
      const alive = marked(marker)
      if (!alive.some(isBrowser)) fault(`round ${round}: no browser was at work`)
      books.killedProcesses += alive.length
      const folders = foldersOf(home)
      if (folders.length === 0) fault(`round ${round}: the agent had no folders`)
      await agent.kill()
      await until('its processes are gone', () => marked(marker).length === 0, 15_000).catch(() =>
        fault(`round ${round}: left behind: ${marked(marker).map(commandOf).join(' | ')}`),
      )
      shop.fix()
      agent = start()
      const session = await account.awaitSession(sessions[0]?.checkSessionId as string)
      if (session.status !== 'PASSED' || session.results.length !== 1)
        fault(`round ${round}: the session ended as ${session.status} with ${session.results.length} results`)
      const left = folders.filter((folder) => existsSync(folder))
      if (left.length > 0) fault(`round ${round}: left behind: ${left.join(', ')}`)
      if (marked(marker).length > 0) fault(`round ${round}: processes are left after the run has ended`)
    }
    const query = { limit: 100 }
    books.results = (await account.call(listCheckResults, { params: { checkId: id }, query })).length
    if (books.results !== rounds + 1) fault(`${books.results} results of ${rounds + 1} runs`)
    await agent.stop()
    const left = foldersOf(home)
    if (left.length > 0) fault(`left behind by a stopped agent: ${left.join(', ')}`)
    return books
  } finally {
    for (const agent of agents) await agent.stop()
    await scene.close()
    await shop.shut()
    rmSync(home, { recursive: true, force: true })
  }
}

function runAgent(scene: Scene, home: string, key: string): Program {
  mkdirSync(join(home, 'tmp'), { recursive: true })
  return startAgent({
    ...scene.agentSettings,
    API_KEY: key,
    SERVER_URL: scene.account.baseUrl,
    AGENT_LOCATIONS: 'eu-west-1',
    AGENT_DATA_DIR: join(home, 'agent'),
    TMPDIR: join(home, 'tmp'),
  })
}

/** Node's compile cache, which belongs to no run. */
const cacheOfNode = 'node-compile-cache'

/** The directories of runs: cells, and suites in preparation. */
function foldersOf(home: string): string[] {
  const directories = [join(home, 'tmp'), join(home, 'agent', 'suite-runs')].filter((directory) =>
    existsSync(directory),
  )
  return directories.flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => name !== cacheOfNode)
      .map((name) => join(directory, name)),
  )
}

/** Processes whose environment has the variable of the check. */
function marked(marker: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).includes(marker))
    .map(Number)
}

const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
const isBrowser = (pid: number) => /chrom/i.test(commandOf(pid))

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
