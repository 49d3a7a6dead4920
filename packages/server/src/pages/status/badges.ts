// The state of a status page, or of one of its services, as a small picture.
import { type BadgeStyle, type BadgeTheme, badgeStyles, badgeThemes } from '@vedette/contracts'
import { type BadgeTone, badgeSvg } from '../../look/badge-svg.ts'
import type { RenderedDocument } from '../document.ts'
import type { StatusContent } from './content.ts'
import type { PublicState } from './uptime.ts'
import type { View } from './view.ts'

export interface BadgeLook {
  style: BadgeStyle
  theme: BadgeTheme
}

/** What isn't known is the default. */
export function badgeLook({ style, theme }: Record<string, unknown>): BadgeLook {
  return {
    style: badgeStyles.find((name) => name === style) ?? 'flat',
    theme: badgeThemes.find((name) => name === theme) ?? 'default',
  }
}

const tones = {
  passing: 'good',
  degraded: 'warning',
  partial: 'warning',
  failing: 'bad',
  maintenance: 'none',
} satisfies Record<PublicState, BadgeTone>

/** Without a service: of the whole page. Null: the page doesn't show the service. */
export function renderStatusBadge(
  { page, state, services }: StatusContent,
  { speech: { texts } }: View,
  serviceId: string | undefined,
  look: BadgeLook,
): RenderedDocument | null {
  const shown =
    serviceId === undefined ? { name: page.name, state } : services.find(({ id }) => id === serviceId)
  if (shown === undefined) return null
  const badge = { label: shown.name, message: texts.states[shown.state], tone: tones[shown.state], ...look }
  return pictureOf(badgeSvg(badge))
}

/** An SVG of our own that other sites embed. */
export function pictureOf(text: string): RenderedDocument {
  return {
    text,
    headers: {
      'content-type': 'image/svg+xml; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
  }
}
