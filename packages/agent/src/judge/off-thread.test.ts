import type { Subject } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { agentWaits } from '../core/agent-waits.ts'
import type { Assertion } from './assertion-values.ts'
import { evaluateAssertions } from './assertions.ts'
import { createJudge, judge } from './off-thread.ts'

const items = Array.from({ length: 20_000 }, (_, at) => ({ id: at, name: `item ${at}` }))
const text = JSON.stringify({ items })
const subjects: Record<string, Subject> = {
  STATUS_CODE: { kind: 'number', value: 200 },
  TEXT_BODY: { kind: 'text', value: text },
  JSON_BODY: { kind: 'json', value: { items } },
}

const assertion = (source: Assertion['source'], property: string, comparison: string, target: string) =>
  ({ source, property, comparison, target, regex: '' }) as Assertion

const mixed = [
  assertion('STATUS_CODE', '', 'EQUALS', '200'),
  assertion('JSON_BODY', '$.items[19999].name', 'EQUALS', 'item 19999'),
  assertion('JSON_BODY', '$.items[*].id', 'LESS_THAN', '19999'),
  assertion('TEXT_BODY', 'item (\\d+)"}]', 'EQUALS', '5'),
  assertion('TEXT_BODY', '', 'CONTAINS', 'item 123"'),
  assertion('HEADERS', 'x', 'EQUALS', ''),
  assertion('JSON_BODY', '$[', 'EQUALS', ''),
]

describe('judging off the thread', () => {
  it('finds what judging on the spot finds, small and large', async () => {
    expect(await judge(mixed, subjects)).toEqual(evaluateAssertions(mixed, subjects))
    const small = { ...subjects, TEXT_BODY: { kind: 'text', value: 'item 1' } as const }
    expect(await judge(mixed.slice(3, 5), small)).toEqual(evaluateAssertions(mixed.slice(3, 5), small))
    expect(await judge([], subjects)).toEqual([])
  })

  it('lets the thread go on meanwhile', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const costly = Array.from({ length: 20 }, () => assertion('JSON_BODY', '$..name', 'EQUALS', 'x'))
    await judge(costly, subjects)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(3)
  })

  it('ends an assertion that takes too long, keeps those before it, and is there for the next', async () => {
    const hasty = createJudge({ limitMs: 1, workers: 1 })
    const slow = Array.from({ length: 200 }, () => assertion('JSON_BODY', '$..name', 'EQUALS', 'x'))
    const results = await hasty(slow, subjects)
    expect(results.map(({ order }) => order)).toEqual(slow.map((_, at) => at))
    expect(results.every(({ error }) => error !== undefined)).toBe(true)
    const ended = results.filter(({ error }) => error?.includes('took longer than 0.001 s'))
    expect(ended).toHaveLength(1)
    expect(results.at(-1)?.error).toMatch(/wasn't evaluated/)
    const patient = createJudge({ workers: 1 })
    const all = await Promise.all([1, 2, 3].map(() => patient(mixed, subjects)))
    for (const one of all) expect(one).toEqual(evaluateAssertions(mixed, subjects))
  })

  it('decodes a large body on its thread, and finds what is found in its text', async () => {
    const bytes = Buffer.from(text)
    const contentType = 'application/json; charset=utf-8'
    const undecoded = { kind: 'undecoded', bytes, contentType } as const
    const large: Record<string, Subject> = {
      ...subjects,
      TEXT_BODY: { ...undecoded, as: 'text' },
      JSON_BODY: { ...undecoded, as: 'json' },
    }
    expect(await judge(mixed, large)).toEqual(evaluateAssertions(mixed, subjects))
    expect(bytes.length).toBe(0)
    const json = { 'content-type': 'application/json' }
    const unfinished = { kind: 'undecoded', bytes: Buffer.from(text.slice(0, -1)), contentType } as const
    const [explained] = await judge(mixed.slice(1, 2), {
      HEADERS: { kind: 'named', values: json },
      TEXT_BODY: { ...unfinished, as: 'text' },
      JSON_BODY: { ...unfinished, as: 'json' },
    })
    expect(explained?.error).toMatch(/isn't valid JSON/)
    const broken = { kind: 'undecoded', bytes: Buffer.alloc(300_000, '{'), contentType, as: 'json' } as const
    const one = [assertion('JSON_BODY', '$.a', 'EQUALS', '1')]
    expect(await judge(one, { JSON_BODY: broken })).toEqual(evaluateAssertions(one, {}))
  })

  it.each([
    ['a regular expression of many steps', 'TEXT_BODY', `(${'x?'.repeat(400)}x{400})y`],
    ['a path with filters', 'JSON_BODY', '$..[?@..[?@ == 1]]'],
  ] as const)('takes %s off the main thread, however small the text is', async (_, source, property) => {
    const small: Record<string, Subject> = {
      TEXT_BODY: { kind: 'text', value: 'x'.repeat(2_000) },
      JSON_BODY: { kind: 'json', value: { a: [1] } },
    }
    const waits = agentWaits(() => 0)
    let begun = 0
    waits.watch(() => begun++)
    const one = [assertion(source, property, 'EQUALS', '1')]
    expect(await judge(one, small, { waits })).toEqual(evaluateAssertions(one, small))
    expect(begun).toBe(2)
  })

  it('leaves a thread to small tasks while large ones wait, and lets accounts take turns', async () => {
    const twoThreads = createJudge({ workers: 2 })
    const order: string[] = []
    const slow = Array.from({ length: 40 }, () => assertion('TEXT_BODY', '', 'NOT_CONTAINS', 'y'))
    const largeOf = (owner: string, name: string) => {
      const TEXT_BODY: Subject = {
        kind: 'undecoded',
        bytes: Buffer.alloc(4_000_000, 'x'),
        contentType: 'text/plain',
        as: 'text',
      }
      return twoThreads(slow, { TEXT_BODY }, { owner }).then(() => order.push(name))
    }
    const small = () =>
      twoThreads(
        mixed.slice(4, 5),
        { TEXT_BODY: { kind: 'text', value: 'z'.repeat(70_000) } },
        { owner: 'a' },
      ).then(() => order.push('small'))
    // Both threads are there before anything is compared.
    await Promise.all([small(), small()])
    order.length = 0
    const all = [largeOf('a', 'a1'), largeOf('a', 'a2'), largeOf('a', 'a3'), largeOf('b', 'b1'), small()]
    await Promise.all(all)
    expect(order.filter((name) => name !== 'small')).toEqual(['a1', 'a2', 'b1', 'a3'])
    expect(order.indexOf('small')).toBeLessThan(order.indexOf('a3'))
  })

  it('judges a document on the spot that nests too deeply to be handed over', async () => {
    const deep = `${'['.repeat(200_000)}1${']'.repeat(200_000)}`
    const nested: Record<string, Subject> = {
      TEXT_BODY: { kind: 'text', value: deep },
      JSON_BODY: { kind: 'json', value: JSON.parse(deep) },
    }
    const one = [assertion('JSON_BODY', '$[0]', 'NOT_EMPTY', '')]
    expect(await judge(one, nested)).toEqual(evaluateAssertions(one, nested))
  })
})
