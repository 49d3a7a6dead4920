import { deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { mask } from '../scrub/scrub.ts'
import { everyText, gzipOf, membersOf, pngOf, reportPage, scrubbedFile, zipOf } from './scrub.fixture.ts'

const secret = 'swordfish-77/é'
const sha1 = '3efcf972ffe95883829889d4093c809f515e423b'

async function textOf(name: string, content: string | Buffer, secrets = [secret]): Promise<string> {
  return String((await scrubbedFile(name, content, secrets)).bytes)
}

describe('a text', () => {
  it('contains no secret, wherever chunks end', async () => {
    const piece = 256 * 1024
    for (const before of [piece - 3, piece - 1, 2 * piece - 8]) {
      const text = await textOf('a.txt', `${'x'.repeat(before)}${secret}${'y'.repeat(300_000)}`)
      expect(text).toBe(`${'x'.repeat(before)}${mask}${'y'.repeat(300_000)}`)
    }
  })

  it('contains none in UTF-16 either', async () => {
    const text = Buffer.from(`\ufeffa ${secret} b`, 'utf16le')
    const { bytes } = await scrubbedFile('a.txt', text, [secret])
    expect(bytes).toHaveLength(text.length)
    expect(bytes?.toString('utf16le')).not.toContain('sword')
  })

  it('keeps no credentials of requests', async () => {
    const log = 'Call log:\n\x1b[2m    - Authorization: Bearer abc\x1b[22m\n  - accept: */*\n'
    const object = `{ headers: { authorization: 'Basic xyz', accept: 'a' } }\n`
    expect(await textOf('a.log', log + object, [])).toBe(
      `Call log:\n\x1b[2m    - Authorization: ${mask}\n  - accept: */*\n{ headers: { authorization: '${mask}', accept: 'a' } }\n`,
    )
  })

  it('contains no secret that color sequences split', async () => {
    const text = await textOf('a.log', `\x1b[31mgot\x1b[0m\nexpected "sword\x1b[7mfish\x1b[27m-77/é"\n`)
    expect(text).toBe(`got\nexpected "${mask}"\n`)
  })

  it('without a secret is unchanged', async () => {
    for (const [name, content] of [
      ['a.txt', 'nothing\n'],
      ['a.json', '{"a": [1, "b", {"c": null}], "é": "\\u00e9"}'],
      ['a.bin', Buffer.from([0, 1, 2, 255])],
      ['a.png', pngOf([['pHYs', Buffer.alloc(9)]])],
      ['a.txt', ''],
    ] as const) {
      expect(await scrubbedFile(name, content, [secret])).toMatchObject({ isSame: true, notes: [] })
    }
  })
})

describe('the name of a file', () => {
  it.each([
    [`a/${secret}.png`, `a/${mask}.png`],
    [`shot-${encodeURIComponent(secret)}.png`, `shot-${mask}.png`],
    ['test-results/a-swordfish-77-é/x.png', `test-results/a-${mask}/x.png`],
    ['../../etc/./passwd', 'etc/passwd'],
    ['a\u0000b\u001b[31m\\c', 'a_b_[31m_c'],
    ['///', 'file'],
  ])('%j becomes %j', async (name, scrubbed) => {
    expect((await scrubbedFile(name, 'x', [secret])).name).toBe(scrubbed)
  })

  it('is truncated to the limit of the server after scrubbing', async () => {
    const long = `${secret}${'x'.repeat(480 - secret.length / 2)}.png`
    const name = (await scrubbedFile(long, 'x', [secret])).name ?? ''
    expect(name).toHaveLength(480)
    expect([name.slice(-5), name.includes('fish')]).toEqual(['x.png', false])
  })
})

describe('a JSON document', () => {
  it('has masks in strings, keys and numbers, and stays valid', async () => {
    const given = {
      [`k${secret}`]: [secret, { n: 424242, m: 42, t: true }],
      deep: JSON.stringify({ a: secret }),
    }
    const text = await textOf('data.json', JSON.stringify(given), [secret, '424242'])
    expect(JSON.parse(text)).toEqual({
      [`k${mask}`]: [mask, { n: mask, m: 42, t: true }],
      deep: JSON.stringify({ a: mask }),
    })
  })

  it('masks a secret with unnecessary escapes', async () => {
    const escaped = [...'swordfish'].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('')
    expect(JSON.parse(await textOf('a.json', `{"a":"x ${escaped} y"}`, ['swordfish']))).toEqual({
      a: `x ${mask} y`,
    })
  })

  it('masks a secret that is itself a JSON document', async () => {
    const key = '{"type":"service","key":"abc"}'
    expect(await textOf('a.json', `[1, ${key}]`, [key])).not.toContain('service')
  })

  it("is scrubbed as text if it isn't JSON", async () => {
    expect(await textOf('a.json', `{"a": ${secret}`)).toBe(`{"a": ${mask}`)
  })
})

const traceLine = (extra: object) => `${JSON.stringify({ type: 'event', ...extra })}\n`

describe('a trace', () => {
  const headers = [
    { name: 'Authorization', value: 'Bearer abc' },
    { value: 'sid=1', name: 'cookie' },
    { name: 'accept', value: '*/*' },
  ]

  it('keeps numbers and references but no credentials', async () => {
    const entry = {
      snapshot: {
        request: {
          url: `http://x/?q=${encodeURIComponent(secret)}`,
          headers,
          cookies: [{ name: 'a', value: 'b' }],
        },
        content: { size: 424242, _sha1: `${sha1}.json` },
        response: { headers: [{ name: 'Set-Cookie', value: 'sid=1; Path=/' }] },
        pageref: 'page@424242',
      },
      options: {
        httpCredentials: { username: 'ann', password: 'pw' },
        extraHTTPHeaders: headers,
        tracesDir: '/424242',
      },
      message: '  authorization: Bearer abc',
    }
    const zip = await zipOf([
      ['trace.network', traceLine(entry) + traceLine({ a: 1 })],
      ['trace.trace', ''],
    ])
    const { bytes } = await scrubbedFile('trace.zip', zip, [secret, '424242', sha1.slice(3, 9)], 'trace')
    const lines = String((await membersOf(bytes!)).get('trace.network'))
      .trim()
      .split('\n')
    const masked = [
      { name: 'Authorization', value: mask },
      { value: mask, name: 'cookie' },
      { name: 'accept', value: '*/*' },
    ]
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        type: 'event',
        snapshot: {
          request: { url: `http://x/?q=${mask}`, headers: masked, cookies: [{ name: 'a', value: mask }] },
          content: { size: 424242, _sha1: `${sha1}.json` },
          response: { headers: [{ name: 'Set-Cookie', value: mask }] },
          pageref: 'page@424242',
        },
        options: {
          httpCredentials: { username: 'ann', password: mask },
          extraHTTPHeaders: masked,
          tracesDir: '/424242',
        },
        message: `  authorization: ${mask}`,
      },
      { type: 'event', a: 1 },
    ])
  })

  it('keeps the names of its resources and scrubs their contents', async () => {
    const zip = await zipOf([
      [`resources/${sha1}.html`, `<title>${secret}</title>`],
      [`resources/page@${sha1}-1.jpeg`, Buffer.from('ffd8ffd9', 'hex')],
      [`resources/src@${sha1}.txt`, 'code'],
      [`resources/${secret}.txt`, 'x'],
      ['trace.trace', traceLine({ sha1: `${sha1}.html` })],
    ])
    const members = await membersOf(
      (await scrubbedFile('t.zip', zip, [secret, sha1.slice(0, 5)], 'trace')).bytes!,
    )
    expect([...members.keys()]).toEqual([
      `resources/${sha1}.html`,
      `resources/page@${sha1}-1.jpeg`,
      `resources/src@${sha1}.txt`,
      `resources/${mask}.txt`,
      'trace.trace',
    ])
    expect(String(members.get(`resources/${sha1}.html`))).toBe(`<title>${mask}</title>`)
    expect(String(members.get('trace.trace'))).toContain(`${sha1}.html`)
  })

  it('masks a secret in the position of a reference', async () => {
    const zip = await zipOf([
      [`resources/${sha1}.txt`, 'x'],
      ['a.trace', traceLine({ sha1 })],
    ])
    const { bytes } = await scrubbedFile('t.zip', zip, [sha1], 'trace')
    expect((await everyText(bytes!)).join()).not.toContain(sha1)
  })

  it('of an interrupted run keeps complete lines, without credentials', async () => {
    const whole = traceLine({ headers })
    const zip = await zipOf([
      ['a.trace', ''],
      ['a.network', `${whole}${traceLine({ x: secret }).slice(0, -9)}`],
    ])
    const network = String(
      (await membersOf((await scrubbedFile('t.zip', zip, [secret])).bytes!)).get('a.network'),
    )
    expect(JSON.parse(network.split('\n')[0]!).headers[0]).toEqual({ name: 'Authorization', value: mask })
    expect(network).not.toContain('sword')
  })

  it('without secrets loses only credentials', async () => {
    const zip = await zipOf([['a.trace', traceLine({ headers })]])
    const { bytes } = await scrubbedFile('t.zip', zip, [])
    expect((await everyText(bytes!)).join()).not.toContain('Bearer abc')
    const clean = await zipOf([
      ['a.trace', traceLine({ a: 1 })],
      ['b.png', pngOf([])],
    ])
    expect(await scrubbedFile('t.zip', clean, [])).toMatchObject({ isSame: true })
  })
})

