import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Journal, openJournal } from './journal.ts'

let folder: string
const opened: Journal[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-journal-'))
})

afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close().catch(() => undefined)
  rmSync(folder, { recursive: true, force: true })
})

async function open(segmentBytes?: number): Promise<Journal> {
  const journal = await openJournal(folder, segmentBytes)
  if (!journal) throw new Error('another agent has the folder')
  opened.push(journal)
  return journal
}

const line = (token: string, extra = '') => Buffer.from(JSON.stringify({ token, extra }))
const files = () => readdirSync(join(folder, 'journal')).sort()
const contents = () => files().map((file) => readFileSync(join(folder, 'journal', file), 'utf8'))

async function reopened(journal: Journal, segmentBytes?: number): Promise<Journal> {
  await journal.close()
  return open(segmentBytes)
}

describe('the journal', () => {
  it('gives back what was not acknowledged, as it was and in its order', async () => {
    const first = await open()
    await first.append([line('a', 'ä\u0000\ud800\u2028'), line('b')])
    await first.append([line('c')])
    const second = await reopened(first)
    expect(second.left.map(({ token }) => token)).toEqual(['a', 'b', 'c'])
    const texts = await Promise.all(second.left.map(({ position }) => second.read(position)))
    expect(texts).toEqual([line('a', 'ä\u0000\ud800\u2028'), line('b'), line('c')])
  })

  it('forgets what was acknowledged, a part of a batch too', async () => {
    const first = await open()
    const positions = await first.append([line('a'), line('b'), line('c')])
    await first.acknowledge([positions[0]!, positions[2]!])
    const second = await reopened(first)
    expect(second.left.map(({ token }) => token)).toEqual(['b'])
  })

  it('keeps nothing on disk once all is acknowledged', async () => {
    const journal = await open()
    for (let round = 0; round < 3; round++) {
      await journal.acknowledge(await journal.append([line('a'), line('b')]))
      expect(contents()).toEqual([''])
    }
    await journal.close()
    expect(files()).toEqual([])
  })

  it('passes over a last line that was torn, and goes on behind it', async () => {
    const first = await open()
    await first.append([line('a')])
    await first.close()
    appendFileSync(join(folder, 'journal', files()[0]!), '{"token":"torn","ex')
    const second = await open()
    expect(second.left.map(({ token }) => token)).toEqual(['a'])
    await second.append([line('b')])
    const third = await reopened(second)
    expect(third.left.map(({ token }) => token)).toEqual(['a', 'b'])
  })

  it('begins a new file when one is full, and deletes it when all in it is acknowledged', async () => {
    const journal = await open(100)
    const first = await journal.append([line('a', 'x'.repeat(200))])
    const second = await journal.append([line('b', 'x'.repeat(200))])
    await journal.append([line('c')])
    expect(files()).toHaveLength(3)
    await journal.acknowledge(second)
    expect(files()).toHaveLength(2)
    await journal.acknowledge(first)
    expect(files()).toHaveLength(1)
    expect((await reopened(journal, 100)).left.map(({ token }) => token)).toEqual(['c'])
  })

  it('lets no one else read, and no second agent in', async () => {
    const journal = await open()
    await journal.append([line('a')])
    const mode = (...path: string[]) => statSync(join(folder, ...path)).mode & 0o777
    expect([mode('journal'), mode('journal', files()[0]!), mode('lock')]).toEqual([0o700, 0o600, 0o600])
    expect(await openJournal(folder)).toBeNull()
    await journal.close()
    expect((await open()).left).toHaveLength(1)
  })

  it('takes many at once without mixing them', async () => {
    const journal = await open(1_000)
    await Promise.all(
      Array.from({ length: 50 }, async (_, at) => {
        const positions = await journal.append([line(`${at}a`), line(`${at}b`)])
        if (at % 2 === 0) await journal.acknowledge(positions)
      }),
    )
    const left = (await reopened(journal)).left.map(({ token }) => token)
    const odd = Array.from({ length: 25 }, (_, at) => 2 * at + 1)
    expect(left.sort()).toEqual(odd.flatMap((at) => [`${at}a`, `${at}b`]).sort())
  })

  it('reports whether it can write, and removes what it wrote', async () => {
    const journal = await open()
    await journal.append([line('a')])
    await journal.checkFreeSpace()
    await journal.probe()
    expect(contents()).toEqual([`${line('a')}\n`])
  })
})
