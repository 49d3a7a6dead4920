// What a run of each type of check costs: CPU of agent, server and PostgreSQL, bytes on disk and on the network; and the memory of
// each process. Real agents, runs and SQL. Writes the figures that `vedette capacity` and docs/scaling.md use: run
// `npm run generate` afterwards. CPU is counted, not time, so a busy machine changes little.
// All checks of a type are due at once, some times over: figures are those at full speed, when claims and reports are large.
// npm run bench -- capacity [type…]. With types it only prints. BENCH_CHECKS (200), BENCH_CODE_CHECKS (4) and BENCH_ROUNDS (5) shorten it.
import { measuredTypes } from './capacity-checks.ts'
import {
  circumstances,
  type FiguresByType,
  idleText,
  replaceUncertain,
  round,
  runText,
  writeFigures,
} from './capacity-figures.ts'
import { measureRollup } from './capacity-rollup.ts'
import { measurePings, measureType } from './capacity-runs.ts'
import { measureIdle, memoryOfParts, openStage } from './capacity-stage.ts'
import { Closers } from './closers.ts'

const wanted = process.argv.slice(2).map((name) => name.toUpperCase())
const checks = Number(process.env.BENCH_CHECKS ?? 200)
const codeChecks = Number(process.env.BENCH_CODE_CHECKS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)

const closers = new Closers()
try {
  await measure()
} finally {
  await closers.close()
}

async function measure(): Promise<void> {
  const stage = await openStage(closers)
  const types = measuredTypes(stage.targets).filter(
    ({ type }) => wanted.length === 0 || wanted.includes(type),
  )
  const countsOf = ({ isCode }: { isCode: boolean }) => ({ checks: isCode ? codeChecks : checks, rounds })
  // Warm-up: code compiled, plans cached, connections open.
  for (const one of types.slice(-1))
    await measureType(stage, one, { agent: 0, server: 0, store: 0 }, countsOf(one))
  const idle = await measureIdle(stage)
  console.log(idleText(idle))
  const emptyMb = memoryOfParts(stage)
  const figures: FiguresByType = {}
  let codeRunMb = 0
  for (const one of types) {
    const { peakMb, ...measured } = await measureType(stage, one, idle, countsOf(one))
    console.log(runText(one.type, measured))
    if (one.isCode) codeRunMb = Math.max(codeRunMb, peakMb)
    figures[one.type] = measured
  }
  replaceUncertain(figures, types)
  const rollup = await measureRollup(stage, idle)
  console.log(`rollup of a check and hour: ${JSON.stringify(rollup)}`)
  if (wanted.length > 0 && !wanted.includes('HEARTBEAT')) return
  figures.HEARTBEAT = await measurePings(stage, idle)
  console.log(runText('HEARTBEAT', figures.HEARTBEAT))
  const busyMb = memoryOfParts(stage)
  const memory = {
    serverMb: round(Math.max(emptyMb.server, busyMb.server)),
    agentMb: round(Math.max(emptyMb.agent, busyMb.agent)),
    postgresMb: round(Math.max(emptyMb.store, busyMb.store)),
    codeRunMb: round(codeRunMb),
  }
  console.log(`memory: ${JSON.stringify(memory)}`)
  if (wanted.length > 0) return
  writeFigures({ measured: await circumstances(stage.store, checks), idle, memory, rollup, types: figures })
}
