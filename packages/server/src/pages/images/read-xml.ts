// Reads a document in the strict part of XML that drawing programs write. Anything else is refused, not repaired: what is shown is
// written anew from this tree, so a browser can't read it differently. Entities and document types with declarations are refused.
import { ImageError } from './image-error.ts'

export interface XmlElement {
  name: string
  attributes: Map<string, string>
  children: (XmlElement | string)[]
}

const maxElements = 5_000
const maxDepth = 100

const token =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!DOCTYPE\s[^[\]<>]*>|<!\[CDATA\[(?<data>[\s\S]*?)\]\]>|<\/(?<end>[\w:.-]+)\s*>|<(?<start>[\w:.-]+)(?<attributes>(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(?<empty>\/?)>|(?<text>[^<]+)/y
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** The root element. Throws an ImageError. */
export function readXml(text: string): XmlElement {
  const document: XmlElement = { name: '', attributes: new Map(), children: [] }
  const path = [document]
  let count = 0
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const { data, end, start, attributes = '', empty, text: words } = token.exec(text)?.groups ?? refuse()
    const parent = path.at(-1) ?? refuse()
    if (data !== undefined) parent.children.push(data)
    if (words !== undefined) parent.children.push(decode(words))
    if (end !== undefined && (parent.name !== end || path.pop() === undefined)) refuse()
    if (start === undefined) continue
    count += 1
    if (count > maxElements || path.length > maxDepth)
      throw new ImageError('The drawing has too many elements.')
    const element: XmlElement = { name: start, attributes: attributesOf(attributes), children: [] }
    parent.children.push(element)
    if (empty === '') path.push(element)
  }
  const [root, ...others] = document.children.filter((child) => typeof child !== 'string')
  const hasText = document.children.some((child) => typeof child === 'string' && child.trim() !== '')
  return path.length > 1 || root === undefined || others.length > 0 || hasText ? refuse() : root
}

function attributesOf(text: string): Map<string, string> {
  return new Map([...text.matchAll(attribute)].map(([, name = '', a, b]) => [name, decode(a ?? b ?? '')]))
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decode(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+))?;?/gi, (whole, hex, decimal, name) => {
    if (!whole.endsWith(';')) return refuse()
    if (name !== undefined) return entities[name] ?? refuse()
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : refuse()
  })
}

function refuse(): never {
  throw new ImageError("It isn't a PNG, JPEG, GIF, WebP, AVIF, ICO or SVG image, or its SVG isn't plain XML.")
}
