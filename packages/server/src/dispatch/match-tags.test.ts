import { describe, expect, it } from 'vitest'
import { matchTags } from './match-tags.ts'

const cases: [string, string[][] | undefined, string[], boolean][] = [
  ['nothing asked for', undefined, ['a'], true],
  ['no list', [], ['a'], true],
  ['its tag', [['a']], ['a', 'b'], true],
  ['another tag', [['c']], ['a', 'b'], false],
  ['all tags of a list', [['a', 'b']], ['b', 'a'], true],
  ['only some tags of a list', [['a', 'c']], ['a', 'b'], false],
  ['one list of several', [['c'], ['b']], ['a', 'b'], true],
  ['no list of several', [['c'], ['d']], ['a', 'b'], false],
  ['a tag that must not be there and is not', [['!c']], ['a'], true],
  ['a tag that must not be there and is', [['!a']], ['a'], false],
  ['a tag with another that must not be there', [['a', '!b']], ['a', 'b'], false],
  ['a check without tags, by what it lacks', [['!a']], [], true],
  ['a check without tags', [['a']], [], false],
  ['upper and lower case as different tags', [['A']], ['a'], false],
]

describe('tags', () => {
  it.each(cases)('%s', (_name, lists, tags, expected) => {
    expect(matchTags(lists, tags)).toBe(expected)
  })
})
