// How long 5 ms of work take an agent beside a run that spins in 16 processes, each in a session of its own. A program for
// `npm run bench -- neighbors`, which starts it once for each variant.
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { cellSettings } from './cell.fixture.ts'
import { cellOpener, closeCells } from './open-cell.ts'
import { raiseOwnSession } from './priority.ts'

const measureMs = 5_000
const everyMs = 20
const workMs = 5
const hogs = ['sh', '-c', `for n in $(seq 16); do setsid perl -e '1 while 1' & done; wait`] as const

console.log(JSON.stringify(await measure(process.argv[2] ?? 'alone')))

async function measure(name: string): Promise<{ medianMs: number; highMs: number }> {
  const iterations = iterationsOf(workMs)
  const stop = await startHogs(name)
  await sleep(1_000)
  const took: number[] = []
  for (const until = performance.now() + measureMs; performance.now() < until; ) {
    const due = performance.now() + everyMs
    await sleep(everyMs)
    work(iterations)
    took.push(performance.now() - due)
  }
  await stop()
  took.sort((a, b) => a - b)
  const at = (share: number) => Math.round((took[Math.floor(took.length * share)] ?? 0) * 10) / 10
  return { medianMs: at(0.5), highMs: at(0.95) }
}

async function startHogs(name: string): Promise<() => Promise<void>> {
  if (name === 'alone') return async () => {}
  if (name === 'unprotected') {
    const [command, ...args] = ['unshare', '--pid', '--fork', '--kill-child', ...hogs]
    const child = spawn(command, args, { stdio: 'ignore' })
    return async () => void child.kill('SIGKILL')
  }
  raiseOwnSession()
  const cell = await cellOpener('auto')(cellSettings, new AbortController().signal)
  cell.start({ argv: hogs, env: cell.environment, cwd: cell.work })
  return async () => {
    await cell.end()
    await cell.remove()
    await closeCells()
  }
}

/** CPU time, so that other load doesn't count. */
function iterationsOf(milliseconds: number): number {
  const count = 1e6
  const costs = Array.from({ length: 30 }, () => {
    const began = process.cpuUsage()
    work(count)
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1_000
  })
  return Math.round((count * milliseconds) / Math.min(...costs))
}

function work(iterations: number): number {
  let value = 0
  for (let index = 0; index < iterations; index++) value = (value * 31 + index) | 0
  return value
}
