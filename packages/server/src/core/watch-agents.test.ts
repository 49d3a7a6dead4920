import { expect, it } from 'vitest'
import { createEventLog } from './event-log.ts'
import { type SeenAgent, watchAgents } from './watch-agents.ts'

it('logs which agents connect, stop and disappear, but not those that were connected before', async () => {
  const lines: string[] = []
  const log = createEventLog({ info: ((_fields: object, text: string) => lines.push(text)) as never })
  let seen: SeenAgent[] = [{ id: '1', name: 'old', kind: 'operator', state: 'running', serves: 'eu-west-1' }]
  const look = watchAgents(async () => seen, log)
  await look()
  expect(lines).toEqual([])
  const office: SeenAgent = { id: '2', name: 'nuc', kind: 'private', state: 'running', serves: 'office' }
  seen = [office]
  await look()
  await look()
  seen = [{ ...office, state: 'draining' }]
  await look()
  expect(lines).toEqual([
    'Agent nuc of private location office is connected.',
    'Agent old of eu-west-1 is gone: it has not been seen for 30 s.',
    'Agent nuc of private location office has stopped.',
  ])
})
