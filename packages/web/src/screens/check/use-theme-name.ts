import { useSyncExternalStore } from 'react'
import { preferences } from '../../core/preferences.ts'
import { useStore } from '../../core/store.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')

function subscribe(listener: () => void): () => void {
  dark.addEventListener('change', listener)
  return () => dark.removeEventListener('change', listener)
}

/** The theme that is shown: charts are drawn again when it changes. */
export function useThemeName(): 'light' | 'dark' {
  const { theme } = useStore(preferences)
  const isDark = useSyncExternalStore(subscribe, () => dark.matches)
  if (theme !== 'system') return theme
  return isDark ? 'dark' : 'light'
}
