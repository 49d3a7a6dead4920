// Runs of scripts that look at the browsers of their cell, each on a host that has one to spare.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { jobExample } from '../../connection/agent-server.fixture.ts'
import { checkoutRuntime } from '../../runtimes/installed-runtime.fixture.ts'
import type { OpenCell } from '../../sandbox/cell.ts'
import { fallbackWay } from '../../sandbox/cell-launch.ts'
import { prepareCellStage } from '../../sandbox/cell-stage.ts'
import { cellLevel, cellOpener, closeCells, openBy } from '../../sandbox/open-cell.ts'
import { makeBaseFolder } from '../../sandbox/stage.ts'
import type { CodeOutcome } from '../code-runner.ts'
import { scriptRunner } from './run-script.ts'
import { browsersFor } from './script.fixture.ts'
import { ScriptHosts } from './script-host.ts'

const openCell = cellOpener('auto')

export type Mode = 'plain' | 'test'
export type Level = 'strong' | 'fallback'

export interface SpareWorld {
  /** What the script reported, and how it ended. */
  run(mode: Mode, body: string, options?: RunOptions): Promise<Ran>
  close(): Promise<void>
}

interface RunOptions {
  job?: Partial<Job>
  hasSpare?: boolean
}

interface Ran {
  outcome: CodeOutcome['outcome']
  failure: string | null
  // biome-ignore lint/suspicious/noExplicitAny: any value that the script of a test reports
  reported: any
}

/** Null: not supported on this machine. */
export async function openSpareWorld(level: Level): Promise<SpareWorld | null> {
  const cells = level === 'strong' ? await strongCells() : await fallbackCells()
  if (!cells) return null
  const runtime = await checkoutRuntime()
  const base = makeBaseFolder()
  const browsers = await browsersFor(runtime, level, base)
  const network = networkPolicy({ mode: 'default' })
  let made = 0
  return {
    async run(mode, body, { job, hasSpare = true } = {}) {
      const hosts = new ScriptHosts({
        folder: join(base, `programs-${++made}`),
        openCell: cells.openCell,
        runtime,
        browsers,
        network,
      })
      hosts.keep([{ style: mode, usesBrowser: hasSpare }])
      const run = scriptRunner({ hostsOf: async () => ({ hosts, runtimeName: runtime.name }) })
      const clock = { now: () => Date.now(), monotonic: () => performance.now() }
      const { signal } = new AbortController()
      try {
        const ran = await run(jobOf(mode, body, job), { signal, clock, network, userAgent: 'Vedette/test' })
        await hosts.close()
        await ran.release()
        const line = ran.log.map(({ msg }) => msg).find((text) => text.startsWith('reported '))
        return {
          outcome: ran.outcome,
          failure: ran.failure?.message ?? null,
          reported: line && JSON.parse(line.slice('reported '.length)),
        }
      } finally {
        await hosts.close()
      }
    },
    async close() {
      await cells.close()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

interface Cells {
  openCell: OpenCell
  close(): Promise<void>
}

async function strongCells(): Promise<Cells | null> {
  const { level } = await cellLevel()
  return level === 'strong' ? { openCell, close: closeCells } : null
}

/** Finds the cell's processes by its user. */
async function fallbackCells(): Promise<Cells | null> {
  const stage = await prepareCellStage()
  const isolation = { level: 'fallback', missing: [] } as const
  const cells = { stage, launch: fallbackWay(stage), isolation }
  return {
    openCell: (settings, signal) => openBy(cells, 'fallback', settings, signal),
    close: async () => stage.remove(),
  }
}

function jobOf(mode: Mode, body: string, job: Partial<Job> = {}): Job {
  const script =
    mode === 'plain'
      ? `const { chromium } = require('playwright')\n${tools}\n${body}`
      : `import { test, chromium } from '@playwright/test'\n${tools}\ntest('it', async () => {${body}})`
  const check = { checkType: 'BROWSER' as const, name: 'Shop', script, scriptPath: null, dependencies: [] }
  return jobExample('http://127.0.0.1:1', { checkType: 'BROWSER', check, ...job })
}

/** What scripts of these tests find. */
const tools = `
const fs = require('fs')
const os = require('os')
const argsOf = (pid) => fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8')
// A leader of its group: what it has just forked looks like it.
const isBrowser = (pid) => {
  try {
    const isOurs = /^\\d+$/.test(pid) && fs.statSync('/proc/' + pid).uid === process.getuid()
    const group = fs.readFileSync('/proc/' + pid + '/stat', 'latin1').replace(/.*\\) /s, '').split(' ')[2]
    return isOurs && group === pid && argsOf(pid).includes('--remote-debugging-pipe')
  } catch {
    return false
  }
}
const browsers = () => fs.readdirSync('/proc').filter(isBrowser).map(Number)
const profileOf = (pid) => argsOf(pid).match(/--user-data-dir=([^\\0]+)/)[1]
const folders = () => fs.readdirSync(os.tmpdir()).filter((name) => /^playwright(_chromiumdev_profile|-artifacts)-/.test(name))
const pidOf = async (browser) => {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return processInfo.find(({ type }) => type === 'browser').id
}
const until = async (holds) => {
  for (let turn = 0; turn < 400 && !holds(); turn++) await new Promise((settle) => setTimeout(settle, 50))
}
const report = (facts) => console.log('reported ' + JSON.stringify(facts))
`
