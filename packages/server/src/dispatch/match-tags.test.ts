import { describe, expect, it } from 'vitest'
import { matchTags } from './match-tags.ts'

const cases: [string, string[][] | undefined, string[], boolean][] = [
  ['no condition', undefined, ['a'], true],
  ['no list', [], ['a'], true],
  ['its tag', [['a']], ['a', 'b'], true],
  ['another tag', [['c']], ['a', 'b'], false],
  ['all tags of a list', [['a', 'b']], ['b', 'a'], true],
  ['only some tags of a list', [['a', 'c']], ['a', 'b'], false],
  ['one list of several', [['c'], ['b']], ['a', 'b'], true],
  ['no list of several', [['c'], ['d']], ['a', 'b'], false],
  ['an excluded tag that the check lacks', [['!c']], ['a'], true],
  ['an excluded tag that the check has', [['!a']], ['a'], false],
  ['a tag together with an excluded tag that the check has', [['a', '!b']], ['a', 'b'], false],
  ['an excluded tag for a check without tags', [['!a']], [], true],
  ['a tag for a check without tags', [['a']], [], false],
  ['upper and lower case as different tags', [['A']], ['a'], false],
]

describe('matching tags', () => {
  it.each(cases)('%s', (_name, lists, tags, expected) => {
    expect(matchTags(lists, tags)).toBe(expected)
  })
})
