// Two code slots, long runs of one account waiting for them, and short runs of another account.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Account } from '../account.ts'
import { CodeAccount } from '../code-account.ts'
import { Installation } from '../installation.ts'

const checkout = fileURLToPath(new URL('../..', import.meta.url))
const execute = promisify(execFile)

export interface ShortRun {
  /** From the request for it to the start that its result records. */
  lagMs: number
  passed: boolean
  /** How many long runs had ended when it ended. */
  longRunsEnded: number
}

export async function fairnessDrill(settings: {
  longRuns: number
  longMs: number
  shortRuns: number
  everyMs: number
}): Promise<ShortRun[]> {
  const installation = await Installation.create()
  try {
    const running = await installation.start({ JOB_CONCURRENCY: '2', AGENT_HEALTH_PORT: '0' })
    const crowd = new Account(installation, running)
    const single = new Account(installation, running, await createAccount(installation))
    const wait = `await new Promise((settle) => setTimeout(settle, ${settings.longMs}))`
    const long = await new CodeAccount(crowd).multiStep(wait)
    const short = await new CodeAccount(single).multiStep("console.log('short')")
    // The runtime is loaded then.
    await single.run(short)
    let longRunsEnded = 0
    for (let n = 0; n < settings.longRuns; n++)
      void crowd.session(long).then(
        () => longRunsEnded++,
        // The installation is stopped before the last one has ended.
        () => undefined,
      )
    const runs: Promise<ShortRun>[] = []
    for (let n = 0; n < settings.shortRuns; n++) {
      const askedAt = Date.now()
      const run = single.run(short).then(({ startedAt, hasFailures }) => ({
        lagMs: Date.parse(startedAt ?? '') - askedAt,
        passed: !hasFailures,
        longRunsEnded,
      }))
      runs.push(run)
      const pace = new Promise((settle) => setTimeout(settle, settings.everyMs))
      await (settings.everyMs === 0 ? run : pace)
    }
    return await Promise.all(runs)
  } finally {
    await installation.remove()
  }
}

async function createAccount({ dataDir }: Installation): Promise<Record<string, string>> {
  const words = ['accounts', 'create', '--name', 'Single', '--owner-email', 'single@example.com', '--json']
  const { stdout } = await execute('npx', ['vedette', ...words], {
    cwd: checkout,
    env: { ...process.env, DATA_DIR: dataDir },
  })
  const { id, key } = JSON.parse(stdout)
  return { Authorization: `Bearer ${key.rawKey}`, 'x-service-account': id }
}
