// What an installation needs for a mix of checks: arithmetic on measured figures.
import { type CheckType, dayMs, definitionOf, hourMs } from '@vedette/contracts'
import type { CapacityFigures, RunFigures } from './figures.ts'

/** Types that aren't measured: a suite may be anything, and a model is needed for prompts. Both drive a browser. */
const measuredAs: Partial<Record<CheckType, CheckType>> = { PLAYWRIGHT: 'BROWSER', AGENTIC: 'BROWSER' }

export function figuresOf(
  { types }: CapacityFigures,
  type: CheckType,
): { figures: RunFigures; measuredAs: CheckType } {
  const source = measuredAs[type] ?? type
  const figures = types[source]
  if (figures === undefined)
    throw new Error(`the figures of ${source} are missing: npm run bench -- capacity`)
  return { figures, measuredAs: source }
}

/** Checks that are alike. */
export interface ChecksOfMix {
  type: CheckType
  checks: number
  periodMs: number
  /** In how many locations each slot runs at the same time. */
  locations: number
}

export interface Settings {
  resultDays: number
  detailDays: number
  rollupMonths: number
  /** The share of passing runs whose details are kept that long. */
  detailPercent: number
  agentCores: number
  databaseCores: number
  /** What the disk of PostgreSQL writes at most. */
  diskWriteMbPerSecond: number
  /** Null: as many as needed. */
  servers: number | null
  agents: number | null
}

/** Of the tables in docs/scaling.md; the retention is that of the settings of the server. */
export const defaultSettings: Settings = {
  resultDays: 30,
  detailDays: 7,
  rollupMonths: 25,
  detailPercent: 5,
  agentCores: 2,
  databaseCores: 8,
  diskWriteMbPerSecond: 100,
  servers: null,
  agents: null,
}

interface Limit {
  part: keyof typeof remedies
  /** How many times the load of the mix it can take. */
  headroom: number
  remedy: string
}

const remedies = {
  'PostgreSQL, CPU of the primary': 'a machine with more cores; then distribute history (vedette scale-out)',
  'PostgreSQL, writes to the WAL': 'a faster disk',
  'servers, one event loop each': 'add servers',
  'agents, one event loop each': 'add agents, or use more than one location',
  'agents, cores for code': 'add agents, or cores to them',
} as const

export interface Capacity {
  checks: number
  runsPerMinute: number
  servers: { count: number; cores: number; memoryMb: number }
  agents: { count: number; networkCores: number; codeCores: number; codeRunsAtOnce: number; memoryMb: number }
  database: { cores: number; memoryMb: number; walMbPerSecond: number; verdict: DatabaseVerdict }
  disk: {
    gbPerDay: number
    /** When as much is deleted as is written. */
    totalGb: number
    parts: { resultsGb: number; detailsGb: number; rollupsGb: number; artifactsGb: number }
  }
  network: { agentsToServersMbit: number; agentsToTargetsMbit: number }
  /** What saturates first comes first. */
  limits: Limit[]
}

/** `fits`: on the given cores. `larger`: on a machine of up to 64 cores. `distribute`: on several machines only. */
export type DatabaseVerdict = 'fits' | 'larger' | 'distribute'

/** Of a core or an event loop, on average: runs come in waves, and others need the rest. */
export const busyShare = 0.6
const largestDatabaseCores = 64
const daysPerMonth = 30.4
/** The day and the next one. */
const unsampledDays = 2

