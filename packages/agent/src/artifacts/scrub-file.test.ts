import { deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { mask } from '../scrub/scrub.ts'
import {
  everyText,
  gzipOf,
  membersOf,
  pngOf,
  reportPage,
  scrubbedFile,
  tarOf,
  zipOf,
} from './scrub.fixture.ts'

const secret = 'swordfish-77/é'
const sha1 = '3efcf972ffe95883829889d4093c809f515e423b'

async function textOf(name: string, content: string | Buffer, secrets = [secret]): Promise<string> {
  return String((await scrubbedFile(name, content, secrets)).bytes)
}

describe('a text', () => {
  it('has no secret in it, wherever the pieces end in which it is read', async () => {
    const piece = 256 * 1024
    for (const before of [piece - 3, piece - 1, 2 * piece - 8]) {
      const text = await textOf('a.txt', `${'x'.repeat(before)}${secret}${'y'.repeat(300_000)}`)
      expect(text).toBe(`${'x'.repeat(before)}${mask}${'y'.repeat(300_000)}`)
    }
  })

  it('has none in UTF-16 either, in place', async () => {
    const text = Buffer.from(`\ufeffa ${secret} b`, 'utf16le')
    const { bytes } = await scrubbedFile('a.txt', text, [secret])
    expect(bytes).toHaveLength(text.length)
    expect(bytes?.toString('utf16le')).not.toContain('sword')
  })

  it('keeps no credentials of requests, secrets or not', async () => {
    const log = 'Call log:\n\x1b[2m    - Authorization: Bearer abc\x1b[22m\n  - accept: */*\n'
    const object = `{ headers: { authorization: 'Basic xyz', accept: 'a' } }\n`
    expect(await textOf('a.log', log + object, [])).toBe(
      `Call log:\n\x1b[2m    - Authorization: ${mask}\n  - accept: */*\n{ headers: { authorization: '${mask}', accept: 'a' } }\n`,
    )
  })

  it('has no secret that is in pieces by colours', async () => {
    const text = await textOf('a.log', `\x1b[31mgot\x1b[0m\nexpected "sword\x1b[7mfish\x1b[27m-77/é"\n`)
    expect(text).toBe(`got\nexpected "${mask}"\n`)
  })

  it('without a secret is the same file', async () => {
    for (const [name, content] of [
      ['a.txt', 'nothing\n'],
      ['a.json', '{"a": [1, "b", {"c": null}], "é": "\\u00e9"}'],
      ['a.bin', Buffer.from([0, 1, 2, 255])],
      ['a.png', pngOf([['tEXt', 'Title\0nothing']])],
      ['a.tar', tarOf([['a', 'b']])],
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

  it('is cut to what a server takes, and not before it is scrubbed', async () => {
    const long = `${secret}${'x'.repeat(480 - secret.length / 2)}.png`
    const name = (await scrubbedFile(long, 'x', [secret])).name ?? ''
    expect(name).toHaveLength(480)
    expect([name.slice(-5), name.includes('fish')]).toEqual(['x.png', false])
  })
})

describe('a JSON document', () => {
  it('has masks in texts, keys and numbers, and is a document still', async () => {
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

  it('has no secret that is written with needless escapes', async () => {
    const escaped = [...'swordfish'].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('')
    expect(JSON.parse(await textOf('a.json', `{"a":"x ${escaped} y"}`, ['swordfish']))).toEqual({
      a: `x ${mask} y`,
    })
  })

  it('has no secret that is a document itself', async () => {
    const key = '{"type":"service","key":"abc"}'
    expect(await textOf('a.json', `[1, ${key}]`, [key])).not.toContain('service')
  })

  it('is a text where it is none', async () => {
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

  it('keeps numbers and references, and no credentials', async () => {
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

  it('keeps the names of its resources, and scrubs what is in them', async () => {
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

  it('has no secret that calls itself a reference', async () => {
    const zip = await zipOf([
      [`resources/${sha1}.txt`, 'x'],
      ['a.trace', traceLine({ sha1 })],
    ])
    const { bytes } = await scrubbedFile('t.zip', zip, [sha1], 'trace')
    expect((await everyText(bytes!)).join()).not.toContain(sha1)
  })

  it('of a run that was ended in the midst keeps what is whole, without credentials', async () => {
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

  it('is rid of credentials where there are no secrets, and else the same file', async () => {
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
  it('that is a page has its archive scrubbed and put back', async () => {
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

  it('in JSON has no archive in a text that nobody looked into', async () => {
    const body = gzipOf(secret).toString('base64')
    const { bytes } = await scrubbedFile('report.json', JSON.stringify({ body }), [secret], 'report')
    expect(JSON.parse(String(bytes))).toEqual({ body: mask })
  })
})

describe('a picture', () => {
  it.each([
    ['plain', pngOf([['tEXt', `Title\0${secret}`]])],
    ['packed', pngOf([['zTXt', Buffer.concat([Buffer.from('Title\0\0'), deflateSync(secret)])]])],
    [
      'packed, with a language',
      pngOf([['iTXt', Buffer.concat([Buffer.from('Title\0\x01\0en\0T\0'), deflateSync(secret)])]]),
    ],
    ['behind its end', Buffer.concat([pngOf([]), Buffer.from(secret)])],
  ])('loses a text with a secret in it, %s, and nothing else', async (_, png) => {
    expect((await scrubbedFile('a.png', png, [secret])).bytes).toEqual(pngOf([]))
  })

  it('loses the description of a photo', async () => {
    const exif = Buffer.concat([Buffer.from('ffe10020', 'hex'), Buffer.from(secret.padEnd(29))])
    const [head, rest] = [Buffer.from('ffd8ffe000041234', 'hex'), Buffer.from('ffda0002abcdefffd9', 'hex')]
    expect((await scrubbedFile('a.jpg', Buffer.concat([head, exif, rest]), [secret])).bytes).toEqual(
      Buffer.concat([head, rest]),
    )
  })

  it('with a secret among its pixels is not kept; short ones are there by chance', async () => {
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

  it('that is a PDF is not kept with a secret in a packed part', async () => {
    const pdf = (text: string) =>
      Buffer.concat([Buffer.from('%PDF-1.4\nstream\n'), deflateSync(text), Buffer.from('\nendstream')])
    expect(await scrubbedFile('a.pdf', pdf(`(${secret}) Tj`), [secret])).toMatchObject({
      bytes: null,
      notes: ['a.pdf is not kept: a secret stands in it'],
    })
    expect(await scrubbedFile('a.pdf', pdf('(x) Tj'), [secret])).toMatchObject({ isSame: true })
    expect(String(inflateSync(pdf('(x) Tj').subarray(16, -10)))).toBe('(x) Tj')
  })

  it.each(['out.bin', 'o.deflate'])('that is packed by zlib is not kept: %s', async (name) => {
    const bytes = deflateSync(`the secret is ${secret}`)
    expect((await scrubbedFile(name, bytes, [secret])).bytes).toBeNull()
    expect((await scrubbedFile(name, bytes, [])).bytes).toEqual(bytes)
    // The same first bytes, and nothing packed behind them.
    const text = Buffer.from('x^2 + y^2')
    expect((await scrubbedFile('formula.txt', text, [secret])).bytes).toEqual(text)
  })

  it.each(['a.7z', 'a.zst', 'a.br', 'a.zip'])('that can not be looked into is not kept: %s', async (name) => {
    const magics: Record<string, string> = { 'a.7z': '7z\xbc\xaf\x27\x1c', 'a.zst': '\x28\xb5\x2f\xfd' }
    const bytes = Buffer.from(`${magics[name] ?? '\x8f'}\0packed`, 'latin1')
    expect((await scrubbedFile(name, bytes, [secret])).bytes).toBeNull()
    expect((await scrubbedFile(name, bytes, [])).bytes).toEqual(bytes)
  })
})
