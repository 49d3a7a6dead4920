import { describe, expect, it } from 'vitest'
import { createLog } from '../core/log.ts'
import { createReports } from './report.ts'

function reportsAt(time: { now: number }, isTold = true) {
  const sent: Record<string, unknown>[] = []
  const lines: string[] = []
  const client = {
    call: (_call: string, body: string | Buffer) => {
      sent.push(JSON.parse(`${body}`))
      return Promise.reject(new Error('the server is away'))
    },
  }
  const clock = { now: () => time.now, monotonic: () => time.now }
  const identity = { agentId: crypto.randomUUID(), version: '1', agentName: 'probe-1' }
  const log = createLog('ERROR', (line) => lines.push(line))
  return { reports: createReports(identity, isTold ? client : null, clock, log), sent, lines }
}

describe('reports of errors', () => {
  it('are reported once a minute, and at most ten per minute', () => {
    const time = { now: 0 }
    const { reports, sent } = reportsAt(time)
    for (let at = 0; at < 3; at++) reports.send('the same')
    expect(sent).toMatchObject([{ level: 'error', message: 'the same', at: 0, version: '1' }])
    for (let at = 0; at < 20; at++) reports.send(`another ${at}`)
    expect(sent).toHaveLength(10)
    time.now = 60_001
    reports.send('the same')
    expect(sent).toHaveLength(11)
  })

  it('of a bug contain its stack frames, but not its message', () => {
    const { reports, sent, lines } = reportsAt({ now: 0 })
    reports.reportBug('bug.test', Object.assign(new Error('https://ann:hunter2@a.test'), { code: 'EODD' }))
    reports.reportBug('bug.test', 'hunter2')
    expect(sent[0]).toMatchObject({
      message: 'bug.test: Error EODD',
      stack: expect.stringContaining('report.test.ts'),
    })
    expect(JSON.stringify(sent)).not.toContain('hunter2')
    expect(lines[0]).toContain('hunter2')
  })

  it('go nowhere when that is off, but into the log', () => {
    const { reports, sent, lines } = reportsAt({ now: 0 }, false)
    reports.send('an error')
    expect([sent.length, lines.length]).toEqual([0, 1])
  })
})
