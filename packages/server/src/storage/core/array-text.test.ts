import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { arrayText, quotedArrayText } from './array-text.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** What PostgreSQL reads, and whether the driver's own writing comes to the same. */
async function read(written: string, values: unknown[], type: string) {
  const { rows } = await database.store.pool.query(
    `select $1::${type}[] as read, $1::${type}[] is not distinct from $2::${type}[] as "isSame"`,
    [written, values],
  )
  return rows[0]
}

const hard = [
  ...['', ' ', 'NULL', 'null', '"', '\\', '""', '\\"', '\\\\n', "'", '{', '}', '{}', ',', '{"a",NULL}'],
  ...[
    'a\nb',
    '\r\n\t',
    '"\n',
    '\\\n',
    '"\u0001',
    '\u007f"',
    '"\u0085',
    '"\u2028\\',
    'ä',
    '"漢字',
    '"😀\\',
    '\ufeff"',
  ],
]

describe('an array of texts', () => {
  it('is read as it was written, with any content', async () => {
    const values = [...hard, null, JSON.stringify({ body: hard.join(' ') }), hard.join('\\')]
    expect(await read(quotedArrayText(values), values, 'text')).toEqual({ read: values, isSame: true })
  })

  it('is read as it was written, for random texts', async () => {
    const anything = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', ''))
    const pieces = fc.array(fc.constantFrom(...hard), { maxLength: 5 }).map((parts) => parts.join(''))
    const texts = fc.array(fc.option(fc.oneof(anything, pieces, fc.json()), { nil: null }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        expect(await read(quotedArrayText(values), values, 'text')).toEqual({ read: values, isSame: true })
      }),
      { numRuns: 100 },
    )
  })

  it('replaces lone surrogates by U+FFFD, like the driver', async () => {
    const values = ['"\ud83d', '\ude00\\', 'a\ud83db']
    const expected = { read: ['"\ufffd', '\ufffd\\', 'a\ufffdb'], isSame: true }
    expect(await read(quotedArrayText(values), values, 'text')).toEqual(expected)
  })

  it('refuses NUL characters, like PostgreSQL', async () => {
    await expect(read(quotedArrayText(['"\0']), ['a'], 'text')).rejects.toMatchObject({ code: '22021' })
  })
})

describe('an array of plain values', () => {
  it.each<[string, (string | number | boolean | null)[]]>([
    ['float8', [0, -0, 1.5, -1e21, 5e-324, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY, null]],
    ['bigint', [0, -1, Number.MAX_SAFE_INTEGER, null]],
    ['boolean', [true, false, null]],
    ['uuid', ['8f14e45f-ceea-467f-a0e6-0a1b2c3d4e5f', null]],
    ['text', ['FINAL', 'missed_ping', 'eu-west-1', null]],
    ['text', []],
  ])('of %s is read as the driver would have it', async (type, values) => {
    expect((await read(arrayText(values), values, type)).isSame).toBe(true)
  })

  it('keeps every digit of any number', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ noDefaultInfinity: true, noNaN: true }), { maxLength: 50 }),
        async (values) => {
          expect((await read(arrayText(values), values, 'float8')).isSame).toBe(true)
        },
      ),
    )
  })
})
