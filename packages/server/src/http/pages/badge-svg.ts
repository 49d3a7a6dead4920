// A badge as a picture: a label, and beside it what is said. Pure; whatever is written in it is text, never markup.

import type { BadgeStyle, BadgeTheme } from '@vedette/contracts'
import { escapeMarkup } from '@vedette/safeguards/markup'

export type BadgeTone = 'good' | 'warning' | 'bad' | 'none'

export interface Badge {
  label: string
  message: string
  tone: BadgeTone
  style: BadgeStyle
  theme: BadgeTheme
}

const tones: Record<BadgeTone, string> = {
  good: '#2da44e',
  warning: '#bf8700',
  bad: '#cf222e',
  none: '#8c959f',
}

const themes: Record<BadgeTheme, { background: string; text: string }> = {
  default: { background: '#555555', text: '#ffffff' },
  light: { background: '#eaeef2', text: '#24292f' },
  dark: { background: '#161b22', text: '#f0f6fc' },
}

interface Look {
  height: number
  radius: number
  fontSize: number
  padding: number
  /** How much lighter the top is than the bottom. */
  shine: number
  isUpperCase: boolean
  /** Between label and message. */
  gap: number
}

const flat: Look = { height: 20, radius: 3, fontSize: 11, padding: 6, shine: 0.1, isUpperCase: false, gap: 0 }

const looks: Record<BadgeStyle, Look> = {
  flat,
  plastic: { ...flat, height: 18, radius: 4, shine: 0.35 },
  'flat-square': { ...flat, radius: 0, shine: 0 },
  'for-the-badge': { ...flat, height: 28, radius: 0, fontSize: 10, padding: 11, shine: 0, isUpperCase: true },
  social: { ...flat, radius: 4, shine: 0, gap: 6 },
}

export function badgeSvg({ label, message, tone, style, theme }: Badge): string {
  const look = looks[style]
  const [left, right] = [boxOf(shortened(label), look), boxOf(shortened(message), look)]
  const width = left.width + look.gap + right.width
  const { background, text } = themes[theme]
  const title = escaped(`${shortened(label)}: ${shortened(message)}`)
  const rightAt = left.width + look.gap
  const shape =
    look.gap > 0
      ? box(0, left.width, look, background) + box(rightAt, right.width, look, tones[tone])
      : joined(left.width, width, look, background, tones[tone])
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${look.height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    look.shine > 0 ? shine(look.shine) : '',
    shape,
    look.shine > 0
      ? `<rect width="${width}" height="${look.height}" rx="${look.radius}" fill="url(#s)"/>`
      : '',
    `<g font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="${look.fontSize}" text-anchor="middle">`,
    write(left, 0, look, text),
    write(right, rightAt, look, '#ffffff'),
    '</g></svg>',
  ].join('')
}

interface Box {
  text: string
  textWidth: number
  width: number
}

function boxOf(text: string, { isUpperCase, padding, fontSize }: Look): Box {
  const shown = isUpperCase ? text.toUpperCase() : text
  const spacing = isUpperCase ? 1.2 : 0
  const textWidth = Math.round(
    Array.from(shown).reduce((sum, char) => sum + widthOf(char) * fontSize + spacing, 0),
  )
  return { text: shown, textWidth, width: textWidth + 2 * padding }
}

/** In parts of the font's size; the picture then stretches the text to what was reckoned. */
function widthOf(char: string): number {
  if (/[ijlI.,:;'|!()[\] ]/.test(char)) return 0.38
  if (/[mwMW@%]/.test(char)) return 0.92
  if (/[A-Z]/.test(char)) return 0.7
  return /[\u0020-\u024f]/.test(char) ? 0.61 : 1
}

function joined(leftWidth: number, width: number, look: Look, left: string, right: string): string {
  const { height, radius } = look
  return (
    `<clipPath id="c"><rect width="${width}" height="${height}" rx="${radius}"/></clipPath>` +
    `<g clip-path="url(#c)"><rect width="${leftWidth}" height="${height}" fill="${left}"/>` +
    `<rect x="${leftWidth}" width="${width - leftWidth}" height="${height}" fill="${right}"/></g>`
  )
}

function box(x: number, width: number, { height, radius }: Look, fill: string): string {
  return `<rect x="${x}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`
}

function shine(strength: number): string {
  return (
    `<linearGradient id="s" x2="0" y2="100%"><stop offset="0" stop-color="#fff" stop-opacity="${strength}"/>` +
    `<stop offset="1" stop-opacity="${strength}"/></linearGradient>`
  )
}

function write({ text, textWidth, width }: Box, x: number, look: Look, fill: string): string {
  const y = Math.round(look.height / 2 + look.fontSize * 0.36)
  const weight = look.isUpperCase ? ' font-weight="bold"' : ''
  return `<text x="${x + width / 2}" y="${y}" fill="${fill}" textLength="${textWidth}"${weight}>${escaped(text)}</text>`
}

const longest = 60

function shortened(text: string): string {
  const chars = Array.from(text.toWellFormed().trim())
  return chars.length <= longest ? chars.join('') : `${chars.slice(0, longest - 1).join('')}…`
}

function escaped(text: string): string {
  // What has no shape is left out.
  return escapeMarkup(text.replace(/[^\P{C}\u200d]/gu, ''))
}