describe('a report', () => {
  it('in HTML has its embedded archive scrubbed', async () => {
    const results = {
      errors: [secret],
      attachments: [{ body: Buffer.from(`x${secret}`).toString('base64') }],
    }
    const page = await reportPage([['report.json', JSON.stringify(results)]])
    const { bytes } = await scrubbedFile('playwright-report/index.html', page, [secret], 'report')
    const text = String(bytes)
    expect(text.startsWith('<html><script>const mark = "data:application/zip;base64,"; start(mark)')).toBe(
      true,
    )
    const packed = /base64,([A-Za-z0-9+/=]{20,})</.exec(text)?.[1] ?? ''
    const report = JSON.parse(String((await membersOf(Buffer.from(packed, 'base64'))).get('report.json')))
    expect(report.errors).toEqual([mask])
    expect(report.attachments[0].body).toContain(mask)
    expect(await scrubbedFile('index.html', page, ['another secret'], 'report')).toMatchObject({ notes: [] })
  })

  it('in JSON contains no archive that was not examined', async () => {
    const body = gzipOf(secret).toString('base64')
    const { bytes } = await scrubbedFile('report.json', JSON.stringify({ body }), [secret], 'report')
    expect(JSON.parse(String(bytes))).toEqual({ body: mask })
  })
})

