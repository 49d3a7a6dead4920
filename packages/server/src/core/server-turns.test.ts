import { expect, it } from 'vitest'
import { ServerTurns } from './server-turns.ts'

const ranks = [0, 1, 2]

function serversAt(now: () => number): ServerTurns[] {
  return ranks.map((rank) => {
    const turns = new ServerTurns(now)
    turns.update({ rank, count: ranks.length })
    return turns
  })
}

it('a server that knows of no others has every turn', () => {
  let now = 0
  const alone = new ServerTurns(() => now)
  for (; now < 5_000; now += 250) expect(alone.isOwn(250)).toBe(true)
  expect(alone.shareBefore('eu-west-1')).toBe(0)
})

it('of several servers, one has each turn, and each has as many', () => {
  let now = 0
  const servers = serversAt(() => now)
  const counts = ranks.map(() => 0)
  for (; now < 250 * 30; now += 250) {
    const owners = ranks.filter((rank) => servers[rank]?.isOwn(250))
    expect(owners).toHaveLength(1)
    for (const rank of owners) counts[rank] = (counts[rank] ?? 0) + 1
  }
  expect(counts).toEqual([10, 10, 10])
})

it('for each name they have an order', () => {
  const servers = serversAt(() => 0)
  for (const name of ['eu-west-1', 'us-east-1', 'ap-south-1', 'f7a1f2f4-6a1c-4a5e-9d5b-0c5b5d1d7f11'])
    expect(servers.map((turns) => turns.shareBefore(name)).sort()).toEqual([0, 1 / 3, 2 / 3])
})
