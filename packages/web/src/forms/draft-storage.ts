// Unsaved values of forms, kept in the tab: they survive a reload and the end of a session, not the end of the tab.
import { valueAt, withValue } from './values.ts'

/** What was saved when the editing began, and the values since. */
export interface StoredDraft<T> {
  base: T
  values: T
}

const prefix = 'vedette.draft.'

export function readDraft<T>(key: string): StoredDraft<T> | null {
  try {
    const text = sessionStorage.getItem(prefix + key)
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** Secret values are left out: storage of the browser is no place for them. */
export function writeDraft<T extends object>(
  key: string,
  draft: StoredDraft<T>,
  secretPaths: readonly string[],
): void {
  let { values } = draft
  for (const path of secretPaths)
    if (valueAt(values, path) !== undefined) values = withValue(values, path, valueAt(draft.base, path))
  try {
    sessionStorage.setItem(prefix + key, JSON.stringify({ base: draft.base, values }))
  } catch {
    // The storage is full or blocked: the values are there until the page is closed.
  }
}

export function forgetDraft(key: string): void {
  sessionStorage.removeItem(prefix + key)
}
