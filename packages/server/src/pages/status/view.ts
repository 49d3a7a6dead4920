import type { Speech } from '../texts/speech.ts'
import type { ThemeName } from '../theme.ts'

/** How a visitor wants to see a page. */
export interface View {
  speech: Speech
  /** Null: as the page is set. */
  theme: ThemeName | null
  /** The path that the addresses of the page begin with; empty on a domain of its own. */
  base: string
  /** The whole address of the page, for feeds. */
  url: string
  /** The content is older than it should be, because newer data couldn't be read. */
  isStale: boolean
  /** The page is shown as it was; null: as it is. */
  past: Date | null
  /** It is a file: there is no server for forms and other languages. */
  isStatic: boolean
  /** In a frame of the app. */
  isPreview?: boolean
}

/** An address of the page. In the past, links stay at the same time. */
export function address({ base, past }: View, path: string): string {
  return `${base}${path}${past === null ? '' : `?at=${past.toISOString()}`}`
}
