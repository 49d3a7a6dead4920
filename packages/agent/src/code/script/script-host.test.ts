// Spare hosts in real cells: a run gets a live one, and none is left behind.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkoutRuntime } from '../../runtimes/installed-runtime.fixture.ts'
import type { InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell, OpenCell } from '../../sandbox/cell.ts'
import { cellOpener, closeCells } from '../../sandbox/open-cell.ts'
import { makeBaseFolder } from '../../sandbox/stage.ts'
import type { ScriptHost } from './host.ts'
import { ScriptHosts } from './script-host.ts'

const openCell = cellOpener('auto')

let runtime: InstalledRuntime
let base: string
beforeAll(async () => {
  runtime = await checkoutRuntime()
  base = makeBaseFolder()
}, 300_000)
afterAll(async () => {
  await closeCells()
  rmSync(base, { recursive: true, force: true })
})

const never = new AbortController().signal
const plain = { style: 'plain', usesBrowser: false } as const
const withBrowserKind = { style: 'test', usesBrowser: true } as const

let made = 0

function hostsWith(folder = join(base, `programs-${++made}`)) {
  /** Those whose host is ready. */
  const cells: Cell[] = []
  const withBrowser: boolean[] = []
  const taken: boolean[] = []
  const counted: OpenCell = async (settings, signal) => {
    const opened = await openCell(settings, signal)
    const cell: Cell = {
      ...opened,
      start(program) {
        // The first host fills the compile cache before.
        if (program.env.VEDETTE_PATHS?.includes('"isFilled":false')) return opened.start(program)
        withBrowser.push(program.argv.includes('browser'))
        return opened.start({
          ...program,
          onOutput(stream, chunk) {
            program.onOutput?.(stream, chunk)
            if (chunk.includes('ready')) cells.push(cell)
          },
        })
      },
    }
    return cell
  }
  const network = networkPolicy({ mode: 'default' })
  const browsers = { folder: base, installed: [], reads: [], hasVideo: false }
  return {
    cells,
    withBrowser,
    taken,
    hosts: new ScriptHosts({
      folder,
      openCell: counted,
      runtime,
      browsers,
      network,
      onTaken: (isWarm) => taken.push(isWarm),
    }),
  }
}

async function release({ cell }: ScriptHost): Promise<void> {
  await cell.end()
  await cell.remove()
}

describe('spare script hosts', { timeout: 120_000 }, () => {
  it('are not used after their process has ended', { tags: ['story'] }, async () => {
    const { hosts, cells } = hostsWith()
    hosts.keep([plain])
    await expect.poll(() => cells.length).toBe(1)
    await cells[0]?.end()
    const fresh = await hosts.take(never)
    expect(fresh.cell).toBe(cells[1])
    await release(fresh)
    await expect.poll(() => existsSync(cells[0]?.folder ?? '/')).toBe(false)
    await hosts.close()
  })

  it('are closed or taken, never both', { tags: ['story'] }, async () => {
    const { hosts, cells } = hostsWith()
    hosts.keep([plain])
    const [, taken] = await Promise.all([hosts.close(), hosts.take(never)])
    let isOver = false
    void taken.program.ended.then(() => {
      isOver = true
    })
    await setImmediate()
    expect(isOver).toBe(false)
    await release(taken)
    expect(cells.filter(({ folder }) => existsSync(folder))).toEqual([])
  })

  it('are not awaited by a canceled run', async () => {
    const { hosts } = hostsWith()
    hosts.keep([plain])
    await expect(hosts.take(AbortSignal.abort(new Error('canceled')))).rejects.toThrow('canceled')
    await hosts.close()
  })

  it('are as many as wanted, with a browser where wanted, and the run gets its kind', {
    tags: ['story'],
  }, async () => {
    const { hosts, cells, taken, withBrowser } = hostsWith()
    hosts.keep([plain, withBrowserKind])
    hosts.keep([withBrowserKind, plain])
    await expect.poll(() => cells.length).toBe(2)
    expect(hosts.spareCount).toBe(2)
    const browser = await hosts.take(never, withBrowserKind)
    const other = await hosts.take(never, withBrowserKind)
    const cold = await hosts.take(never, plain)
    expect(taken).toEqual([true, true, false])
    expect(withBrowser.toSorted()).toEqual([false, false, true])
    expect(hosts.spareCount).toBe(0)
    for (const host of [browser, other, cold]) await release(host)
    await hosts.close()
  })

  it('are ended when none has been wanted for some seconds', { tags: ['story'] }, async () => {
    const { hosts, cells } = hostsWith()
    hosts.keep([plain])
    await expect.poll(() => cells.length).toBe(1)
    hosts.keep([])
    expect(hosts.spareCount).toBe(1)
    await expect
      .poll(() => {
        hosts.keep([])
        return hosts.spareCount
      })
      .toBe(0)
    await expect.poll(() => existsSync(cells[0]?.folder ?? '/')).toBe(false)
  })

  it('start again after a temporary failure', { tags: ['story'] }, async () => {
    const folder = join(base, 'absent', 'programs')
    const { hosts } = hostsWith(folder)
    await expect(hosts.take(never)).rejects.toThrow('ENOENT')
    mkdirSync(join(base, 'absent'))
    await release(await hosts.take(never))
    await hosts.close()
  })
})
