import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScrubber } from '../scrub/scrub.ts'
import { everyText, gzipOf, reportPage, scrubbedFile, tarOf, zipOf } from './scrub.fixture.ts'

type Encode = (text: string) => string

const json = (text: string) => JSON.stringify(text).slice(1, -1)
const encodings: Encode[] = [
  (text) => text,
  encodeURIComponent,
  json,
  (text) => json(json(text)),
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(text).toString('base64url'),
  (text) => Buffer.from(text).toString('hex'),
  (text) => Buffer.from(text).toString('hex').toUpperCase(),
  (text) => Buffer.from(json(text)).toString('base64'),
]

/** Inside longer base64, only the middle of it is the same. */
const shifted: Encode[] = [1, 2, 3].map((before) => (text) => {
  return Buffer.from(`${'u'.repeat(before)}${text}tail`).toString('base64')
})

/** Base64 contains slashes, which a name can't; there is a form for that. */
const inName = (planted: string) =>
  planted.includes('/') ? planted.replaceAll('/', '_').replaceAll('+', '-') : planted

const carriers: [string, (planted: string) => Promise<[name: string, content: string | Buffer]>][] = [
  ['a text', async (planted) => ['a.txt', `before ${planted} after\n`]],
  [
    'a text, on the border of two pieces',
    async (planted) => ['a.txt', `${'-'.repeat(256 * 1024 - 4)}${planted}!`],
  ],
  ['a document', async (planted) => ['a.json', JSON.stringify({ a: [{ b: `x${planted}` }], [planted]: 1 })]],
  ['a recording', async (planted) => ['a.har', JSON.stringify({ log: { entries: [{ text: planted }] } })]],
  [
    'a member',
    async (planted) => [
      'a.zip',
      await zipOf([
        ['m.txt', `x${planted}y`],
        ['n.json', JSON.stringify([planted])],
      ]),
    ],
  ],
  ["a member's name", async (planted) => ['a.zip', await zipOf([[`dir/x${inName(planted)}y.png`, '']])]],
  [
    'a trace',
    async (planted) => ['t.zip', await zipOf([['1.trace', `${JSON.stringify({ title: planted })}\n`]])],
  ],
  [
    'an archive in an archive',
    async (planted) => ['a.zip', await zipOf([['b.zip', await zipOf([['c', planted]])]])],
  ],
  ['a packed tar', async (planted) => ['a.tar.gz', gzipOf(tarOf([['a', `x${planted}`]]))]],
  ['a packed text', async (planted) => ['a.log.gz', gzipOf(`${planted}\n`)]],
  [
    'a report',
    async (planted) => ['index.html', await reportPage([['r.json', JSON.stringify({ planted })]])],
  ],
  [
    'bytes',
    async (planted) => [
      'a.bin',
      Buffer.concat([Buffer.from([0, 1, 255]), Buffer.from(planted), Buffer.from([0])]),
    ],
  ],
]

/** Long enough not to be in a file by chance; no slash, which a name would lose. */
const secrets = fc
  .oneof(
    fc.string({ minLength: 8, maxLength: 30 }),
    fc.string({ minLength: 8, maxLength: 90, unit: fc.constantFrom(...'abcXYZ019"\\ é<&+=%\n') }),
    fc.string({ minLength: 8, maxLength: 20, unit: fc.constantFrom(...'ab*-_') }),
  )
  .filter((text) => text.trim().length >= 8 && !/^[*\s-]*$/.test(text) && !text.includes('/'))
  .filter((text) => !/^[\x20-\x2f:;<=>?@[\\\]^_`{|}~\s]*$/.test(text))

describe('a secret', () => {
  it.each(carriers)('is found nowhere in %s', async (_, carry) => {
    await fc.assert(
      fc.asyncProperty(secrets, fc.nat(encodings.length - 1), async (secret, encoding) => {
        const [name, content] = await carry(encodings[encoding]!(secret))
        const { bytes } = await scrubbedFile(name, content, [secret])
        // Only one that comes about beside its own masks can be too much.
        if (bytes === null) return expect(secret).toContain('*')
        const texts = await everyText(bytes)
        for (const encode of encodings)
          for (const text of texts) expect(text.includes(encode(secret))).toBe(false)
      }),
      { numRuns: 60 },
    )
  })

  it.each(carriers)('is found nowhere in %s, inside base64', async (_, carry) => {
    await fc.assert(
      fc.asyncProperty(secrets, fc.nat(2), async (secret, shift) => {
        const planted = shifted[shift]!(secret)
        const [name, content] = await carry(planted)
        const { bytes } = await scrubbedFile(name, content, [secret])
        // Only one that comes about beside its own masks can be too much.
        if (bytes === null) return expect(secret).toContain('*')
        const middle = planted.slice(8, -12)
        for (const text of await everyText(bytes)) expect(middle !== '' && text.includes(middle)).toBe(false)
      }),
      { numRuns: 30 },
    )
  })

  it('is found in chunks of any size as in the whole', () => {
    const unit = fc.constantFrom('ab', 'b', 'c', 'abc', '*', '\n')
    const pieces = fc.array(fc.string({ unit, maxLength: 30 }), { maxLength: 12 })
    const hidden = fc.array(fc.string({ unit, minLength: 2, maxLength: 60 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(pieces, hidden, fc.boolean(), (texts, all, keepsLength) => {
        const scrubber = createScrubber(all)
        const whole = scrubber.scan({ keepsLength }).end(texts.join(''))
        const scan = scrubber.scan({ keepsLength })
        const pieceByPiece = texts.map((text) => scan.push(text)).join('') + scan.end()
        expect(pieceByPiece).toBe(whole)
        if (keepsLength) expect(whole).toHaveLength(texts.join('').length)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a file without a secret', () => {
  it('is unchanged', async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc.string({ unit: 'grapheme', maxLength: 500 }).map((text) => Buffer.from(text)),
    )
    const name = fc.constantFrom('a.txt', 'a.json', 'a.har', 'a.html', 'a.bin', 'a.trace', 'a.webm')
    await fc.assert(
      fc.asyncProperty(name, content, async (file, bytes) => {
        const scrubbed = await scrubbedFile(file, bytes, ['a secret that is nowhere', 'another-of-them'])
        // What begins like an archive and is none is not kept.
        if (scrubbed.bytes !== null) expect(scrubbed.bytes.equals(bytes)).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
