import { describe, expect, it } from 'vitest'
import type { LocationStatus } from '../../api/types.ts'
import { stateOfLocation } from './location-words.ts'

const agent: LocationStatus['agents'][number] = {
  ...{ id: 'a', name: 'box', kind: 'private', state: 'running', version: '1.0.0', isOutdated: false },
  ...{ startedAt: '2026-01-01T00:00:00.000Z', lastSeenAt: '2026-01-01T00:00:00.000Z', checkTypes: ['URL'] },
  ...{ slots: null, running: null, isolation: null, network: null },
}
const office: LocationStatus = {
  ...{ location: 'office', name: 'Office', privateLocationId: 'p', agents: [agent], checkCount: 2 },
  ...{ waiting: { runs: 0, oldestMs: 0 }, lag: null, alarm: null },
}
const alarm: NonNullable<LocationStatus['alarm']> = {
  ...{
    id: 'x',
    location: 'office',
    kind: 'overdue',
    cause: 'unserved_type',
    checkIds: [],
    checkCount: 2,
    checks: [],
    unservedTypes: ['BROWSER'],
  },
  ...{ openedAt: '2026-01-01T00:00:00.000Z', resolvedAt: null },
}

describe('the state of a location', () => {
  it.each<[string, Partial<LocationStatus>, string, string]>([
    ['with an agent', {}, 'passing', '1 agent connected, 2 checks run here.'],
    ['without', { agents: [] }, 'failing', 'No agent is connected: 2 checks don’t run here. Start one.'],
    [
      'whose agent is gone',
      { agents: [{ ...agent, state: 'gone' }], checkCount: 1 },
      'failing',
      'No agent is connected: 1 check doesn’t run here. Start one.',
    ],
    [
      'that nobody uses',
      { agents: [], checkCount: 0 },
      'inactive',
      'No agent is connected, and no check runs here yet.',
    ],
    [
      'with runs that wait long',
      { waiting: { runs: 3, oldestMs: 90_000 } },
      'degraded',
      '1 agent connected, but 3 runs wait for a free slot.',
    ],
    ['with an alarm', { alarm }, 'degraded', '1 agent connected, but none of them can run BROWSER checks.'],
  ])('%s', (_, change, state, sentence) => {
    expect(stateOfLocation({ ...office, ...change })).toMatchObject({ state, sentence })
  })
})
