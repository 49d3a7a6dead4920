// Makes an SVG of a user safe to serve: it is written anew from a list of elements and attributes that draw. Scripts, events, links,
// animations, foreign content and references to anything outside of the file are left out.
import { escapeMarkup } from '@vedette/safeguards/markup'
import { safeSvgCss } from '../../look/user-css.ts'
import { ImageError } from './image-error.ts'
import { readXml, type XmlElement } from './read-xml.ts'

const setOf = (names: string) => new Set(names.trim().split(/\s+/))

const elements = setOf(`
  svg g defs symbol use switch title desc style path rect circle ellipse line polyline polygon text tspan textPath
  linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer
  feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB
  feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight
  feTile feTurbulence`)

const attributes = setOf(`
  id class style href transform viewBox preserveAspectRatio width height x y x1 y1 x2 y2 cx cy r rx ry fx fy fr d points
  pathLength dx dy rotate textLength lengthAdjust startOffset method spacing offset gradientUnits gradientTransform
  spreadMethod clipPathUnits maskUnits maskContentUnits patternUnits patternContentUnits patternTransform markerUnits
  markerWidth markerHeight refX refY orient filterUnits primitiveUnits in in2 result mode type values stdDeviation
  tableValues slope intercept amplitude exponent operator k1 k2 k3 k4 order kernelMatrix divisor bias targetX targetY
  edgeMode preserveAlpha surfaceScale diffuseConstant specularConstant specularExponent scale xChannelSelector
  yChannelSelector azimuth elevation limitingConeAngle pointsAtX pointsAtY pointsAtZ z radius baseFrequency numOctaves
  seed stitchTiles role aria-label aria-hidden aria-labelledby
  alignment-baseline baseline-shift clip-path clip-rule color color-interpolation color-interpolation-filters direction
  display dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity font-family font-size font-stretch
  font-style font-variant font-weight letter-spacing lighting-color marker-end marker-mid marker-start mask mask-type
  mix-blend-mode opacity overflow paint-order pointer-events shape-rendering stop-color stop-opacity stroke
  stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width
  text-anchor text-decoration text-rendering vector-effect visibility word-spacing writing-mode`)

const withText = setOf('title desc text tspan textPath')

const allowedFunctions =
  /^(matrix|translate|scale|rotate|skewX|skewY|rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|calc|var)$/i

/** Throws an ImageError. */
export function safeSvg(bytes: Buffer): string {
  const root = readXml(decodeUtf8(bytes).trim())
  if (root.name !== 'svg') throw new ImageError('It is a page or another document, not an image.')
  const nesting = new Set<string>()
  findNesting(root, nesting)
  root.attributes.delete('xmlns')
  return write(root, nesting).replace('<svg', '<svg xmlns="http://www.w3.org/2000/svg"')
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ImageError("It isn't a PNG, JPEG, GIF, WebP, AVIF, ICO or SVG image.")
  }
}

/** Adds the ids of elements that contain a `use`. A few that use each other would draw millions of elements. */
function findNesting({ name, attributes, children }: XmlElement, ids: Set<string>): boolean {
  // Not `some`: it would stop at the first.
  const within = children.filter((child) => typeof child !== 'string' && findNesting(child, ids))
  const isNesting = name === 'use' || within.length > 0
  const id = attributes.get('id')
  if (isNesting && id !== undefined) ids.add(`#${id}`)
  return isNesting
}

function write(element: XmlElement, nesting: ReadonlySet<string>): string {
  const { name, children } = element
  if (!elements.has(name)) return ''
  if (name === 'style') return `<style>${escapeMarkup(safeSvgCss(textOf(element), 'stylesheet'))}</style>`
  const kept = [...element.attributes]
    .map(([key, value]) => [key === 'xlink:href' ? 'href' : key, value.trim()] as const)
    .filter(([key]) => attributes.has(key))
  const own = new Map(
    kept.flatMap(([key, value]) => safeValue(key, value).map((safe) => [key, safe] as const)),
  )
  const target = own.get('href')
  if (name === 'use' && (target === undefined || nesting.has(target))) return ''
  const inner = children.map((child) => {
    if (typeof child !== 'string') return write(child, nesting)
    return withText.has(name) ? escapeMarkup(child) : ''
  })
  const text = [...own].map(([key, value]) => ` ${key}="${escapeMarkup(value)}"`).join('')
  return `<${name}${text}>${inner.join('')}</${name}>`
}

/** Empty: the attribute is left out. */
function safeValue(key: string, value: string): string[] {
  if (key === 'href') return /^#[^\s]+$/.test(value) ? [value] : []
  if (key === 'style') return [safeSvgCss(value, 'declarationList')]
  // Many attributes are CSS, where an escape can hide the name of a function.
  if (value.includes('\\')) return []
  const rest = value.replace(/url\(\s*(['"]?)#[\w.:-]+\1\s*\)/gi, '')
  // Split, not matched: a pattern for the name before a parenthesis would take quadratic time.
  const beforeCalls = rest.split('(').slice(0, -1)
  const isAllowed = beforeCalls.every((text) =>
    allowedFunctions.test(
      text
        .trimEnd()
        .split(/[\s,;)]/)
        .at(-1) ?? '',
    ),
  )
  return isAllowed ? [value] : []
}

function textOf({ children }: XmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : '')).join('')
}
