import { useSyncExternalStore } from 'react'

const query = matchMedia('(max-width: 799px)')

function subscribe(listener: () => void): () => void {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the window is narrower than 800 px: tables then have rows of two lines. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => query.matches)
}