describe('an image', () => {
  it.each([
    ['plain', pngOf([['tEXt', `Title\0${secret}`]])],
    ['packed', pngOf([['zTXt', Buffer.concat([Buffer.from('Title\0\0'), deflateSync(secret)])]])],
    [
      'packed, with a language',
      pngOf([['iTXt', Buffer.concat([Buffer.from('Title\0\x01\0en\0T\0'), deflateSync(secret)])]]),
    ],
    ['after its end', Buffer.concat([pngOf([]), Buffer.from(secret)])],
  ])('loses its texts, %s, and nothing else', async (_, png) => {
    expect((await scrubbedFile('a.png', png, [secret])).bytes).toEqual(pngOf([]))
  })

  it('loses the description of a photo', async () => {
    const exif = Buffer.concat([Buffer.from('ffe10020', 'hex'), Buffer.from(secret.padEnd(29))])
    const [head, rest] = [Buffer.from('ffd8ffe000041234', 'hex'), Buffer.from('ffda0002abcdefffd9', 'hex')]
    expect((await scrubbedFile('a.jpg', Buffer.concat([head, exif, rest]), [secret])).bytes).toEqual(
      Buffer.concat([head, rest]),
    )
  })

  it('with a secret in its pixels is not kept; short ones are ignored', async () => {
    const stored = deflateSync(`${secret}abc`, { level: 0 })
    const png = pngOf([['IDAT', stored]])
    expect(await scrubbedFile('a.png', png, [secret])).toMatchObject({ bytes: null })
    expect(await scrubbedFile('a.png', png, ['abc'])).toMatchObject({ isSame: true })
  })
})

describe('another binary file', () => {
  it('has its bytes masked in place', async () => {
    const video = Buffer.concat([
      Buffer.from('1a45dfa3', 'hex'),
      Buffer.from([0]),
      Buffer.from(secret),
      Buffer.from([7]),
    ])
    const { bytes } = await scrubbedFile('a.webm', video, [secret], 'video')
    expect(bytes?.toString('latin1')).toBe(`\x1aE\xdf\xa3\0${'*'.repeat(Buffer.byteLength(secret))}\x07`)
  })

  it('that is a PDF with a secret in a compressed stream is not kept', async () => {
    const pdf = (text: string) =>
      Buffer.concat([Buffer.from('%PDF-1.4\nstream\n'), deflateSync(text), Buffer.from('\nendstream')])
    expect(await scrubbedFile('a.pdf', pdf(`(${secret}) Tj`), [secret])).toMatchObject({
      bytes: null,
      notes: ['a.pdf is not kept: it contains a secret'],
    })
    expect(await scrubbedFile('a.pdf', pdf('(x) Tj'), [secret])).toMatchObject({ isSame: true })
    expect(String(inflateSync(pdf('(x) Tj').subarray(16, -10)))).toBe('(x) Tj')
  })

  it.each(['out.bin', 'o.deflate'])('that is compressed by zlib is not kept: %s', async (name) => {
    const bytes = deflateSync(`the secret is ${secret}`)
    expect((await scrubbedFile(name, bytes, [secret])).bytes).toBeNull()
    expect((await scrubbedFile(name, bytes, [])).bytes).toEqual(bytes)
    // The same first bytes, but not a zlib stream.
    const text = Buffer.from('x^2 + y^2')
    expect((await scrubbedFile('formula.txt', text, [secret])).bytes).toEqual(text)
  })

  it.each(['a.7z', 'a.zst', 'a.br', 'a.zip'])('in an unsupported format is not kept: %s', async (name) => {
    const magics: Record<string, string> = { 'a.7z': '7z\xbc\xaf\x27\x1c', 'a.zst': '\x28\xb5\x2f\xfd' }
    const bytes = Buffer.from(`${magics[name] ?? '\x8f'}\0packed`, 'latin1')
    expect((await scrubbedFile(name, bytes, [secret])).bytes).toBeNull()
    expect((await scrubbedFile(name, bytes, [])).bytes).toEqual(bytes)
  })
})
