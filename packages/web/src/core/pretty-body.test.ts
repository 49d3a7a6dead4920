import { expect, it } from 'vitest'
import { prettyBody } from './pretty-body.ts'

it.each([
  ['{"a":[1,2]}', 'application/json', '{\n  "a": [\n    1,\n    2\n  ]\n}'],
  ['{"a":1}', 'text/plain', '{\n  "a": 1\n}'],
  ['{broken', 'application/json', '{broken'],
  ['<p>hi</p>', 'text/html', '<p>hi</p>'],
])('%s as %s', (text, type, pretty) => expect(prettyBody(text, type)).toBe(pretty))
