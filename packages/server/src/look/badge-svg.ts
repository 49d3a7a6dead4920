import { createRequire } from 'node:module'
import type { BadgeStyle, BadgeTheme } from '@vedette/contracts'

/** With the first badge: it has tables of the width of letters, which take 4 MB. */
const require = createRequire(import.meta.url)
const loadMaker = (): typeof import('badge-maker') => require('badge-maker')

export type BadgeTone = 'good' | 'warning' | 'bad' | 'none'

export interface Badge {
  label: string
  message: string
  tone: BadgeTone
  style: BadgeStyle
  theme: BadgeTheme
}

const messageColors = {
  good: '#2da44e',
  warning: '#bf8700',
  bad: '#cf222e',
  none: '#8c959f',
} satisfies Record<BadgeTone, string>

const labelColors = {
  default: '#555555',
  light: '#eaeef2',
  dark: '#161b22',
} satisfies Record<BadgeTheme, string>

/** The style `social` has no colors: there, tone and theme change nothing. */
export function badgeSvg({ label, message, tone, style, theme }: Badge): string {
  return loadMaker().makeBadge({
    label: visibleText(label),
    message: visibleText(message),
    color: messageColors[tone],
    labelColor: labelColors[theme],
    style,
  })
}

const maxChars = 60

/** Strips characters that have no shape or that XML doesn't allow, and shortens the text. */
function visibleText(text: string): string {
  const chars = Array.from(
    text
      .toWellFormed()
      .replace(/[^\P{C}\u200d]/gu, '')
      .trim(),
  )
  return chars.length <= maxChars ? chars.join('') : `${chars.slice(0, maxChars - 1).join('')}…`
}
