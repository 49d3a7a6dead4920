import { describe, expect, it } from 'vitest'
import { readCheckPayload } from './check-payload.ts'

const shared = [
  { path: 'lib/a.ts', content: 'export const a = 1' },
  { path: 'lib/b.ts', content: 'export const b = 2' },
]

const url = {
  name: 'Home',
  groupId: null,
  doubleCheck: false,
  useGlobalAlertSettings: true,
  runParallel: false,
  checkType: 'URL',
  request: { url: 'https://example.com/', method: 'GET' },
}

describe('the payload of a check', () => {
  it('gets defaults for keys that were left out', () => {
    expect(readCheckPayload(url, [])).toMatchObject({
      type: 'URL',
      values: { name: 'Home', activated: true, muted: false, locations: [], tags: [], frequency: 10 },
    })
  })

  it('takes shared files by their index', () => {
    const script = "import { test } from '@playwright/test'"
    const payload = { name: 'B', checkType: 'BROWSER', script, scriptPath: 'b.spec.ts', dependencies: [1, 0] }
    expect(readCheckPayload(payload, shared)).toMatchObject({
      values: { scriptPath: 'b.spec.ts', dependencies: [shared[1], shared[0]] },
    })
    expect(readCheckPayload({ ...payload, dependencies: [0, 2] }, shared)).toEqual({
      issues: [{ path: ['dependencies', 1], message: "isn't the index of a shared file" }],
    })
  })

  it('takes one cause of retries as a string', () => {
    const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 30, onlyOn: 'NETWORK_ERROR' }
    expect(readCheckPayload({ ...url, retryStrategy }, [])).toMatchObject({
      values: { retryStrategy: { onlyOn: ['NETWORK_ERROR'] } },
    })
  })

  it('names every field that is wrong', () => {
    expect(readCheckPayload({ ...url, checkType: 'CARRIER_PIGEON' }, [])).toEqual({
      issues: [{ path: ['checkType'], message: "isn't a type of checks" }],
    })
    expect(readCheckPayload({ ...url, name: '', frequency: 7 }, [])).toMatchObject({
      issues: [{ path: ['name'] }, { path: ['frequency'] }],
    })
  })
})
