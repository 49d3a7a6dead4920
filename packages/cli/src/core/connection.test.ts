import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../config.ts'
import { readConnection } from './connection.ts'
import { removeLogin, storeLogin } from './stored-login.ts'

describe('the connection of a command', () => {
  const home = mkdtempSync(join(tmpdir(), 'vedette-home-'))
  const settings = (environment: Record<string, string> = {}) =>
    readSettings({ HOME: home, CHECKLY_NO_DOTENV: '1', ...environment })
  const login = { url: 'https://a.example', apiKey: 'vu_a', accountId: 'account-a', accountName: 'A' }

  beforeEach(() => {
    removeLogin(settings())
  })
  afterAll(() => rmSync(home, { recursive: true }))

  it('is that of the login', () => {
    storeLogin(settings(), login)
    expect(readConnection({}, settings())).toEqual({
      url: 'https://a.example',
      mqttUrl: 'wss://a.example',
      apiKey: 'vu_a',
      accountId: 'account-a',
    })
  })

  it('comes from the environment before the login, and from options before both', () => {
    storeLogin(settings(), login)
    const environment = settings({ CHECKLY_API_KEY: 'vu_b', CHECKLY_ACCOUNT_ID: 'account-b' })
    expect(readConnection({}, environment)).toMatchObject({ apiKey: 'vu_b', accountId: 'account-b' })
    expect(readConnection({ key: 'vu_c', account: 'account-c' }, environment)).toMatchObject({
      url: 'https://a.example',
      apiKey: 'vu_c',
      accountId: 'account-c',
    })
  })

  it('sends the key of a login to no other address', () => {
    storeLogin(settings(), login)
    const elsewhere = settings({ CHECKLY_API_URL: 'https://b.example' })
    expect(() => readConnection({}, elsewhere)).toThrow(
      'No API key for https://b.example is set: run "vedette login --url https://b.example", or set the variable CHECKLY_API_KEY.',
    )
    const same = settings({ CHECKLY_API_URL: 'https://a.example/' })
    expect(readConnection({}, same)).toMatchObject({ url: 'https://a.example', apiKey: 'vu_a' })
  })

  it('says how to set what is missing', () => {
    expect(() => readConnection({}, settings())).toThrow(
      'No address of a server is set: run "vedette login", or set --url URL or the variable CHECKLY_API_URL.',
    )
    const withoutAccount = settings({ CHECKLY_API_URL: 'http://localhost:3000/', CHECKLY_API_KEY: 'vu_a' })
    expect(() => readConnection({}, withoutAccount)).toThrow(/^No account for http:\/\/localhost:3000 is set/)
  })

  it.each(['localhost:3000', 'ftp://a.example', 'https://a.example/?x=1', 'https://me:pw@a.example'])(
    'refuses the address %s',
    (url) => {
      expect(() => readConnection({ url, key: 'vu_a', account: 'a' }, settings())).toThrow(/address/i)
    },
  )
})
