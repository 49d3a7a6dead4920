import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bundleBytes, paxPart, type TarPart, tarBytes } from './bundle.fixture.ts'
import { extractBundle } from './extract-bundle.ts'

let base: string
let into: string
const signal = new AbortController().signal

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'vedette-bundle-'))
  into = join(base, 'into')
  mkdirSync(into)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const extractBytes = (bytes: Buffer, limits?: Parameters<typeof extractBundle>[3]) => {
  const archive = join(base, 'bundle.tar.gz')
  writeFileSync(archive, bytes)
  return extractBundle(archive, into, signal, limits)
}
const extract = (parts: TarPart[], limits?: Parameters<typeof extractBundle>[3]) =>
  extractBytes(bundleBytes(parts), limits)
/** Nothing but the archive and the folder: an escape would show. */
const neighbours = () => readdirSync(base).sort()

describe('a bundle', () => {
  test('is unpacked with directories, programs and links, without special mode bits', async () => {
    const entries = await extract([
      { name: './', type: '5' },
      { name: './tests/', type: '5' },
      { name: './tests/a.spec.ts', content: 'hello' },
      { name: 'bin/run', content: '#!/bin/sh', mode: 0o4755 },
      { name: 'deep/er/file', content: 'x' },
      { name: 'link', type: '2', linkName: 'tests/a.spec.ts' },
      { name: 'copy', type: '1', linkName: './tests/a.spec.ts' },
      { name: 'Tests/a.spec.ts', content: 'another, by case' },
    ])
    expect(readFileSync(join(into, 'tests/a.spec.ts'), 'utf8')).toBe('hello')
    expect(statSync(join(into, 'bin/run')).mode & 0o7777).toBe(0o755)
    expect(statSync(join(into, 'deep/er/file')).mode & 0o7777).toBe(0o644)
    expect(readlinkSync(join(into, 'link'))).toBe('tests/a.spec.ts')
    expect(readFileSync(join(into, 'copy'), 'utf8')).toBe('hello')
    expect(statSync(join(into, 'copy')).nlink).toBe(1)
    expect(readFileSync(join(into, 'Tests/a.spec.ts'), 'utf8')).toBe('another, by case')
    expect(entries.get('deep/er')).toBe('directory')
    expect(entries.get('link')).toBe('symlink')
  })

  test('of the system’s own tar is read, long names and all', async () => {
    const source = join(base, 'source')
    const long = join('a'.repeat(90), 'b'.repeat(90), 'c'.repeat(120))
    mkdirSync(join(source, long), { recursive: true })
    writeFileSync(join(source, long, 'größe.txt'), 'x'.repeat(100_000))
    symlinkSync(join('..', 'b'.repeat(90)), join(source, 'a'.repeat(90), 'l'))
    for (const format of ['gnu', 'pax', 'posix']) {
      const archive = join(base, `${format}.tar.gz`)
      execFileSync('tar', ['-czf', archive, `--format=${format}`, '-C', source, '.'])
      const target = join(base, format)
      mkdirSync(target)
      await extractBundle(archive, target, signal)
      expect(readFileSync(join(target, long, 'größe.txt'), 'utf8')).toHaveLength(100_000)
      expect(readlinkSync(join(target, 'a'.repeat(90), 'l'))).toBe(join('..', 'b'.repeat(90)))
    }
  })

  test('has names from a ustar prefix and from pax records', async () => {
    await extract([
      { name: 'file', prefix: 'some/folder', content: '1' },
      paxPart({ path: 'ünicode/name', size: '3' }),
      { name: 'ignored', content: 'abc' },
      paxPart({ linkpath: 'some/folder/file' }),
      { name: 'l', type: '2', linkName: 'ignored' },
    ])
    expect(readFileSync(join(into, 'some/folder/file'), 'utf8')).toBe('1')
    expect(readFileSync(join(into, 'ünicode/name'), 'utf8')).toBe('abc')
    expect(readlinkSync(join(into, 'l'))).toBe('some/folder/file')
  })
})

