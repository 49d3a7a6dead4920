import { gunzipSync, gzipSync } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import { describe, expect, it } from 'vitest'
import { mask } from '../scrub/scrub.ts'
import { everyText, gzipOf, membersOf, scrubbedFile, tarOf, zipOf } from './scrub.fixture.ts'

const secret = 'swordfish-77'
const why = async (name: string, bytes: Buffer) => (await scrubbedFile(name, bytes, [secret])).notes

describe('a zip archive', () => {
  it('has names and contents scrubbed, and names stay unique', async () => {
    const zip = await zipOf([
      [`${secret}.txt`, 'a'],
      [`${Buffer.from(secret).toString('hex')}.txt`, 'b'],
      ['big.txt', `${'x'.repeat(900_000)}${secret}`],
      ['other.txt', 'untouched'],
    ])
    const members = await membersOf((await scrubbedFile('a.zip', zip, [secret])).bytes!)
    expect([...members.keys()]).toEqual([`${mask}.txt`, `${mask}-2.txt`, 'big.txt', 'other.txt'])
    expect(String(members.get('big.txt')).slice(-12)).toBe(`xxx${mask}`)
    expect(String(members.get('other.txt'))).toBe('untouched')
  })

  it('keeps the bytes of members that need no change, stored or packed', async () => {
    for (const method of [0, 8] as const) {
      const zip = await zipOf(
        [
          ['a.txt', 'x'.repeat(600_000)],
          ['b', Buffer.alloc(10)],
        ],
        method,
      )
      const { bytes } = await scrubbedFile('a.docx', zip, [secret])
      expect(await membersOf(bytes!)).toEqual(await membersOf(zip))
    }
  })

  it('contains nothing but its members', async () => {
    const zip = await zipOf([['a', 'b']])
    const comment = Buffer.from(secret)
    const withComment = Buffer.concat([zip, comment])
    withComment.writeUInt16LE(comment.length, zip.length - 2)
    expect((await scrubbedFile('a.zip', withComment, [secret])).bytes).toEqual(zip)
  })

  it('keeps no bytes after the packed ones of a member', async () => {
    const zip = await zipOf([['a', 'bbbbbbbbbbbbbbbb']])
    const end = zip.length - 22 - 47
    const hidden = Buffer.concat([zip.subarray(0, end), Buffer.from(secret), zip.subarray(end)])
    const directory = end + secret.length
    hidden.writeUInt32LE(hidden.readUInt32LE(directory + 20) + secret.length, directory + 20)
    hidden.writeUInt32LE(directory, hidden.length - 6)
    const { bytes } = await scrubbedFile('a.zip', hidden, [secret])
    expect(bytes!.toString('latin1')).not.toContain(secret)
    expect(String((await membersOf(bytes!)).get('a'))).toBe('bbbbbbbbbbbbbbbb')
  })

  it('is scrubbed with the archives in it, two levels deep', async () => {
    const inner = await zipOf([['c.txt', secret]])
    const zip = await zipOf([
      [
        'b.zip',
        await zipOf([
          ['a.txt', secret],
          ['b.gz', gzipOf(secret)],
          ['deep.zip', inner],
        ]),
      ],
    ])
    const { bytes, notes } = await scrubbedFile('a.zip', zip, [secret])
    expect((await everyText(bytes!)).join()).not.toContain(secret)
    const kept = await membersOf((await membersOf(bytes!)).get('b.zip')!)
    expect([...kept.keys()]).toEqual(['a.txt'])
    expect(notes).toEqual([
      'a.zip: b.gz was left out of an archive: it is an archive inside archives',
      'a.zip: deep.zip was left out of an archive: it is an archive inside archives',
    ])
  })

  it.each<[string, string, (zip: Buffer) => void]>([
    ['not enough bytes in the stream', 'bytes that changed', (zip) => zip.fill(0, 32, 36)],
    [
      'a member is damaged',
      'a checksum that is wrong',
      (zip) => zip.writeUInt32LE(1, zip.length - 22 - 47 + 16),
    ],
    [
      'too many bytes in the stream',
      'a size that is too small',
      (zip) => zip.writeUInt32LE(1, zip.length - 22 - 47 + 24),
    ],
    ['local file header', 'a header elsewhere', (zip) => zip.writeUInt32LE(7, zip.length - 22 - 47 + 42)],
    ['encrypted', 'a password', (zip) => zip.writeUInt16LE(1, zip.length - 22 - 47 + 8)],
    ['compression method: 14', 'another method', (zip) => zip.writeUInt16LE(14, zip.length - 22 - 47 + 10)],
    [
      'not enough bytes',
      'a size that is too large',
      (zip) => zip.writeUInt32LE(0xffffffff, zip.length - 22 - 47 + 24),
    ],
    ['central directory', 'a directory elsewhere', (zip) => zip.writeUInt32LE(3, zip.length - 6)],
    ['not a zip file', 'no end', (zip) => zip.fill(0, zip.length - 22)],
  ])('is not kept: %s (%s)', async (message, _, damage) => {
    const zip = await zipOf([['a', 'some text that is packed packed packed']])
    damage(zip)
    expect(await why('a.zip', zip)).toEqual([expect.stringMatching(`^a.zip is not kept: .*${message}`)])
    expect(await scrubbedFile('a.zip', zip, [])).toMatchObject({ isSame: true })
  })

  it('is named without its secrets in the reason why it is not kept', async () => {
    const zip = await zipOf([[`aaa${secret}`, 'b']])
    const damaged = Buffer.from(zip.toString('latin1').replaceAll('aaa', '../'), 'latin1')
    expect(await why('a.zip', damaged)).toEqual([expect.stringMatching(/relative path: \.\.\/\*{9}$/)])
  })

  it('is not kept if it unpacks to too many bytes, or has too many members', async () => {
    const unpack = { bytes: 10_000_000, members: 20 }
    const notesOf = async (zip: Buffer) =>
      (await scrubbedFile('a.zip', zip, [secret], 'file', { unpack })).notes
    const zeros = Buffer.alloc(4_000_000)
    const many = (count: number) =>
      Array.from({ length: count }, (_, at): [string, Buffer] => [`${at}`, zeros])
    const tooMuch = ['a.zip is not kept: it unpacks to too many bytes']
    expect(await notesOf(await zipOf(many(3)))).toEqual(tooMuch)
    expect(await notesOf(await zipOf([['in.zip', await zipOf(many(3))]]))).toEqual([
      'a.zip: in.zip was left out of an archive: it unpacks to too many bytes',
    ])
    expect(
      await notesOf(
        await zipOf([
          ['in.gz', gzipSync(Buffer.alloc(11_000_000))],
          ['b', 'c'],
        ]),
      ),
    ).toEqual(tooMuch)
    expect(await notesOf(await zipOf(many(2)))).toEqual([])
    const members = Array.from({ length: 21 }, (_, at): [string, string] => [`${at}`, ''])
    expect(await notesOf(await zipOf(members))).toEqual(['a.zip is not kept: it has more than 20 members'])
  })
})

