// The design tokens of tokens.css, as a style sheet and as single values.
import { readFileSync } from 'node:fs'

const file = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

export const tokenSheet = minifyCss(file)

export type Theme = 'light' | 'dark'

const pairs = [...file.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)]
const colorsOf = (group: 2 | 3) => new Map(pairs.map((pair) => [pair[1] ?? '', pair[group] ?? '']))

/** All colors by name. */
export const colors: Record<Theme, ReadonlyMap<string, string>> = { light: colorsOf(2), dark: colorsOf(3) }

/** For mails: few of their readers support custom properties. */
export function colorValue(name: string, theme: Theme): string {
  const value = colors[theme].get(name)
  if (value === undefined) throw new Error(`tokens.css has no color ${name}`)
  return value
}

/** Removes comments and spaces. Only for our own style sheets, whose texts contain neither. */
export function minifyCss(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim()
}
