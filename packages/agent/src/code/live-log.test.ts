import type { Job } from '@vedette/contracts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { jobExample } from '../connection/agent-server.fixture.ts'
import type { LogLine } from './code-runner.ts'
import { type LiveLogDeps, logScrubber, openLiveLog, scrubLine } from './live-log.ts'
import { OutputLog } from './output-log.ts'

type Message = Parameters<LiveLogDeps['send']>[0]

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const job = (changes: Partial<Job> = {}) =>
  jobExample('http://127.0.0.1:1', { checkType: 'PLAYWRIGHT', streamLogs: true, ...changes })

/** A live log whose server answers with these; after the last one, that it wants more. */
function open(given: Job, ...answers: (boolean | Error)[]) {
  const messages: Message[] = []
  const live = openLiveLog(given, {
    now: () => 5,
    async send(message) {
      messages.push(message)
      const answer = answers.shift() ?? true
      if (answer instanceof Error) throw answer
      return answer
    },
  })
  if (live === null) throw new Error('it is not open')
  const clock = { now: () => 5 }
  const output = new OutputLog({ clock, onLine: live.add })
  const print = (text: string) => output.write('stdout', Buffer.from(text))
  const texts = () => messages.flatMap(({ lines }) => lines.map(({ msg }) => msg))
  return { live, messages, print, output, texts }
}

const second = () => vi.advanceTimersByTimeAsync(1_000)

describe('the log of a run in progress', () => {
  it('is sent in whole lines, at most once a second, and the rest at the end', async () => {
    const { messages, print, texts, live } = open(job())
    print('one\ntwo\nthr')
    expect(messages).toEqual([])
    await second()
    expect(messages).toMatchObject([
      { firstLine: 0, lines: [{ msg: 'one' }, { msg: 'two', level: 'INFO', time: 5 }] },
    ])
    print('ee\n')
    await second()
    print('four\n')
    live.close()
    await second()
    expect(texts()).toEqual(['one', 'two', 'three', 'four'])
    expect(messages.map(({ firstLine }) => firstLine)).toEqual([0, 2, 3])
  })

  it('is not sent unless the server asks for it, as servers of earlier releases do not', () => {
    const { streamLogs: _, ...older } = job()
    expect(openLiveLog(older, { now: () => 5, send: async () => true })).toBeNull()
  })

  it.each([
    ['in two chunks', ['the password is hun', 'ter2!\n']],
    ['one character at a time', [...'hunter2\n']],
    ['encoded', [`${encodeURIComponent('hunter2 &')} and ${btoa('hunter2 &')}\n`]],
    ['in a line that is too long', [`${'x'.repeat(9_996)}hunter2 & more\n`]],
    ['in a header', ['  - Authorization: Bearer abc', 'def\n']],
  ])('contains no secret that is printed %s, exactly like the result', async (_, chunks) => {
    const secrets = ['hunter2', 'hunter2 &']
    const { print, texts, output, live } = open(job({ secrets }))
    for (const chunk of chunks) {
      print(chunk)
      await second()
    }
    live.close()
    await second()
    expect(texts().join('\n')).not.toMatch(/hunt|abcdef|aHVudGVy/)
    const scrubber = logScrubber(secrets)
    const stored = output.lines().map((line: LogLine) => scrubLine(scrubber, line).msg)
    expect(texts()).toEqual(stored)
  })

  it('is held back for scripts that may set secrets', async () => {
    const check = {
      checkType: 'BROWSER',
      name: 'x',
      script: 'process.env.SERVICE_SECRET_TOKEN = make()',
    } as const
    const { print, texts } = open(job({ checkType: 'BROWSER', check }))
    print('the token\n')
    await second()
    expect(texts()).toEqual([expect.stringContaining('its log is shown when it has ended')])
  })

  it('is sent again after a failure, as it was', async () => {
    const { messages, print } = open(job(), new Error('unreachable'))
    print('one\n')
    await second()
    print('two\n')
    await second()
    await second()
    expect(messages.map(({ firstLine, lines }) => [firstLine, lines.length])).toEqual([
      [0, 1],
      [0, 1],
      [1, 1],
    ])
  })

  it('ends when the server wants no more, and when it is large', async () => {
    const refused = open(job(), false)
    refused.print('one\n')
    await second()
    refused.print('two\n')
    await second()
    expect(refused.texts()).toEqual(['one'])

    const large = open(job())
    for (let line = 0; line < 1_000; line++) large.print(`${'x'.repeat(1_000)}\n`)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(large.texts().at(-1)).toContain('The rest is shown when the run has ended')
    expect(large.texts().join('').length).toBeLessThan(450_000)
    for (const { lines } of large.messages) expect(JSON.stringify(lines).length).toBeLessThan(100_000)
  })
})
