// Unsaved values of forms, kept in the tab: they survive a reload and the end of a session, not the end of the tab.
import { valueAt, withValue } from './values.ts'

/** What was saved when the editing began, and the values since. */
export interface StoredDraft<T> {
  base: T
  values: T
}

const prefix = 'vedette.draft.'

/** Secret values were left out: those of `saved` take their place. */
export function readDraft<T extends object>(
  key: string,
  saved: T,
  secretPathsOf: (values: T) => readonly string[],
): StoredDraft<T> | null {
  try {
    const text = sessionStorage.getItem(prefix + key)
    if (text === null) return null
    const { base, values }: StoredDraft<T> = JSON.parse(text)
    const fill = (draft: T) => {
      let filled = draft
      for (const path of secretPathsOf(draft)) filled = withValue(filled, path, valueAt(saved, path) ?? null)
      return filled
    }
    return { base: fill(base), values: fill(values) }
  } catch {
    return null
  }
}

/** Secret values are left out: storage of the browser isn't for them. */
export function writeDraft<T extends object>(
  key: string,
  { base, values }: StoredDraft<T>,
  secretPathsOf: (values: T) => readonly string[],
): void {
  const blank = (draft: T) => {
    let blanked = draft
    for (const path of secretPathsOf(draft)) blanked = withValue(blanked, path, null)
    return blanked
  }
  try {
    sessionStorage.setItem(prefix + key, JSON.stringify({ base: blank(base), values: blank(values) }))
  } catch {
    // The storage is full or blocked: the values are there until the page is closed.
  }
}

export function forgetDraft(key: string): void {
  sessionStorage.removeItem(prefix + key)
}
