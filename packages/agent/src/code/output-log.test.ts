import { describe, expect, it } from 'vitest'
import { OutputLog } from './output-log.ts'

const clock = { now: () => 7.4 }
const logOf = (...chunks: string[]) => {
  const log = new OutputLog({ clock })
  for (const chunk of chunks) log.write('stdout', Buffer.from(chunk))
  return log
}
const texts = (log: OutputLog) => log.lines().map(({ msg }) => msg)

describe('the log of a run', () => {
  it('splits chunks into lines, without colors and empty lines', () => {
    const log = logOf('one\ntw', 'o\r\n\n\u001b[31mthr', 'ee\u001b[0m')
    log.write('stderr', Buffer.from('oh'))
    log.note('done')
    expect(log.lines()).toEqual([
      { time: 7, level: 'INFO', msg: 'one' },
      { time: 7, level: 'INFO', msg: 'two' },
      { time: 7, level: 'INFO', msg: 'three' },
      { time: 7, level: 'ERROR', msg: 'oh' },
      { time: 7, level: 'INFO', msg: 'done' },
    ])
  })

  it('keeps the beginning of an endless line, with a mark', () => {
    const log = logOf(...Array.from({ length: 100 }, () => 'x'.repeat(1_000)), 'secret\nnext\n')
    expect(texts(log)).toEqual([`${'x'.repeat(10_000)}…`, 'next'])
  })

  it('keeps the first and the last lines, and counts those it left out', () => {
    const log = new OutputLog({ clock })
    for (let at = 0; at < 100_000; at++) log.write('stdout', Buffer.from(`line ${at}\n`))
    for (let at = 0; at < 100_000; at++) log.note(`note ${at}`, 'WARN')
    const lines = texts(log)
    expect(lines[0]).toBe('line 0')
    expect(lines.at(-1)).toBe('note 99999')
    expect(lines.some((text) => /^… \d+ lines left out …$/.test(text))).toBe(true)
    expect(JSON.stringify(log.lines()).length).toBeLessThan(800_000)
  })

  it('returns whole lines as its tail', () => {
    const log = logOf('first token-4711\nsecond token-4711\nthird\n')
    expect(log.tail(24)).toBe('second token-4711\nthird')
    expect(log.tail(23)).toBe('third')
    expect(logOf('x'.repeat(50)).tail(10)).toBe(`${'x'.repeat(10)}…`)
    expect(new OutputLog({ clock }).tail(10)).toBe('')
  })
})
