import { describe, expect, it } from 'vitest'
import { databaseHostsOf } from './database-url.ts'

describe('databaseHostsOf', () => {
  it.each([
    'postgres://u:p@db.test/vedette',
    'postgresql://u:p@db.test:6432/vedette?sslmode=require',
    'postgresql://u:p@/vedette?host=%2Frun%2Fpostgresql&port=5433',
    'postgres:///vedette',
  ])('leaves the URL of one host as it is: %s', (url) => {
    expect(databaseHostsOf(url).map(({ connectionString }) => connectionString)).toEqual([url])
  })

  it('makes a URL for each host', () => {
    expect(databaseHostsOf('postgres://u:p%40w@a:5433,b,[::1]:5434/vedette?sslmode=require')).toEqual([
      {
        label: 'a:5433',
        connectionString: 'postgres://u:p%40w@/vedette?sslmode=require&host=a&port=5433',
      },
      { label: 'b:5432', connectionString: 'postgres://u:p%40w@/vedette?sslmode=require&host=b&port=5432' },
      {
        label: '[::1]:5434',
        connectionString: 'postgres://u:p%40w@/vedette?sslmode=require&host=%3A%3A1&port=5434',
      },
    ])
  })

  it('reads hosts and ports of the query, with one port for all or one for each', () => {
    const labels = (url: string) => databaseHostsOf(url).map(({ label }) => label)
    expect(labels('postgres://u@/v?host=a,b&port=6000')).toEqual(['a:6000', 'b:6000'])
    expect(labels('postgres://u@/v?host=a,b&port=1,2')).toEqual(['a:1', 'b:2'])
    expect(labels('postgres://u@/v?host=a,b')).toEqual(['a:5432', 'b:5432'])
  })

  it.each([
    ['mysql://u:p@a/v', /must begin with postgres/],
    ['postgres://u:p@a:0/v', /port from 1 to 65535 at host 1/],
    ['postgres://u:p@a:5432,b:70000/v', /at host 2/],
    ['postgres://u:p@a:5432,/v', /must name host 2/],
    ['postgres://u:hunter2/x@a:5432/v', /Encode special characters/],
    ['postgres://u:p@/v?host=a,b,c&port=1,2', /it has 2 for 3 hosts/],
    ['postgres://u:p@a,b/v?target_session_attrs=any', /always needs the primary/],
  ])('refuses %s', (url, message) => {
    expect(() => databaseHostsOf(url)).toThrow(message)
    expect(() => databaseHostsOf(url)).not.toThrow(/hunter2/)
  })
})