describe('a hostile bundle is refused by name, and nothing is written outside', () => {
  const cases: Record<string, [TarPart[], RegExp]> = {
    'a path with ..': [[{ name: '../evil', content: 'x' }], /entry "\.\.\/evil" leads out/],
    'a .. in the middle': [[{ name: 'a/../../evil', content: 'x' }], /entry "a\/\.\.\/\.\.\/evil" leads out/],
    'a path with .. by pax': [[paxPart({ path: 'a/../../evil' }), { name: 'ok', content: 'x' }], /leads out/],
    'an absolute path': [
      [{ name: '/tmp/vedette-evil', content: 'x' }],
      /entry "\/tmp\/vedette-evil" has an absolute path/,
    ],
    'a backslash': [[{ name: '..\\evil', content: 'x' }], /not allowed/],
    'a NUL by pax': [[paxPart({ path: 'ok\0/../../evil' }), { name: 'ok', content: 'x' }], /not allowed/],
    'an absolute link': [
      [{ name: 'l', type: '2', linkName: '/etc' }],
      /entry "l" is a link to "\/etc", which is an absolute path/,
    ],
    'a link out': [[{ name: 'a/l', type: '2', linkName: '../../x' }], /entry "a\/l" .*leads out/],
    'a link out through another link': [
      [
        { name: 'd/e/f', type: '5' },
        { name: 'x', type: '2', linkName: 'd/e' },
        // Read as text this is the bundle itself; by the kernel it is d, and then above.
        { name: 'y', type: '2', linkName: 'x/../../..' },
      ],
      /entry "y" .*leads out/,
    ],
    'links in a circle': [
      [
        { name: 'a', type: '2', linkName: 'b' },
        { name: 'b', type: '2', linkName: 'a' },
      ],
      /circle/,
    ],
    'a file through a link': [
      [
        { name: 'l', type: '2', linkName: 'target' },
        { name: 'l/evil', content: 'x' },
      ],
      /entry "l\/evil" is below l, which isn't a directory/,
    ],
    'a link replaced by a file': [
      [
        { name: 'l', type: '2', linkName: 'target' },
        { name: 'l', content: 'x' },
      ],
      /entry "l" is in the archive twice/,
    ],
    'a file below a file': [
      [
        { name: 'f', content: 'x' },
        { name: 'f/g', content: 'x' },
      ],
      /entry "f\/g" is below f, which isn't a directory/,
    ],
    'a hard link out': [[{ name: 'h', type: '1', linkName: '/etc/passwd' }], /an absolute path/],
    'a hard link to a link': [
      [
        { name: 'l', type: '2', linkName: 'x' },
        { name: 'h', type: '1', linkName: 'l' },
      ],
      /entry "h" is a hard link/,
    ],
    'a character device': [[{ name: 'dev', type: '3' }], /entry "dev" isn't a file/],
    'a block device': [[{ name: 'dev', type: '4' }], /entry "dev" isn't a file/],
    'a fifo': [[{ name: 'pipe', type: '6' }], /entry "pipe" isn't a file/],
    'a name that is too long': [[paxPart({ path: 'x'.repeat(300) }), { name: 'ok' }], /too long/],
    'a depth without end': [[paxPart({ path: 'a/'.repeat(100) }), { name: 'ok', type: '5' }], /too long/],
    'a size that does not end': [[{ name: 'f', content: 'abc', size: 99_999_999 }], /ends in the middle/],
    'a name that is not UTF-8 text': [[{ name: 'a\xff', isLatin1: true }], /isn't valid UTF-8/],
    'a size without a number': [[{ name: 'f', content: 'x', size: Number.NaN }], /damaged/],
    'a size in an unknown notation': [
      [{ name: 'f', content: 'x', sizeBytes: '\x81' }],
      /without a valid size/,
    ],
    'a negative size': [[{ name: 'f', content: 'x', sizeBytes: '\xff'.repeat(12) }], /damaged|valid size/],
    'a long name without end': [[{ name: 'x', type: 'L', size: 5_000_000 }], /Header exceeds max size/],
    'nothing at all': [[], /empty/],
  }
  for (const [title, [parts, message]] of Object.entries(cases)) {
    test(title, async () => {
      await expect(extract(parts)).rejects.toThrow(message)
      expect(neighbours()).toEqual(['bundle.tar.gz', 'into'])
      expect(readdirSync(into).filter((name) => lstatSync(join(into, name)).isSymbolicLink())).toEqual([])
    })
  }

  test('not gzip, cut off, not tar, or damaged', async () => {
    await expect(extractBytes(Buffer.from('hello'))).rejects.toThrow(/isn't a gzip archive/)
    const whole = bundleBytes([{ name: 'f', content: 'x'.repeat(10_000) }])
    await expect(extractBytes(whole.subarray(0, whole.length - 20))).rejects.toThrow(
      /isn't a gzip archive, or it is damaged/,
    )
    rmSync(into, { recursive: true })
    mkdirSync(into)
    await expect(extractBytes(gzipSync('x'.repeat(2_000)))).rejects.toThrow(/isn't a tar archive/)
    const bytes = tarBytes([{ name: 'f', content: 'x' }])
    bytes[0] = 0x67
    await expect(extractBytes(gzipSync(bytes))).rejects.toThrow(/isn't a tar archive, or it is damaged/)
  })

  test('too many entries, too much to read, too much unpacked', async () => {
    const limits = { archiveBytes: 10_000, unpackedBytes: 5_000, entries: 3 }
    const many = ['a', 'b', 'c', 'd'].map((name) => ({ name, content: '' }))
    await expect(extract(many, limits)).rejects.toThrow(
      /^The bundle has more than 3 entries\..* reached at d\.$/,
    )
    rmSync(into, { recursive: true })
    mkdirSync(into)
    // One entry with four parent directories.
    await expect(extract([{ name: 'a/b/c/d/e', content: '' }, { name: 'f' }], limits)).rejects.toThrow(
      /more than 3 entries/,
    )
    await expect(extract([{ name: 'big', content: 'x'.repeat(6_000) }], limits)).rejects.toThrow(
      /unpacked.* reached at big\.$/,
    )
    // Zeros end the archive: whether they are seen first, or that they are too many, is all the same.
    const bomb = gzipSync(Buffer.alloc(5_000_000))
    expect(bomb.length).toBeLessThan(10_000)
    await expect(extractBytes(bomb, limits)).rejects.toThrow(/empty|unpacked/)
    const noise = Buffer.from(Array.from({ length: 20_000 }, (_, index) => (index * index * 7919) % 251))
    const roomy = { ...limits, unpackedBytes: 1_000_000, archiveBytes: 50 }
    await expect(extract([{ name: 'n', content: noise }], roomy)).rejects.toThrow(
      /^The bundle is larger than 0 MB\./,
    )
  })
})