describe('a tar archive', () => {
  const membersOfTar = async (tar: Buffer) => {
    const archive = extract()
    archive.end(tar)
    const members: [string, string][] = []
    for await (const entry of archive) {
      const chunks: Buffer[] = []
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk)
      members.push([entry.header.name, Buffer.concat(chunks).toString()])
    }
    return members
  }

  it('has names and contents scrubbed, also inside gzip', async () => {
    const tar = tarOf([
      [`a/${secret}.txt`, `x ${secret} y`],
      ['big', `${'z'.repeat(1_400_000)}${secret}`],
      ['b.gz', gzipOf('clean')],
      ['c', 'd'],
    ])
    const scrubbed = [
      [`a/${mask}.txt`, `x ${mask} y`],
      ['big', `${'z'.repeat(1_400_000)}${mask}`],
      ['b.gz', gzipOf('clean').toString()],
      ['c', 'd'],
    ]
    expect(await membersOfTar((await scrubbedFile('a.tar', tar, [secret])).bytes!)).toEqual(scrubbed)
    const { bytes } = await scrubbedFile('a.tar.gz', gzipOf(tar), [secret])
    expect(gunzipSync(bytes!).toString('latin1')).not.toContain(secret)
  })

  it('keeps links and directories', async () => {
    const made = pack()
    made.entry({ name: 'folder', type: 'directory' })
    made.entry({ name: 'link', type: 'symlink', linkname: `to/${secret}` })
    made.finalize()
    const chunks: Buffer[] = []
    for await (const chunk of made as AsyncIterable<Buffer>) chunks.push(chunk)
    const { bytes } = await scrubbedFile('a.tar', Buffer.concat(chunks), [secret])
    const archive = extract()
    archive.end(bytes!)
    const headers: unknown[] = []
    for await (const entry of archive) {
      const { name, type, linkname } = entry.header
      headers.push([name, type, linkname])
      entry.resume()
    }
    expect(headers).toEqual([
      ['folder', 'directory', null],
      ['link', 'symlink', `to/${mask}`],
    ])
    expect(bytes!.toString('latin1')).not.toContain(secret)
  })

  it('is not kept if it is incomplete, or has bytes after its end', async () => {
    const tar = tarOf([['b', 'x'.repeat(2000)]])
    for (const bytes of [tar.subarray(0, 1024), Buffer.concat([tar, Buffer.from(secret)])])
      expect(await why('a.tar', bytes)).toEqual(["a.tar is not kept: it isn't a complete tar archive"])
  })
})

describe('a gzip file', () => {
  it('has its content scrubbed and loses its name', async () => {
    const named = Buffer.concat([
      Buffer.from('1f8b0808000000000003', 'hex'),
      Buffer.from(`${secret}\0`),
      gzipOf('clean').subarray(10),
    ])
    expect(String(gunzipSync(named))).toBe('clean')
    const { bytes } = await scrubbedFile('a.gz', named, [secret])
    expect(bytes!.toString('latin1')).not.toContain(secret)
    expect(String(gunzipSync(bytes!))).toBe('clean')
    expect(String(gunzipSync((await scrubbedFile('a.log.gz', gzipOf(`x ${secret}`), [secret])).bytes!))).toBe(
      `x ${mask}`,
    )
  })

  it('without a secret is unchanged, and a truncated one is not kept', async () => {
    expect(await scrubbedFile('a.gz', gzipOf('clean'), [secret])).toMatchObject({ isSame: true })
    const cut = gzipOf('clean'.repeat(100)).subarray(0, -9)
    expect(await why('a.gz', cut)).toEqual(["a.gz is not kept: it isn't a complete gzip file"])
  })
})
