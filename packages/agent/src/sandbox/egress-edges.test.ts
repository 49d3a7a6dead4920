// Connections through the egress that end oddly, beside the same ones made directly: nothing that a direct one keeps is lost.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners } from '../net/listeners.fixture.ts'
import { type CellWay, cellWays, closeCell, nodeArgs, runNode, skipWithoutIsolation } from './cell.fixture.ts'
import { relayPort } from './cell-programs/relay.ts'
import type { CellStage } from './cell-stage.ts'
import {
  bigBytes,
  type EdgeServers,
  edgeVisitor,
  responseBytes,
  startEdgeServers,
} from './egress-edges.fixture.ts'

let stage: CellStage
let strong: CellWay | undefined
let servers: EdgeServers
beforeAll(async () => {
  const opened = await cellWays()
  stage = opened.stage
  strong = opened.ways.find(({ level }) => level === 'strong')
  servers = await startEdgeServers()
})
afterAll(async () => {
  stage.remove()
  await closeListeners()
})

const expected = {
  early: { received: responseBytes, isBroken: true },
  cut: { received: responseBytes, error: 'ECONNRESET', hasEnded: false },
  slow: { received: bigBytes, error: null, hasEnded: true },
  half: { received: 'goodbye'.length, error: null, hasEnded: true },
  many: 100,
  webSocket: 'ping',
}

describe('a program handles early responses, resets, slow readers, half-closed and many connections, and a WebSocket', () => {
  const heardBy = async (run: () => Promise<string>) => {
    const before = servers.receivedAfterEnd.length
    const found = JSON.parse(await run())
    await expect.poll(() => servers.receivedAfterEnd.slice(before)).toEqual([100_000])
    return found
  }

  it('directly', async () => {
    const program = edgeVisitor(servers.ports)
    const run = async () => (await promisify(execFile)(process.execPath, [...nodeArgs, '-e', program])).stdout
    expect(await heardBy(run)).toEqual(expected)
  }, 60_000)

  it.for<[string, number | null]>([
    ['and alike in a cell', null],
    ['and alike by the proxy there', relayPort],
  ])('%s', { timeout: 60_000 }, async ([, socksPort], { skip }) => {
    if (!strong) return skipWithoutIsolation(skip)
    const cell = await strong.open()
    try {
      const run = async () => {
        const { stdout, stderr } = await runNode(cell, edgeVisitor(servers.ports, socksPort))
        return stdout || JSON.stringify(stderr)
      }
      expect(await heardBy(run)).toEqual(expected)
    } finally {
      await closeCell(cell)
    }
  })
})
