// A browser whose connections break off, hold much or stay open: through the egress of a cell it sees what it sees directly.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeListeners } from '../net/listeners.fixture.ts'
import { skipWithoutIsolation } from '../sandbox/cell.fixture.ts'
import { bigBytes, startEdgeServers } from '../sandbox/egress-edges.fixture.ts'
import { cellLevel } from '../sandbox/open-cell.ts'
import { openFallbackWorld } from './fallback-level.fixture.ts'
import { openScriptWorld } from './script/script.fixture.ts'

let script: string
beforeAll(async () => {
  const { ports } = await startEdgeServers()
  script = `const { chromium } = require('playwright')
    const browser = await chromium.launch()
    const page = await browser.newPage()
    const url = 'http://127.0.0.1:${ports.web}'
    await (await browser.newPage()).goto(url + '/reset').catch(({ message }) => console.log(/net::\\w+/.exec(message)[0]))
    await page.goto(url)
    const seen = await page.evaluate(async () => {
      const many = Array.from({ length: 20 }, () => fetch('/big').then(async (response) => (await response.blob()).size))
      const socket = new WebSocket(location.href.replace('http', 'ws'))
      const received = new Promise((settle) => { socket.onmessage = ({ data }) => settle(data) })
      socket.onopen = () => socket.send('ping')
      return { bytes: (await Promise.all(many)).reduce((sum, size) => sum + size, 0), received: await received }
    })
    console.log(seen.bytes, seen.received)
    await browser.close()`
})
afterAll(closeListeners)

const expected = ['net::ERR_CONNECTION_RESET', `${20 * bigBytes} ping`]

it('directly', { tags: ['story'], timeout: 120_000 }, async () => {
  const world = await openFallbackWorld()
  try {
    const outcome = await world.run(script)
    expect(outcome.failure).toBeNull()
    expect(outcome.log.map(({ msg }) => msg)).toEqual(expect.arrayContaining(expected))
  } finally {
    await world.close()
  }
})

it('in a cell', async ({ skip }) => {
  const { level } = await cellLevel()
  const world = await openScriptWorld()
  try {
    if (level !== 'strong') return skipWithoutIsolation(skip)
    const outcome = await world.run(script)
    expect(outcome.failure).toBeNull()
    expect(outcome.log.map(({ msg }) => msg)).toEqual(expect.arrayContaining(expected))
  } finally {
    await world.close()
  }
}, 120_000)
