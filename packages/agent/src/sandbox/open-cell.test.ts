// Opening cells: by the strongest way, or not at all where that is not enough.
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, describe, expect, it } from 'vitest'
import { MissingError } from '../runtimes/missing.ts'
import { buildCell } from './build-cell.ts'
import { cellSettings, closeCell, startProgram } from './cell.fixture.ts'
import { type CellLaunch, fallbackWay, namespacedWay } from './cell-launch.ts'
import { prepareCellStage } from './cell-stage.ts'
import { cellLevel, cellOpener, closeCells, openBy } from './open-cell.ts'
import { refusalToRun } from './requirement.ts'
import { closeSandbox, refusalOfScripts } from './sandbox.ts'

const openCell = cellOpener('auto')

const { signal } = new AbortController()

afterAll(async () => {
  await closeCells()
  await closeSandbox()
})

const rules = {
  open: networkPolicy({ mode: 'default' }),
  public: networkPolicy({ mode: 'public' }),
  denied: networkPolicy({ mode: 'default', deny: ['10.0.0.0/8'] }),
}

describe('whether code is run', () => {
  it.each([
    { level: 'strong', setting: 'auto', network: 'public', expected: null },
    { level: 'strong', setting: 'require', network: 'open', expected: null },
    { level: 'strong', setting: 'fallback', network: 'public', expected: null },
    { level: 'same-user', setting: 'auto', network: 'public', expected: null },
    { level: 'same-user', setting: 'fallback', network: 'denied', expected: null },
    {
      level: 'same-user',
      setting: 'require',
      network: 'open',
      expected: 'Missing for strong isolation: `user: "0:0"`',
    },
    { level: 'fallback', setting: 'auto', network: 'open', expected: 'AGENT_SANDBOX=fallback' },
    { level: 'fallback', setting: 'require', network: 'public', expected: 'AGENT_SANDBOX=require' },
    { level: 'fallback', setting: 'fallback', network: 'open', expected: null },
    { level: 'fallback', setting: 'fallback', network: 'public', expected: 'AGENT_NETWORK' },
    { level: 'fallback', setting: 'fallback', network: 'denied', expected: 'AGENT_DENY_NETWORKS' },
  ] as const)('level $level, $setting, network $network', ({ expected, network, level, setting }) => {
    const isolation = { level, missing: ['user: "0:0"'] }
    const refusal = refusalToRun(isolation, rules[network], setting, 'auto')
    if (expected === null) expect(refusal).toBeNull()
    else expect(refusal).toContain(expected)
  })

  it('is decided before anything starts, with a message for results', async () => {
    const stage = await prepareCellStage()
    let started = 0
    const launch = (): CellLaunch => {
      started += 1
      return fallbackWay(stage)()
    }
    const isolation = { level: 'fallback', missing: [] } as const
    const weak = { stage, launch, isolation }
    const refused = openBy(weak, 'require', cellSettings, signal)
    await expect(refused).rejects.toThrow(MissingError)
    await expect(refused).rejects.toThrow(/AGENT_SANDBOX=require/)
    const hidden = { ...cellSettings, network: rules.public }
    await expect(openBy(weak, 'fallback', hidden, signal)).rejects.toThrow(/AGENT_NETWORK/)
    await expect(openBy(weak, 'auto', cellSettings, signal)).rejects.toThrow(/AGENT_SANDBOX=fallback/)
    expect(started).toBe(0)
    const cell = await openBy(weak, 'fallback', cellSettings, signal)
    expect([started, cell.level]).toEqual([1, 'fallback'])
    await closeCell(cell)
    stage.remove()
  })

  it('is decided in the same way for scripts of API checks', async () => {
    const { level } = await cellLevel()
    const refusal = await refusalOfScripts(rules.open, 'require')
    expect(refusal === null).toBe(level === 'strong')
    expect(await refusalOfScripts(rules.open)).toBeNull()
  })

  it('depends on the level of this host', async () => {
    const { level, layers } = await cellLevel()
    expect(layers.includes('user')).toBe(level === 'strong')
    const required = cellOpener('require')(cellSettings, signal)
    if (level !== 'strong') return expect(required).rejects.toThrow(MissingError)
    await closeCell(await required)
  })
})

describe('a cell', () => {
  it('runs programs with what it was given, and nothing else', async () => {
    const cell = await openCell(cellSettings, signal)
    const { end, stdout } = await startProgram(cell, ['/bin/sh', '-c', 'pwd; env | sort; exit 7'], {
      OWN: '1',
    }).ended
    expect(end).toEqual({ exitCode: 7, signal: null, reason: 'exited' })
    const given = Object.entries({ ...cell.environment, OWN: '1', PWD: cell.work })
    const lines = given.map(([name, value]) => `${name}=${value}`)
    expect(stdout.trim().split('\n')).toEqual([cell.work, ...lines.sort()])
    await closeCell(cell)
  })

  it('is not opened after an abort, and leaves nothing', async () => {
    const stage = await prepareCellStage()
    const cells = dirname(dirname(stage.makeCellFolder(null).work))
    const before = readdirSync(cells).length
    const controller = new AbortController()
    const opening = buildCell(stage, namespacedWay(stage)(), cellSettings, controller.signal)
    setImmediate(() => controller.abort(new Error('canceled')))
    await expect(opening).rejects.toThrow('canceled')
    await expect(openCell(cellSettings, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
    expect(readdirSync(cells)).toHaveLength(before)
    stage.remove()
  })

  it('reports why it could not start', async () => {
    const stage = await prepareCellStage()
    const settings = { ...cellSettings, mounts: [{ from: '/none/such', to: '/x' }] }
    await expect(buildCell(stage, namespacedWay(stage)(), settings, signal)).rejects.toThrow(/none\/such/)
    stage.remove()
  })
})
