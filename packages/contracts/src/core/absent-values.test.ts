import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routes } from '../index.ts'
import { absentValues, withAbsentValues } from './absent-values.ts'
import { sendsWholeObjects } from './client-sources.ts'

const updates = routes.filter(({ method }) => method === 'PUT')

describe.each(Object.entries(absentValues))('PUT %s', (path, values) => {
  it('exists, and accepts the values', () => {
    const { body } = updates.find((update) => update.path === path) ?? {}
    expect(body?.safeParse(values).error).toBeUndefined()
  })

  it('has the fields: those of checks may belong to some types only', () => {
    const { documentedBody, body } = updates.find((update) => update.path === path) ?? {}
    const isCheck = path.startsWith('/v1/checks/')
    const fields = JSON.stringify(
      z.toJSONSchema(documentedBody ?? body ?? z.never(), { unrepresentable: 'any', io: 'input' }),
    )
    const expected = isCheck ? ['tags', 'alertChannelSubscriptions'] : Object.keys(values)
    for (const name of expected) expect(fields).toContain(`"${name}":`)
  })
})

it('a field that was sent stays', () => {
  const route = { method: 'PUT', path: '/v2/check-groups/{id}' } as const
  const sent = { alertChannelSubscriptions: [{ alertChannelId: 1, activated: true }] }
  expect(withAbsentValues(route, sent)).toEqual(sent)
  expect(withAbsentValues(route, { name: 'g' })).toEqual({ name: 'g', alertChannelSubscriptions: [] })
})

it('lists of a request that are null are absent, in every method', () => {
  const body = { name: 'x', request: { url: 'https://example.com', headers: null, assertions: [] } }
  expect(withAbsentValues({ method: 'POST', path: '/v1/checks/api' }, body)).toEqual({
    name: 'x',
    request: { url: 'https://example.com', assertions: [] },
  })
})

it('only updates of listed paths are completed, and only objects', () => {
  const sent = { name: 'x' }
  expect(withAbsentValues({ method: 'POST', path: '/v2/check-groups/{id}' }, sent)).toEqual(sent)
  expect(withAbsentValues({ method: 'PUT', path: '/v1/snippets/{id}' }, sent)).toEqual(sent)
  expect(withAbsentValues({ method: 'PUT', path: '/v2/check-groups/{id}' }, null)).toBeNull()
})

it.each([
  ['TF', true],
  ['Pulumi', true],
  ['go-sdk', true],
  ['CLI', false],
  ['UI', false],
  [undefined, false],
])('clients that name themselves %s send whole objects: %s', (source, expected) => {
  expect(sendsWholeObjects({ 'x-checkly-source': source })).toBe(expected)
})
