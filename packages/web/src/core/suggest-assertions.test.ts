import { describe, expect, it } from 'vitest'
import type { ShownResult } from '../api/types.ts'
import { expectationOf } from './assertion-words.ts'
import { observe } from './suggest-assertions.ts'

const resultOf = (values: object) =>
  ({ checkType: 'API', responseTime: 130, apiCheckResult: null, ...values }) as ShownResult

describe('suggested assertions', () => {
  const body = JSON.stringify({ items: [{ id: 7, 'a-b': null }], ok: true })
  const api = observe(
    resultOf({
      apiCheckResult: {
        response: { status: 200, headers: { 'Content-Type': 'application/json; charset=utf-8' }, body },
      },
    }),
  )

  it('of a JSON response: status, type, time, and what the body has', () => {
    expect(api.usual.map(expectationOf)).toEqual([
      'status 200',
      'header content-type containing “application/json”',
      'response time less than 500 ms',
      '$.items.length greater than 0',
      '$.ok “true”',
    ])
  })

  it('every value of the body and every header is one', () => {
    expect(api.groups.map(({ title, values }) => [title, values.map(({ name }) => name)])).toEqual([
      ['Headers', ['Content-Type']],
      ['JSON body', ['$.items[0].id', '$.items[0]["a-b"]', '$.ok']],
    ])
    const [id, nothing] = api.groups[1]?.values ?? []
    expect(id?.assertion).toMatchObject({
      source: 'JSON_BODY',
      property: '$.items[0].id',
      comparison: 'EQUALS',
      target: '7',
    })
    expect(nothing?.assertion.comparison).toBe('IS_NULL')
  })

  it('of monitors', () => {
    const tcp = observe(
      resultOf({ checkType: 'TCP', responseTime: 3, tcpCheckResult: { response: { data: '220 mail\r\n' } } }),
    )
    expect(tcp.usual.map(expectationOf)).toEqual([
      'response data containing “220 mail”',
      'response time less than 10 ms',
    ])
    const url = observe(
      resultOf({ checkType: 'URL', apiCheckResult: { response: { status: 204, headers: {}, body: '' } } }),
    )
    expect(url.usual.map(expectationOf)).toEqual(['status 204'])
    expect(observe(resultOf({ checkType: 'BROWSER' }))).toEqual({ usual: [], groups: [] })
  })
})
