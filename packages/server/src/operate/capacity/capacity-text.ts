import { minuteMs } from '@vedette/contracts'
import { formatTable } from '../table.ts'
import type { CapacityFigures } from './figures.ts'
import {
  busyShare,
  type Capacity,
  type ChecksOfMix,
  type DatabaseVerdict,
  figuresOf,
  type Settings,
} from './model.ts'

export function capacityText(
  mix: readonly ChecksOfMix[],
  settings: Settings,
  capacity: Capacity,
  figures: CapacityFigures,
): string {
  const { servers, agents, database, disk, network, limits } = capacity
  const [first] = limits
  const rows = [
    ['servers', servers.count, cores(servers.cores), megabytes(servers.memoryMb), 'one event loop each'],
    [
      'agents',
      agents.count,
      cores(agents.networkCores + agents.codeCores),
      megabytes(agents.memoryMb),
      `${settings.agentCores} cores each; ${agents.codeRunsAtOnce} runs of code at once`,
    ],
    [
      'PostgreSQL',
      1,
      cores(database.cores),
      megabytes(database.memoryMb),
      `${settings.databaseCores} cores; page cache for a day: ${gigabytes(disk.gbPerDay)}`,
    ],
  ]
  const { resultsGb, detailsGb, rollupsGb, artifactsGb } = disk.parts
  return [
    `${mix.map((one) => partText(one, figures)).join('\n')}\n${number(capacity.runsPerMinute)} runs a minute\n`,
    formatTable(['PART', 'COUNT', 'CORES USED', 'MEMORY', 'ASSUMED'], rows, ''),
    '',
    `Disk      ${gigabytes(disk.gbPerDay)} a day, ${gigabytes(disk.totalGb)} after ${settings.rollupMonths} months: results ${gigabytes(resultsGb)}, details ${gigabytes(detailsGb)}, rollups ${gigabytes(rollupsGb)}, files ${gigabytes(artifactsGb)}`,
    `WAL       ${number(database.walMbPerSecond)} MB/s`,
    `Network   ${number(network.agentsToServersMbit)} Mbit/s between agents and servers, ${number(network.agentsToTargetsMbit)} Mbit/s to small targets`,
    '',
    formatTable(
      ['SATURATES', 'AT', 'THEN'],
      limits.map(({ part, headroom, remedy }) => [part, headroomText(headroom), remedy]),
      '',
    ),
    '',
    first === undefined ? '' : firstText(first.part, first.headroom),
    verdicts[database.verdict],
    circumstancesText(figures),
  ].join('\n')
}

function partText({ type, checks, periodMs, locations }: ChecksOfMix, figures: CapacityFigures): string {
  const { measuredAs } = figuresOf(figures, type)
  const inLocations = locations === 1 ? '' : `, in ${number(locations)} locations at once`
  const estimate = measuredAs === type ? '' : ` (not measured; figures of ${measuredAs})`
  return `${number(checks)} ${type} every ${periodText(periodMs)}${inLocations}${estimate}`
}

function firstText(part: string, headroom: number): string {
  return headroom < 1
    ? `TOO SMALL: ${part} would need ${number(1 / headroom)} times as much.`
    : `First to saturate: ${part}, at ${headroomText(headroom)} this load.`
}

const verdicts: Record<DatabaseVerdict, string> = {
  fits: 'One PostgreSQL is enough.',
  larger: `PostgreSQL needs more cores, to be busy for at most ${busyShare * 100} % of the time. One machine can have them.`,
  distribute:
    'One machine is not enough for PostgreSQL: distribute history (docs/scaling.md, vedette scale-out), which costs CPU too.',
}

function circumstancesText({ measured: { on, cpu, cores, load, node, postgres } }: CapacityFigures): string {
  return `Figures of ${on}: ${cores} cores of ${cpu}, load average ${load}, Node ${node}, PostgreSQL ${postgres}.`
}

function periodText(periodMs: number): string {
  if (periodMs < minuteMs) return `${periodMs / 1000} s`
  const minutes = periodMs / minuteMs
  if (minutes % 1440 === 0) return `${minutes / 1440} d`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${number(minutes)} min`
}

export function headroomText(headroom: number): string {
  return `${number(headroom)}×`
}

export function gigabytes(gb: number): string {
  if (gb < 1) return `${number(gb * 1000)} MB`
  return gb < 1000 ? `${number(gb)} GB` : `${number(gb / 1000)} TB`
}

export function megabytes(mb: number): string {
  return gigabytes(mb / 1000)
}

export function cores(value: number): string {
  return number(value)
}

/** Two significant digits of small numbers, none behind the point of large ones. */
export function number(value: number): string {
  const rounded = value >= 10 ? Math.round(value) : Number(value.toPrecision(2))
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 6 })
}
