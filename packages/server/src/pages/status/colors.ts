// The colors that the owner of a status page chose, as custom properties.
import { keysOf, type StatusPageColors, type StatusPageThemeColors } from '@vedette/contracts'
import type { z } from 'zod'

type Colors = z.output<typeof StatusPageColors>

const properties = {
  bodyBackgroundColor: 'page',
  headerBackgroundColor: 'header',
  headerFontColor: 'header-text',
  titleFontColor: 'title',
  bodyFontColor: 'text',
  bodyFontColorMuted: 'muted',
  navigationFontColor: 'navigation',
  linkFontColor: 'accent',
  cardBackgroundColor: 'surface',
  borderColor: 'border',
  primaryButtonBackgroundColor: 'button',
  primaryButtonFontColor: 'on-button',
} satisfies Record<keyof Colors, string>

/** Empty without colors of its own. The dark theme has the light colors unless it has others. */
export function pageColors(themes: z.output<typeof StatusPageThemeColors> | null): string {
  if (themes === null) return ''
  const { light, dark = light } = themes
  const rules = keysOf(properties).map(
    (name) => `--${properties[name]}:light-dark(${light[name]},${dark[name]})`,
  )
  return `:root{${rules.join(';')}}`
}
