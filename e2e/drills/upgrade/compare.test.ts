import { describe, expect, it } from 'vitest'
import { compare, describeDifference } from './compare.ts'

describe('compare', () => {
  const before = { id: 'a', tags: ['x', 'y'], request: { url: 'https://example.com', body: null } }

  it('finds nothing in equal responses', () => {
    expect(compare(before, structuredClone(before))).toEqual([])
  })

  it('allows new fields at every depth', () => {
    const after = { ...before, added: 1, request: { ...before.request, added: [] } }
    expect(compare(before, after)).toEqual([])
  })

  it.each([
    ['a changed value', { ...before, id: 'b' }, 'id was "a" and is "b"'],
    ['a missing field', { id: 'a', tags: ['x', 'y'] }, 'request was {"url"'],
    ['null instead of a value', { ...before, id: null }, 'id was "a" and is null'],
    [
      'a missing nested null',
      { ...before, request: { url: 'https://example.com' } },
      'request.body was null and is missing',
    ],
    ['a changed item', { ...before, tags: ['x', 'z'] }, 'tags[1] was "y" and is "z"'],
    ['a longer list', { ...before, tags: ['x', 'y', 'z'] }, 'tags was ["x","y"] and is ["x","y","z"]'],
    ['a list instead of an object', { ...before, request: [] }, 'request was {'],
  ])('finds %s', (_what, after, sentence) => {
    const differences = compare(before, after)
    expect(differences).toHaveLength(1)
    expect(differences.map(describeDifference).join()).toContain(sentence)
  })
})
