export type ThemeName = 'light' | 'dark' | 'auto'

/** The theme that a visitor asks for; null: none. */
export function themeOf(asked: unknown): ThemeName | null {
  return asked === 'light' || asked === 'dark' || asked === 'auto' ? asked : null
}
