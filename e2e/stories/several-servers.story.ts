import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { severalServers } from '../drills/several.ts'

it('two servers and three agents share one PostgreSQL: every expected run runs once', async () => {
  const books = await onNewDatabase((databaseUrl) =>
    severalServers({ databaseUrl, checks: 60, calmMs: 12_000, killOne: false }),
  )
  expect(books.faults).toEqual([])
  expect(books.executed).toBeGreaterThan(100)
  expect(books.executed).toBe(books.expected)
  expect(books.requests).toBe(books.executed)
  expect(Math.min(...books.perServer)).toBeGreaterThan(0)
}, 300_000)

it('one of two servers is killed: its agents use the other one, and the audit finds no fault', async () => {
  const books = await onNewDatabase((databaseUrl) =>
    severalServers({ databaseUrl, checks: 60, calmMs: 9_000, killOne: true }),
  )
  expect(books.faults).toEqual([])
  // Only runs in flight through the killed server are late or left out.
  expect(books.executed).toBeGreaterThan(books.expected * 0.7)
}, 300_000)

async function onNewDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const { user, password, host, port, ...rest } = inject('postgres')
  const database = `several_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ user, password, host, port, ...rest })
  await admin.connect()
  try {
    await admin.query(`create database ${database}`)
    const query = `host=${encodeURIComponent(host)}&port=${port}`
    return await work(`postgresql://${user}:${encodeURIComponent(password)}@/${database}?${query}`)
  } finally {
    await admin.query(`drop database if exists ${database} with (force)`)
    await admin.end()
  }
}
