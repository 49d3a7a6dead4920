import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** A database of its own in the PostgreSQL of the tests, while `work` runs. */
export async function onNewDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const { user, password, host, port, ...rest } = inject('postgres')
  const database = `story_${randomBytes(6).toString('hex')}`
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
