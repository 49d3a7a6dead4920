// Settings of this browser, kept in its storage.
import { createStore } from './store.ts'

export interface Preferences {
  theme: 'system' | 'light' | 'dark'
  /** Shortcuts of a single key, such as j and k. */
  hasSingleKeys: boolean
  isSidebarNarrow: boolean
  isUtc: boolean
  /** Columns of the list of checks that are hidden. */
  hiddenColumns: string[]
  /** Groups in the list of checks. */
  collapsedGroups: string[]
}

const key = 'vedette.preferences'
const initial: Preferences = {
  theme: 'system',
  hasSingleKeys: true,
  isSidebarNarrow: false,
  isUtc: false,
  hiddenColumns: [],
  collapsedGroups: [],
}

export const preferences = createStore<Preferences>(read())

export function changePreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change })
  try {
    localStorage.setItem(key, JSON.stringify(preferences.get()))
  } catch {
    // The storage is full or blocked: the setting holds until the page is closed.
  }
}

export function applyTheme(): void {
  const { theme } = preferences.get()
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

function read(): Preferences {
  try {
    const stored: Partial<Preferences> = JSON.parse(localStorage.getItem(key) ?? '{}')
    return { ...initial, ...stored }
  } catch {
    return initial
  }
}
