import { expect, it } from 'vitest'
import { badgeAsHtml, badgeAsMarkdown } from './badge-code.ts'

it('badges are safe in Markdown and HTML', () => {
  const badge = { name: 'a"]<b>', url: 'http://x/b.svg', opens: 'http://x' }
  expect(badgeAsMarkdown(badge)).toBe('[![a"\\]<b>](http://x/b.svg)](http://x)')
  expect(badgeAsHtml(badge)).toBe('<a href="http://x"><img src="http://x/b.svg" alt="a&quot;]&lt;b&gt;"></a>')
})
