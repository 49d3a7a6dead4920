import { describe, expect, it } from 'vitest'
import { ImageError } from './image-error.ts'
import { safeSvg } from './safe-svg.ts'

const start = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
const safe = (content: string) => safeSvg(Buffer.from(`${start}${content}</svg>`))
/** The content without the root element. */
const inner = (content: string) => safe(content).slice(start.length, -'</svg>'.length)

describe('an SVG of a user', () => {
  it('keeps what draws', () => {
    const drawing =
      '<defs><linearGradient id="g"><stop offset="0" stop-color="#f00"></stop></linearGradient></defs>' +
      '<style>.a{fill:url(#g);stroke:red}</style>' +
      '<g transform="translate(1 2)" fill="url(#g)" style="opacity:.5"><path class="a" d="M0 0h9"></path></g>' +
      '<text x="1">A &amp; B</text><use href="#g"></use>'
    expect(inner(drawing)).toBe(drawing)
  })

  it('reads what drawing programs write around it', () => {
    const text = `\ufeff<?xml version="1.0"?>\n<!-- made -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:i="x" i:view="1">
<style><![CDATA[ .a > b { fill: red } ]]></style><i:pgf>junk</i:pgf><use xlink:href="#x"/></svg>\n`
    expect(safeSvg(Buffer.from(text))).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg"><style>.a&gt;b{fill:red}</style><use href="#x"></use></svg>',
    )
  })

  it.each([
    ['a script', '<script>alert(1)</script>', ''],
    ['a script in a namespace', '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>', ''],
    ['other case', '<ScRiPt>alert(1)</ScRiPt>', ''],
    ['foreign content', '<foreignObject><iframe src="x"></iframe></foreignObject>', ''],
    ['an event', '<path onload="alert(1)" d="M0"/>', '<path d="M0"></path>'],
    ['a link', '<a href="javascript:alert(1)"><path d="M0"/></a>', ''],
    [
      'an animation',
      '<path d="M0"><set attributeName="href" to="javascript:alert(1)"/></path>',
      '<path d="M0"></path>',
    ],
    ['an image', '<image href="https://evil.example/x.png"/>', ''],
    [
      'a filter image',
      '<filter id="f"><feImage href="//evil.example"/></filter>',
      '<filter id="f"></filter>',
    ],
    ['an external use', '<use href="https://evil.example/#x"/>', ''],
    ['an encoded address', '<use xlink:href="&#x6a;avascript:alert(1)"/>', ''],
    ['data', '<use href="data:image/svg+xml,x#y"/>', ''],
    ['an external fill', '<path fill="url(https://evil.example/#x)"/>', '<path></path>'],
    ['an external fill with an escape', '<path fill="u\\72l(https://evil.example)"/>', '<path></path>'],
    ['an external mask beside a local one', '<path mask="url(#a) url(//e)"/>', '<path></path>'],
    ['another function that loads', '<path fill="image-set(\'x.png\' 1x)"/>', '<path></path>'],
    ['an external style', '<path style="fill:url(//e);stroke:red"/>', '<path style="stroke:red"></path>'],
    ['an import', '<style>@import "//e";path{fill:red}</style>', '<style>path{fill:red}</style>'],
    ['a font', '<style>@font-face{src:url(//e)}</style>', '<style></style>'],
    ['a style that loads', '<style>path{fill:url(//e)}</style>', '<style>path{}</style>'],
    [
      'the end of a style',
      '<style>a{content:"&lt;/style>&lt;script>"}</style>',
      '<style>a{content:&quot;&lt;/style&gt;&lt;script&gt;&quot;}</style>',
    ],
    ['a handler', '<handler type="application/ecmascript">alert(1)</handler>', ''],
    ['a style sheet', '<?xml-stylesheet href="//evil.example/x.css"?><path d="M0"/>', '<path d="M0"></path>'],
    [
      'markup in a text',
      '<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>',
      '<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>',
    ],
    [
      'a quote in a value',
      `<path class='"&gt;&lt;script>'/>`,
      '<path class="&quot;&gt;&lt;script&gt;"></path>',
    ],
    [
      'uses of uses',
      '<g id="a"><use href="#b"/><use href="#b"/></g><use href="#a"/>',
      '<g id="a"><use href="#b"></use><use href="#b"></use></g>',
    ],
  ])('leaves out %s', (_name, content, expected) => {
    expect(inner(content)).toBe(expected)
  })

  it.each([
    ['entities', `<!DOCTYPE svg [<!ENTITY a "b">]>${start}&a;</svg>`],
    ['unknown entities', `${start}<text>&nbsp;</text></svg>`],
    ['a text before it', `x${start}</svg>`],
    ['two roots', `${start}</svg>${start}</svg>`],
    ['an end that is missing', `${start}<g></svg>`],
    ['an end without a start', `${start}</g></svg>`],
    ['a value without quotes', `${start}<path d=M0 /></svg>`],
    ['an open comment', `${start}<!-- </svg>`],
    ['HTML', '<!DOCTYPE html><html><body></body></html>'],
    ['nothing', ''],
    ['too deep', `${start}${'<g>'.repeat(200)}${'</g>'.repeat(200)}</svg>`],
    ['too many', `${start}${'<g/>'.repeat(5_001)}</svg>`],
  ])('is refused: %s', (_name, text) => {
    expect(() => safeSvg(Buffer.from(text))).toThrow(ImageError)
  })

  it('is refused if it is not UTF-8', () => {
    expect(() => safeSvg(Buffer.from(`${start}</svg>`, 'utf16le'))).toThrow(ImageError)
    expect(() => safeSvg(Buffer.from([0x3c, 0xff, 0xfe]))).toThrow(ImageError)
  })
})
