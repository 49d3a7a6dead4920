// Cells for tests: by each way that this host offers, also for an agent without privileges, with hostile programs inside.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { buildCell } from './build-cell.ts'
import type { Cell, CellEnd, CellSettings } from './cell.ts'
import { type CellLaunch, fallbackWay, namespacedWay } from './cell-launch.ts'
import { type CellStage, prepareCellStage } from './cell-stage.ts'
import { codeLimits } from './code-limits.ts'

export interface CellWay {
  name: string
  level: CellLaunch['level']
  hasUser: boolean
  open(settings?: Partial<CellSettings>): Promise<Cell>
}

/** Those that work here, the strongest first. The caller removes the stage when all cells are closed. */
export async function cellWays(): Promise<{ stage: CellStage; ways: CellWay[] }> {
  const stage = await prepareCellStage()
  const ways: CellWay[] = []
  for (const launch of [namespacedWay(stage), fallbackWay(stage)]) {
    const { level, layers } = launch()
    const way: CellWay = {
      name: `${level}: ${layers.join(', ')}`,
      level,
      hasUser: layers.includes('user'),
      open: (settings) =>
        buildCell(stage, launch(), { ...cellSettings, ...settings }, new AbortController().signal),
    }
    const cell = await way.open().catch(() => null)
    if (!cell) continue
    await closeCell(cell)
    ways.push(way)
  }
  return { stage, ways }
}

export const cellSettings: CellSettings = {
  mounts: [],
  limits: codeLimits,
  network: networkPolicy({ mode: 'default' }),
}

export async function closeCell(cell: Cell): Promise<void> {
  await cell.end()
  await cell.remove()
}

export interface Ran {
  end: CellEnd
  stdout: string
  stderr: string
}

export interface Started {
  ended: Promise<Ran>
  kill(): void
  stdout(): string
}

/** Where Node is inside. */
export const nodeIn = ({ level }: Pick<Cell, 'level'>) => (level === 'fallback' ? process.execPath : '/node')

/** Runs an ES module in the cell. */
export async function startNode(
  cell: Cell,
  program: string,
  env: Record<string, string> = {},
): Promise<Started> {
  writeFileSync(join(cell.folder, 'program.mjs'), program)
  await cell.chown()
  return startProgram(cell, [nodeIn(cell), join(cell.work, 'program.mjs')], env)
}

export function startProgram(cell: Cell, argv: string[], env: Record<string, string> = {}): Started {
  const output = { stdout: '', stderr: '' }
  const running = cell.start({
    argv,
    env: { ...cell.environment, ...env },
    cwd: cell.work,
    onOutput(stream, chunk) {
      output[stream] = `${output[stream]}${chunk}`.slice(0, 200_000)
    },
  })
  return {
    ended: running.ended.then((end) => ({ end, ...output })),
    kill: () => running.kill(),
    stdout: () => output.stdout,
  }
}

export async function runNode(cell: Cell, program: string, env?: Record<string, string>): Promise<Ran> {
  return (await startNode(cell, program, env)).ended
}

/** Runs a program in a cell, beside a second cell; its environment has the paths of both and the agent's pid. */
export async function runEscapeAttempts(
  way: CellWay,
  stage: CellStage,
  program: string,
  env: Record<string, string>,
) {
  const other = await way.open()
  const cell = await way.open()
  try {
    writeFileSync(join(other.folder, 'mine.txt'), 'of another run')
    await other.chown()
    const isNamespaced = way.level !== 'fallback'
    return await runNode(cell, program, {
      ...env,
      AGENT_PID: `${process.pid}`,
      OTHER_FILE: join(other.folder, 'mine.txt'),
      PROGRAM_DIR: isNamespaced ? '/program' : stage.program,
      RUN_DIR: isNamespaced ? '/run' : join(cell.folder, '../run'),
    })
  } finally {
    await closeCell(cell)
    await closeCell(other)
  }
}

/** An ordinary user for the agent. */
export const plainUid = 60_105

/** The same with an agent without privileges. Null: it can't open cells of this level. */
export async function runEscapeAttemptsAsPlainAgent(
  level: CellLaunch['level'],
  program: string,
  env: Record<string, string>,
): Promise<Ran | null> {
  const code = `
    import { cellWays, runEscapeAttempts } from '${new URL(import.meta.url)}'
    const { stage, ways } = await cellWays()
    const way = ways.find(({ level }) => level === '${level}')
    const ran = way ? await runEscapeAttempts(way, stage, ${JSON.stringify(program)}, ${JSON.stringify(env)}) : null
    stage.remove()
    console.log(JSON.stringify(ran))`
  return JSON.parse(await runAsPlainAgent(code))
}

/** Runs a module as an agent without privileges; resolves with its output. */
export async function runAsPlainAgent(code: string): Promise<string> {
  const agent = spawn(process.execPath, [...nodeArgs, '-e', code], {
    ...{ uid: plainUid, gid: plainUid, cwd: '/', stdio: ['ignore', 'pipe', 'inherit'] },
    env: { AGENT_KEY: 'planted-in-the-environment' },
  })
  let text = ''
  agent.stdout?.on('data', (chunk) => {
    text += chunk
  })
  await new Promise((settle) => agent.on('close', settle))
  return text
}

export const nodeArgs = ['--input-type=module', '--disable-warning=ExperimentalWarning']

export const checkout = fileURLToPath(new URL('../../../..', import.meta.url))

/** Processes of any user that were started with this text in their environment, without zombies. */
export function processesWith(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
    } catch {
      return false
    }
  })
}

export const newMark = () => `vedette-mark-${randomUUID()}`

/**
 * For tests of isolation on a host that lacks it. Missing isolation is a failure: a run that skips them proves nothing.
 * VEDETTE_TEST_ISOLATION=none declares that this host can't have it.
 */
export function skipWithoutIsolation(
  skip: (note: string) => void,
  note = 'no namespaces on this host',
): void {
  if (process.env.VEDETTE_TEST_ISOLATION !== 'none')
    throw new Error(`${note}: set VEDETTE_TEST_ISOLATION=none if it can't have them`)
  skip(note)
}
