import { minuteMs } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import type { CapacityFigures, RunFigures } from './figures.ts'
import { capacityOf, defaultSettings, figuresOf } from './model.ts'

const run: RunFigures = {
  agentMicros: 1_000,
  serverMicros: 2_000,
  storeMicros: 3_000,
  resultBytes: 400,
  detailBytes: 1_000,
  artifactBytes: 0,
  walBytes: 3_000,
  linkBytes: 5_000,
  targetBytes: 2_000,
  runSeconds: 0.1,
}

const figures: CapacityFigures = {
  measured: { on: '2026-11-17', cpu: 'x', cores: 2, load: 1, node: 'v24', postgres: '18', batch: 200 },
  idle: { agent: 0.01, server: 0.02, store: 0.03 },
  memory: { serverMb: 150, agentMb: 50, postgresMb: 80, codeRunMb: 500 },
  rollup: { serverMicros: 36_000, storeMicros: 72_000, hourBytes: 600, dayBytes: 600 },
  types: {
    URL: run,
    BROWSER: { ...run, agentMicros: 3_000_000, artifactBytes: 100_000, runSeconds: 6 },
    HEARTBEAT: { ...run, agentMicros: 0, detailBytes: 0, targetBytes: null },
  },
}

const urls = (checks: number, periodMs = minuteMs, locations = 1) => ({
  type: 'URL' as const,
  checks,
  periodMs,
  locations,
})

describe('capacityOf', () => {
  it('adds up cores, disk and network of runs and rollups', () => {
    const capacity = capacityOf([urls(6_000)], defaultSettings, figures)
    expect(capacity.runsPerMinute).toBe(6_000)
    expect(capacity.agents).toMatchObject({ count: 1, networkCores: 0.1, codeCores: 0 })
    // 100 runs and 6,000/3,600 rollups a second.
    expect(capacity.servers.cores).toBeCloseTo(0.2 + 0.06 + 0.02)
    expect(capacity.database.cores).toBeCloseTo(0.3 + 0.12 + 0.03)
    expect(capacity.database.walMbPerSecond).toBeCloseTo(0.3)
    expect(capacity.network).toEqual({ agentsToServersMbit: 4, agentsToTargetsMbit: 1.6 })
    // 8.64 million runs a day.
    expect(capacity.disk.parts.resultsGb).toBeCloseTo(8.64 * 0.4 * 30)
    expect(capacity.disk.parts.detailsGb).toBeCloseTo(8.64 * 2.25)
    expect(capacity.disk.parts.rollupsGb).toBeCloseTo((6_000 * 25 * 600 * 25 * 30.4) / 1e9)
    expect(capacity.disk.gbPerDay).toBeCloseTo(8.64 * 1.4 + (6_000 * 25 * 600) / 1e9)
  })

  it('multiplies runs by the locations that run at the same time', () => {
    const [one, three] = [1, 3].map((locations) =>
      capacityOf([urls(100, minuteMs, locations)], defaultSettings, figures),
    )
    expect(three?.runsPerMinute).toBe(300)
    expect(three?.disk.totalGb).toBeCloseTo((one?.disk.totalGb ?? 0) * 3)
  })

  it('keeps a share of the details for more than a day', () => {
    const detailsGb = (detailPercent: number) =>
      capacityOf([urls(6_000)], { ...defaultSettings, detailPercent }, figures).disk.parts.detailsGb
    expect(detailsGb(0)).toBeCloseTo(8.64 * 2)
    expect(detailsGb(50)).toBeCloseTo(8.64 * 4.5)
  })

  it('counts servers and agents so that each is busy for 60 % of the time at most', () => {
    const { servers, agents } = capacityOf([urls(120_000)], defaultSettings, figures)
    // 2,000 runs a second: 2 cores of event loops of agents, 5.2 of servers.
    expect(agents.count).toBe(4)
    expect(servers.count).toBe(9)
  })

  it('gives agents the cores and the memory that code needs', () => {
    const mix = [{ type: 'BROWSER' as const, checks: 600, periodMs: 10 * minuteMs, locations: 1 }]
    const { agents, disk } = capacityOf(mix, defaultSettings, figures)
    // One run a second, of 6 s and of 3 s of CPU.
    expect(agents).toMatchObject({ codeCores: 3, codeRunsAtOnce: 6, count: 3, memoryMb: 3 * 50 + 6 * 500 })
    expect(disk.parts.artifactsGb).toBeCloseTo((86_400 * 100_000 * 30) / 1e9)
  })

  it('needs no agent for heartbeats, and keeps their events as long as rollups', () => {
    const mix = [{ type: 'HEARTBEAT' as const, checks: 60, periodMs: minuteMs, locations: 1 }]
    const { agents, disk, limits } = capacityOf(mix, defaultSettings, figures)
    expect(agents.count).toBe(0)
    expect(disk.parts).toMatchObject({ rollupsGb: 0, detailsGb: 0 })
    expect(disk.parts.resultsGb).toBeCloseTo((86_400 * 400 * 25 * 30.4) / 1e9)
    expect(limits.map(({ part }) => part)).not.toContain('agents, one event loop each')
  })

  it('names what saturates first, and at which multiple of the load', () => {
    const settings = { ...defaultSettings, servers: 1, agents: 1, databaseCores: 1 }
    const { limits } = capacityOf([urls(6_000)], settings, figures)
    expect(limits[0]).toMatchObject({ part: 'PostgreSQL, CPU of the primary' })
    expect(limits[0]?.headroom).toBeCloseTo(1 / 0.45)
    expect(limits.map(({ headroom }) => headroom)).toEqual(
      limits.map(({ headroom }) => headroom).toSorted((a, b) => a - b),
    )
    const small = capacityOf([urls(6_000)], { ...settings, databaseCores: 64 }, figures)
    expect(small.limits[0]).toMatchObject({ part: 'servers, one event loop each', remedy: 'add servers' })
  })

  it.each([
    [6_000, 'fits'],
    [100_000, 'larger'],
    [1_000_000, 'distribute'],
  ] as const)('says what %i URL checks a minute need of PostgreSQL: %s', (checks, verdict) => {
    expect(capacityOf([urls(checks)], defaultSettings, figures).database.verdict).toBe(verdict)
  })
})

describe('figuresOf', () => {
  it('uses those of BROWSER for types that are not measured, and says so', () => {
    expect(figuresOf(figures, 'PLAYWRIGHT')).toEqual({
      figures: figures.types.BROWSER,
      measuredAs: 'BROWSER',
    })
  })

  it('refuses types that should have been measured', () => {
    expect(() => figuresOf(figures, 'DNS')).toThrow('npm run bench -- capacity')
  })
})
