import { expect, it } from 'vitest'
import { html } from './html.ts'

it('escapes values in text and in attributes', () => {
  const hostile = `"><script>alert('&')</script>`
  expect(html`<a title="${hostile}">${hostile}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;">' +
      '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;</a>',
  )
})

it("doesn't escape its own HTML, alone and in lists, and renders null as nothing", () => {
  const items = ['<a>', 'b'].map((item) => html`<li>${item}</li>`)
  expect(html`<ul>${items}</ul>${null}${3}`.text).toBe('<ul><li>&lt;a&gt;</li><li>b</li></ul>3')
})
