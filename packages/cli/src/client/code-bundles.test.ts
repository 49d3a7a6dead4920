import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { expect, it } from 'vitest'
import { unpackArchive } from './code-bundles.ts'

async function archiveOf(entries: Parameters<ReturnType<typeof pack>['entry']>[0][]): Promise<Buffer> {
  const tar = pack()
  for (const entry of entries) tar.entry(entry, entry.type === 'symlink' ? '' : 'content')
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  return gzipSync(Buffer.concat(chunks))
}

it('unpacks files, without links', async () => {
  const long = `${'directory/'.repeat(30)}a.ts`
  const files = await unpackArchive(
    await archiveOf([{ name: './a/b.ts' }, { name: long }, { name: 'c', type: 'symlink', linkname: '/etc' }]),
    'one',
  )
  expect([...files.keys()]).toEqual(['a/b.ts', long])
  expect(new TextDecoder().decode(files.get('a/b.ts'))).toBe('content')
})

it.each([
  ['../x', "isn't allowed"],
  ['a/../../x', "isn't allowed"],
  ['/etc/x', "isn't allowed"],
  ['a\\..\\x', "isn't allowed"],
  ['first', 'twice'],
  ['first/below', 'twice'],
])('refuses an entry named %s', async (name, reason) => {
  const archive = await archiveOf([{ name: 'first' }, { name }])
  await expect(unpackArchive(archive, 'one')).rejects.toThrow(reason)
})

it('refuses what is too large, has too many entries, or is damaged', async () => {
  const archive = await archiveOf([{ name: 'a' }, { name: 'b' }])
  const limits = { unpackedBytes: 100_000, entries: 1 }
  await expect(unpackArchive(archive, 'one', limits)).rejects.toThrow('more than 1 entries')
  const bomb = gzipSync(Buffer.alloc(200_000))
  await expect(unpackArchive(bomb, 'one', limits)).rejects.toThrow("archive one of a suite can't be exported")
  await expect(unpackArchive(Buffer.from('x'), 'one')).rejects.toThrow("can't be exported")
})
