import { describe, expect, it } from 'vitest'
import { safeCss } from './user-css.ts'

describe('the style sheet of a user', () => {
  it.each([
    ['h1 { color: red }', '.content h1{color:red}'],
    ['.a, #b > c { margin: 0 }', '.content .a,.content #b>c{margin:0}'],
    ['body { color: red } :root { --x: 1px }', '.content{color:red}.content{--x: 1px }'],
    ['html body .a { color: red }', '.content .a{color:red}'],
    ['@media (max-width: 9px) { p { color: red } }', '@media (max-width:9px){.content p{color:red}}'],
    [
      '@keyframes k { from { opacity: 0 } 50% { opacity: 1 } }',
      '@keyframes k{from{opacity:0}50%{opacity:1}}',
    ],
    ['p { position: relative }', '.content p{position:relative}'],
    ['p { & b { color: red } }', '.content p{& b{color:red}}'],
  ])('applies to the content only: %s', (text, css) => {
    expect(safeCss(text)).toEqual({ css, dropped: [] })
  })

  it.each([
    ['@import "https://evil.example/x.css"; p { color: red }', '.content p{color:red}', '@import'],
    ['@font-face { font-family: x; src: url(x.woff) }', '', '@font-face'],
    ['p { background: url(https://evil.example/?x) }', '.content p{}', 'url()'],
    ['p { background: URL("//evil.example") no-repeat; color: red }', '.content p{color:red}', 'url()'],
    ['p { background: image-set("x.png" 1x) }', '.content p{}', 'url()'],
    ['p { background: \\75 rl(https://evil.example) }', '.content p{}', 'a part that is not CSS'],
    ['p { background: u\\72l(x) }', '.content p{}', 'a part that is not CSS'],
    ['p { background: image-\\73 et("x" 1x) }', '.content p{}', 'a part that is not CSS'],
    ['p { p\\6fsition: fixed }', '.content p{}', 'a part that is not CSS'],
    ['p { position: fixed; color: red }', '.content p{color:red}', 'position: fixed'],
    ['p { position: Sticky }', '.content p{}', 'position: Sticky'],
    ['p { --p: fixed; position: var(--p) }', '.content p{position:var(--p)}', '--p'],
    ['p { --u: url(x) }', '.content p{}', '--u'],
    ['p { behavior: url(x.htc) }', '.content p{}', 'behavior'],
  ])('loads nothing and covers nothing: %s', (text, css, name) => {
    expect(safeCss(text)).toEqual({ css, dropped: [name] })
  })

  it('cannot end its element', () => {
    const { css } = safeCss('p::before { content: "</style><script>alert(1)</script>" }')
    expect(css).not.toContain('<')
    expect(css).toContain('\\3c /style>')
  })

  it.each(['p { color: red', '}}}}', '<!-- x --> p {', 'p { color: } b', '\0', '@', '"', 'p{'.repeat(200)])(
    'may be nonsense: %j',
    (text) => {
      const { css } = safeCss(text)
      expect(css).not.toContain('<')
    },
  )
})