export function capacityOf(mix: readonly ChecksOfMix[], settings: Settings, all: CapacityFigures): Capacity {
  const parts = mix.map((one) => needOf(one, settings, all))
  const sum = (of: (part: Need) => number) => parts.reduce((total, part) => total + of(part), 0)
  const networkCores = sum(({ network }) => network)
  const codeCores = sum(({ code }) => code)
  const codeRunsAtOnce = Math.ceil(sum(({ codeRunsAtOnce }) => codeRunsAtOnce))
  const serverCores = sum(({ server }) => server)
  const storeCores = sum(({ store }) => store) + all.idle.store
  const walMbPerSecond = sum(({ walBytesPerSecond }) => walBytesPerSecond) / 1e6
  const servers = settings.servers ?? Math.max(1, Math.ceil((serverCores + all.idle.server) / busyShare))
  const agents =
    settings.agents ??
    Math.max(
      networkCores + codeCores > 0 ? 1 : 0,
      Math.ceil(networkCores / busyShare),
      Math.ceil((networkCores + codeCores) / (busyShare * settings.agentCores)),
    )
  const disk = {
    resultsGb: sum(({ resultGb }) => resultGb),
    detailsGb: sum(({ detailGb }) => detailGb),
    rollupsGb: sum(({ rollupGb }) => rollupGb),
    artifactsGb: sum(({ artifactGb }) => artifactGb),
  }
  const limits: [Limit['part'], available: number, needed: number][] = [
    ['PostgreSQL, CPU of the primary', settings.databaseCores, storeCores],
    ['PostgreSQL, writes to the WAL', settings.diskWriteMbPerSecond, walMbPerSecond],
    ['servers, one event loop each', servers, serverCores + servers * all.idle.server],
    ['agents, one event loop each', agents, networkCores],
    ['agents, cores for code', agents * settings.agentCores, codeCores === 0 ? 0 : networkCores + codeCores],
  ]
  return {
    checks: mix.reduce((total, { checks }) => total + checks, 0),
    runsPerMinute: sum(({ runsPerSecond }) => runsPerSecond) * 60,
    servers: {
      count: servers,
      cores: serverCores + servers * all.idle.server,
      memoryMb: servers * all.memory.serverMb,
    },
    agents: {
      count: agents,
      networkCores,
      codeCores,
      codeRunsAtOnce,
      memoryMb: agents * all.memory.agentMb + codeRunsAtOnce * all.memory.codeRunMb,
    },
    database: {
      cores: storeCores,
      memoryMb: all.memory.postgresMb,
      walMbPerSecond,
      verdict: verdictOf(storeCores / busyShare, settings.databaseCores),
    },
    disk: {
      gbPerDay: sum(({ gbPerDay }) => gbPerDay),
      totalGb: Object.values(disk).reduce((total, gb) => total + gb, 0),
      parts: disk,
    },
    network: {
      agentsToServersMbit: (sum(({ linkBytesPerSecond }) => linkBytesPerSecond) * 8) / 1e6,
      agentsToTargetsMbit: (sum(({ targetBytesPerSecond }) => targetBytesPerSecond) * 8) / 1e6,
    },
    limits: limits
      .filter(([, , needed]) => needed > 0)
      .map(([part, available, needed]) => ({ part, headroom: available / needed, remedy: remedies[part] }))
      .toSorted((a, b) => a.headroom - b.headroom),
  }
}

function verdictOf(neededCores: number, databaseCores: number): DatabaseVerdict {
  if (neededCores <= databaseCores) return 'fits'
  return neededCores <= largestDatabaseCores ? 'larger' : 'distribute'
}

type Need = ReturnType<typeof needOf>

/** CPU in cores. */
function needOf(
  { type, checks, periodMs, locations }: ChecksOfMix,
  settings: Settings,
  all: CapacityFigures,
) {
  const { figures } = figuresOf(all, type)
  const { capacity } = definitionOf(type)
  const runsPerSecond = (checks * locations * 1000) / periodMs
  const runsPerDay = (runsPerSecond * dayMs) / 1000
  // A heartbeat has events instead of rollups, and they are kept as long.
  const rolledUp = capacity === null ? 0 : checks * locations
  const rollupsPerSecond = (rolledUp / 3600) * Math.max(1, hourMs / periodMs / 60)
  const keptDays = capacity === null ? settings.rollupMonths * daysPerMonth : settings.resultDays
  // Checks that run once an hour or more rarely keep all details.
  const sampled = periodMs >= hourMs ? 1 : settings.detailPercent / 100
  const detailDays =
    sampled * settings.detailDays + (1 - sampled) * Math.min(unsampledDays, settings.detailDays)
  const rollupBytesPerDay =
    rolledUp * (Math.min(24, dayMs / periodMs) * all.rollup.hourBytes + all.rollup.dayBytes)
  const agentCores = (runsPerSecond * figures.agentMicros) / 1e6
  const gb = (bytes: number) => bytes / 1e9
  return {
    runsPerSecond,
    network: capacity === 'network' ? agentCores : 0,
    code: capacity === 'code' ? agentCores : 0,
    codeRunsAtOnce: capacity === 'code' ? runsPerSecond * figures.runSeconds : 0,
    server: (runsPerSecond * figures.serverMicros + rollupsPerSecond * all.rollup.serverMicros) / 1e6,
    store: (runsPerSecond * figures.storeMicros + rollupsPerSecond * all.rollup.storeMicros) / 1e6,
    walBytesPerSecond: runsPerSecond * figures.walBytes,
    linkBytesPerSecond: runsPerSecond * figures.linkBytes,
    targetBytesPerSecond: runsPerSecond * (figures.targetBytes ?? 0),
    gbPerDay: gb(
      runsPerDay * (figures.resultBytes + figures.detailBytes + figures.artifactBytes) + rollupBytesPerDay,
    ),
    resultGb: gb(runsPerDay * figures.resultBytes * keptDays),
    detailGb: gb(runsPerDay * figures.detailBytes * detailDays),
    artifactGb: gb(runsPerDay * figures.artifactBytes * settings.resultDays),
    rollupGb: gb(rollupBytesPerDay * settings.rollupMonths * daysPerMonth),
  }
}
