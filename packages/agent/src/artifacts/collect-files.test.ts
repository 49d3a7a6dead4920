import { link, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectFiles } from './collect-files.ts'
import { zipOf } from './scrub.fixture.ts'

let outside: string
let folder: string
beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'vedette-collect-'))
  folder = join(outside, 'run')
  await mkdir(folder)
})
afterEach(() => rm(outside, { recursive: true }))

async function put(path: string, content: string | Buffer = 'x'): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), content)
}

const namesOf = ({ files }: { files: { name: string }[] }) => files.map(({ name }) => name)

describe('the output files of a run', () => {
  it('are classified by name and content', async () => {
    const kinds: Record<string, [string, string]> = {
      'report.json': ['report', 'application/json'],
      'playwright-report/index.html': ['report', 'text/html; charset=utf-8'],
      'junit.xml': ['report', 'application/xml'],
      'a/trace.zip': ['trace', 'application/zip'],
      'logs/out.log': ['log', 'text/plain; charset=utf-8'],
      'v/video.webm': ['video', 'video/webm'],
      'shot.PNG': ['screenshot', 'image/png'],
      'x.jpeg': ['screenshot', 'image/jpeg'],
      'c.pcap': ['pcap', 'application/vnd.tcpdump.pcap'],
      'other.zip': ['file', 'application/zip'],
      'page/index.html': ['file', 'text/html; charset=utf-8'],
      'no-ending': ['file', 'application/octet-stream'],
    }
    for (const path of Object.keys(kinds)) await put(path)
    await put('a/trace.zip', await zipOf([['test.trace', '{}']]))
    await put('other.zip', await zipOf([['a.txt', '{}']]))
    const { files, left } = await collectFiles(folder)
    expect(left).toEqual([])
    expect(
      Object.fromEntries(files.map(({ name, type, contentType }) => [name, [type, contentType]])),
    ).toEqual(kinds)
    expect(namesOf({ files }).slice(0, 4)).toEqual(
      expect.arrayContaining(['report.json', 'junit.xml', 'playwright-report/index.html', 'a/trace.zip']),
    )
  })

  it('are those that the rules want, under the names of the rules', async () => {
    for (const path of ['script.js', 'node_modules/a/x.png', '.out/results/b.png', '.out/hidden.txt'])
      await put(path)
    const collected = await collectFiles(folder, {
      isWanted: (path) => path !== 'script.js' && !path.endsWith('hidden.txt'),
      nameOf: (path) => path.replace('.out/results/', ''),
    })
    expect(namesOf(collected)).toEqual(['b.png'])
    expect(collected.files[0]?.path).toBe(join(folder, '.out/results/b.png'))
  })

  it('are never targets of links, or sockets', async () => {
    await writeFile(join(outside, 'keys.txt'), 'of this machine')
    await mkdir(join(outside, 'folder'))
    await writeFile(join(outside, 'folder', 'inside.txt'), 'of this machine')
    await symlink(join(outside, 'keys.txt'), join(folder, 'soft.txt'))
    await symlink(join(outside, 'folder'), join(folder, 'soft-folder'))
    await link(join(outside, 'keys.txt'), join(folder, 'hard.txt'))
    const socket = createServer()
    await new Promise<void>((resolve) => socket.listen(join(folder, 'socket.txt'), resolve))
    await put('good.txt')
    const collected = await collectFiles(folder)
    socket.close()
    expect(namesOf(collected)).toEqual(['good.txt'])
    expect(collected.left.sort()).toEqual([
      'hard.txt is not kept: it is a link to another file',
      "socket.txt is not kept: it isn't a regular file",
      "soft-folder is not kept: it isn't a regular file",
      "soft.txt is not kept: it isn't a regular file",
    ])
  })

  it('are limited in number, size and total, and the most useful are kept', async () => {
    for (const path of ['a.bin', 'b.bin', 'c.png', 'd.log', 'report.json']) await put(path, 'x'.repeat(100))
    await truncate(join(folder, 'a.bin'), 5 * 1024 * 1024)
    const limits = { files: 3, fileBytes: 2 * 1024 * 1024 }
    const few = await collectFiles(folder, {}, limits)
    expect(namesOf(few)).toEqual(['report.json', 'd.log', 'c.png'])
    expect(few.left).toEqual([
      'a.bin is not kept: it is larger than 2 MB',
      'b.bin is not kept: there are 3 files already',
    ])
    expect(namesOf(await collectFiles(folder, {}, { totalBytes: 250 }))).toEqual(['report.json', 'd.log'])
    const seen = await collectFiles(folder, {}, { entries: 2 })
    expect([seen.files.length, seen.left]).toEqual([
      2,
      ['there are more than 2 files and directories: the rest was not examined'],
    ])
  })

  it('are found beside directories that are too deep for any path', async () => {
    await put('a.txt')
    // Below the longest path that the kernel accepts.
    let at = folder
    for (let depth = 0; depth < 18; depth++) {
      at = join(at, 'd'.repeat(200))
      await mkdir(at)
      await writeFile(join(at, 'f'), '')
    }
    const { files, left } = await collectFiles(folder)
    expect(files.map(({ path }) => path.length - folder.length)).toEqual([6, 203, 404, 605, 806])
    expect(left).toEqual([expect.stringMatching(/is not kept: its path is longer than 1000 characters$/)])
  })

  it('have valid and unique names', async () => {
    await put('a\u001b[31m.txt')
    await put('a_[31m.txt')
    expect(namesOf(await collectFiles(folder))).toEqual(['a_[31m.txt', 'a_[31m-2.txt'])
  })

  it('are listed in a few lines if they are left out', async () => {
    for (let index = 0; index < 30; index++) await symlink('/', join(folder, `link-${index}`))
    const { left } = await collectFiles(folder)
    expect(left).toHaveLength(21)
    expect(left[20]).toBe('10 more files are not kept')
  })
})
