import { describe, expect, it } from 'vitest'
import { changesOf, isSame, valueAt, withValue } from './values.ts'

const check = {
  name: 'Shop',
  request: { url: 'https://a.example', headers: [{ key: 'accept', value: '*/*' }] },
}

describe('values of a form', () => {
  it('are read by path, through objects and lists', () => {
    expect(valueAt(check, 'request.headers.0.key')).toBe('accept')
    expect(valueAt(check, 'request.headers.1.key')).toBeUndefined()
    expect(valueAt(check, 'name.first')).toBeUndefined()
  })

  it('are changed in a copy, in which the rest is shared', () => {
    const changed = withValue(check, 'request.headers.0.value', 'text/html')
    expect(changed.request.headers).toEqual([{ key: 'accept', value: 'text/html' }])
    expect(check.request.headers[0]?.value).toBe('*/*')
    expect(withValue({ a: { b: 1 }, c: { d: 2 } }, 'a.b', 3)).toEqual({ a: { b: 3 }, c: { d: 2 } })
    expect(withValue<object>({}, 'a.b', 1)).toEqual({ a: { b: 1 } })
  })

  it('differ by the deepest path, lists as a whole', () => {
    const changed = withValue(withValue(check, 'request.url', 'https://b.example'), 'request.headers', [])
    expect(changesOf(check, changed)).toEqual([
      { path: 'request.url', before: 'https://a.example', after: 'https://b.example' },
      { path: 'request.headers', before: check.request.headers, after: [] },
    ])
    expect(changesOf(check, structuredClone(check))).toEqual([])
  })

  it('are the same if their content is', () => {
    expect(isSame([{ a: 1 }], [{ a: 1 }])).toBe(true)
    expect(isSame([{ a: 1 }], [{ a: 1, b: 2 }])).toBe(false)
    expect(isSame({}, [])).toBe(false)
    expect(isSame(null, undefined)).toBe(false)
  })
})
