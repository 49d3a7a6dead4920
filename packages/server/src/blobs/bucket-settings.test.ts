import { describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { bucketSettings } from './bucket-settings.ts'

const whole = {
  BLOB_STORE: 's3',
  S3_URL: 'https://s3.test:9000/',
  S3_BUCKET: 'artifacts',
  S3_ACCESS_KEY_ID: 'AKIA1',
  S3_SECRET_ACCESS_KEY: 'a secret/with+signs=',
}

describe('the settings of a bucket', () => {
  it('have defaults that suit most services', () => {
    expect(bucketSettings(readConfig(whole))).toEqual({
      url: 'https://s3.test:9000',
      bucket: 'artifacts',
      addressing: 'path',
      region: 'us-east-1',
      accessKeyId: 'AKIA1',
      secretAccessKey: 'a secret/with+signs=',
      sessionToken: null,
      prefix: '',
    })
  })

  it.each([
    ['/a/b/', 'a/b/'],
    ['/', ''],
    ["it's (all)! für *dich*", "it's (all)! für *dich*/"],
    ['..a/b..', '..a/b../'],
  ])('normalize the prefix %j to %j', (given, prefix) => {
    expect(bucketSettings(readConfig({ ...whole, S3_PREFIX: given }))?.prefix).toBe(prefix)
  })

  it.each([
    ['BLOB_STORE', 'S3', /^ {2}BLOB_STORE: .*"disk"\|"s3"/m],
    ['S3_URL', 's3.test', 'S3_URL: must be an address such as https://host:port'],
    ['S3_URL', 's3://bucket', 'S3_URL: must be an address such as https://host:port'],
    ['S3_URL', 'https://s3.test/?x=1', 'S3_URL: must end before any ? or #'],
    ['S3_URL', 'https://key:secret@s3.test', 'S3_URL: must not contain a key: set S3_ACCESS_KEY_ID instead'],
    ['S3_BUCKET', 'a/b', 'S3_BUCKET: must be letters, digits, dots and hyphens'],
    ['S3_BUCKET', '..', 'S3_BUCKET: must be letters, digits, dots and hyphens'],
    ['S3_ADDRESSING', 'dns', /S3_ADDRESSING: .*"path"\|"host"/],
    ['S3_REGION', 'eu/west 1', 'S3_REGION: must be letters, digits and hyphens'],
    ['S3_ACCESS_KEY_ID', 'AKIA1 ', 'S3_ACCESS_KEY_ID: must be in ASCII, without spaces, commas and slashes'],
    ['S3_SECRET_ACCESS_KEY', 'two\nlines', 'S3_SECRET_ACCESS_KEY: must be one line of ASCII'],
    ['S3_SESSION_TOKEN', 'to ken', 'S3_SESSION_TOKEN: must be in ASCII, without spaces'],
    ['S3_PREFIX', '../other', 'S3_PREFIX: must not contain //, /./ or /../'],
    ['S3_PREFIX', 'a/./b', 'S3_PREFIX: must not contain //, /./ or /../'],
    ['S3_PREFIX', 'a//b', 'S3_PREFIX: must not contain //, /./ or /../'],
    ['S3_PREFIX', 'a\tb', 'S3_PREFIX: must be text in one line'],
    ['S3_PREFIX', 'é'.repeat(257), 'S3_PREFIX: must have at most 512 bytes'],
  ])('are refused: %s=%j', (name, value, words) => {
    expect(() => readConfig({ ...whole, [name]: value })).toThrow(words)
  })

  it('are not silently ignored', () => {
    const { BLOB_STORE: _, ...rest } = whole
    expect(() => readConfig(rest)).toThrow('BLOB_STORE: must be s3 to use S3_BUCKET')
    expect(bucketSettings(readConfig({ ...rest, BLOB_STORE: 'disk' }))).toBeNull()
  })

  it('never print their secrets', () => {
    const secret = 'hush\u0007hush'
    const given = { ...whole, S3_SECRET_ACCESS_KEY: secret, S3_SESSION_TOKEN: `${secret} x` }
    let message = ''
    try {
      readConfig(given)
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toContain('S3_SECRET_ACCESS_KEY')
    expect(message).not.toContain('hush')
  })
})
