import { expect, it } from 'vitest'
import { html } from './html.ts'

it('escapes whatever is put into it, in text and in attributes', () => {
  const hostile = `"><script>alert('&')</script>`
  expect(html`<a title="${hostile}">${hostile}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;">' +
      '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</a>',
  )
})

it('leaves its own HTML as it is, alone and in lists, and nothing where there is nothing', () => {
  const items = ['<a>', 'b'].map((item) => html`<li>${item}</li>`)
  expect(html`<ul>${items}</ul>${null}${3}`.text).toBe('<ul><li>&lt;a&gt;</li><li>b</li></ul>3')
})
