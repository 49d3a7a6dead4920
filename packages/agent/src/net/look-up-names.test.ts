import { afterEach, expect, it } from 'vitest'
import { closeDnsServers, replyTo, serveDns } from './dns-server.fixture.ts'
import { lookUpNames } from './look-up-names.ts'

afterEach(closeDnsServers)

const signal = new AbortController().signal

it('finds the names, with one query per address', async () => {
  const { port, asked } = await serveDns((query) => {
    const name = query.query.questions?.[0]?.name ?? ''
    return replyTo(query, name === '1.2.0.192.in-addr.arpa' ? [{ type: 'PTR', name, data: 'core.test' }] : [])
  })
  const servers = [`127.0.0.1:${port}`]
  const names = await lookUpNames(['192.0.2.1', '192.0.2.2', '192.0.2.1'], { signal, servers })
  expect([...names]).toEqual([['192.0.2.1', 'core.test']])
  expect(asked).toHaveLength(2)
})

it('returns no names if the name server is silent or the run is aborted', async () => {
  const { port } = await serveDns(() => null)
  const servers = [`127.0.0.1:${port}`]
  expect(await lookUpNames(['192.0.2.1'], { signal, servers, timeoutMs: 50 })).toEqual(new Map())
  const stop = new AbortController()
  const names = lookUpNames(['192.0.2.1'], { signal: stop.signal, servers, timeoutMs: 60_000 })
  stop.abort()
  expect(await names).toEqual(new Map())
  expect(await lookUpNames(['192.0.2.1'], { signal: stop.signal, servers })).toEqual(new Map())
})
