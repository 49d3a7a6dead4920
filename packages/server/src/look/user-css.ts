// Makes a style sheet of a user safe to include in a page or in an SVG: it can change how the content looks, but it loads nothing, covers
// nothing outside the content, and can't end the element it is in.
import { createRequire } from 'node:module'
import type { CssNode, Declaration, List, SelectorList } from 'css-tree'

/** With the first style sheet: it has the grammar of CSS, which takes 4 MB. */
const require = createRequire(import.meta.url)
const tree = (): typeof import('css-tree') => require('css-tree')

export interface SafeCss {
  css: string
  /** What was left out, each named once. */
  dropped: string[]
}

/** The element that contains everything that users may style. */
export const contentClass = 'content'

const allowedAtRules = new Set(['media', 'supports', 'keyframes', 'container', 'layer'])
const loadingFunctions = new Set([
  'url',
  'src',
  'image',
  'image-set',
  '-webkit-image-set',
  'cross-fade',
  'element',
  '-moz-element',
])
const coveringPositions = /\b(fixed|sticky|-webkit-sticky)\b/i
const dangerousProperties = new Set(['behavior', '-moz-binding'])

export function safeCss(text: string): SafeCss {
  if (text === '') return { css: '', dropped: [] }
  const dropped = new Set<string>()
  const sheet = tree().parse(text, { onParseError: () => dropped.add(notCss) })
  drop(sheet, refusal, (reason) => dropped.add(reason))
  tree().walk(sheet, function scope(node) {
    // The selectors of keyframes are times.
    if (node.type !== 'Rule' || this.atrule?.name.toLowerCase().endsWith('keyframes')) return
    // A rule within another one is limited by that one.
    if (this.rule && this.rule !== node) return
    if (node.prelude.type === 'SelectorList') scopeSelectors(node.prelude)
  })
  // A `<` in a text could end the style element.
  return { css: tree().generate(sheet).replaceAll('<', '\\3c '), dropped: [...dropped] }
}

/** For an SVG, whose styles may refer to its own gradients and clip paths. They apply to the file alone, so they aren't scoped. */
export function safeSvgCss(text: string, context: 'stylesheet' | 'declarationList'): string {
  const sheet = tree().parse(text, { context })
  const isLocal = (node: CssNode) => node.type === 'Url' && /^#[\w.:-]+$/.test(node.value)
  drop(sheet, (node) => refusal(node, isLocal))
  return tree().generate(sheet)
}

function drop(
  sheet: CssNode,
  refusalOf: (node: CssNode) => string | null,
  onDrop: (reason: string) => void = () => undefined,
): void {
  tree().walk(sheet, function visit(node, item, list) {
    const reason = refusalOf(node)
    if (reason === null) return undefined
    onDrop(reason)
    list?.remove(item)
    return this.skip
  })
}

const notCss = 'a part that is not CSS'
const nothing = () => false

/** Why a part is left out; null: it stays. `mayLoad`: addresses that are allowed. */
function refusal(node: CssNode, mayLoad: (node: CssNode) => boolean = nothing): string | null {
  switch (node.type) {
    case 'Atrule': {
      const name = node.name.toLowerCase().replace(/^-\w+-/, '')
      if (!allowedAtRules.has(name)) return `@${node.name}`
      return node.prelude?.type === 'Raw' ? notCss : null
    }
    case 'Rule':
      return node.prelude.type === 'Raw' ? notCss : null
    case 'Declaration':
      return refusalOfDeclaration(node, mayLoad)
    default:
      return null
  }
}

function refusalOfDeclaration(node: Declaration, mayLoad: (node: CssNode) => boolean): string | null {
  const property = node.property.toLowerCase()
  const value = tree().generate(node.value)
  if (dangerousProperties.has(property)) return property
  // Another rule could use it as a position or an address.
  if (property.startsWith('--'))
    return /[(\\]/.test(value) || coveringPositions.test(value) ? node.property : null
  if (property === 'position' && coveringPositions.test(value)) return `position: ${value}`
  if (node.value.type === 'Raw' || property.includes('\\')) return notCss
  let reason: string | null = null
  tree().walk(node, (part) => {
    if (part.type === 'Url' && !mayLoad(part)) reason = 'url()'
    if (part.type === 'Function' && loadingFunctions.has(part.name.toLowerCase())) reason = 'url()'
    // Names can be written with escapes, which hide what they are.
    if (part.type !== 'String' && 'name' in part && String(part.name).includes('\\')) reason = notCss
  })
  return reason
}

/** Selectors of the whole page become selectors of the content; others are limited to what is in it. */
function scopeSelectors(selectors: SelectorList): void {
  for (const selector of selectors.children) {
    if (selector.type !== 'Selector') continue
    const { children } = selector
    while (children.first && isWholePage(children.first)) {
      children.shift()
      if (children.first?.type === 'Combinator') children.shift()
    }
    const prefix: CssNode[] = [{ type: 'ClassSelector', name: contentClass }]
    if (children.first !== null && children.first.type !== 'Combinator')
      prefix.push({ type: 'Combinator', name: ' ' })
    prepend(children, prefix)
  }
}

function prepend(children: List<CssNode>, nodes: readonly CssNode[]): void {
  for (const node of nodes.toReversed()) children.prependData(tree().clone(node))
}

function isWholePage(node: CssNode): boolean {
  return (
    (node.type === 'TypeSelector' && /^(html|body)$/i.test(node.name)) ||
    (node.type === 'PseudoClassSelector' && /^(root|host)$/i.test(node.name))
  )
}
