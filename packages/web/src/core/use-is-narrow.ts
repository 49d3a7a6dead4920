import { useSyncExternalStore } from 'react'

interface Width {
  subscribe(listener: () => void): () => void
  isBelow(): boolean
}

function watchWidth(px: number): Width {
  const query = matchMedia(`(max-width: ${px - 1}px)`)
  return {
    subscribe(listener) {
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    isBelow: () => query.matches,
  }
}

const narrow = watchWidth(800)
const wide = watchWidth(1200)

/** Whether the window is narrower than 800 px: tables then have rows of two lines. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(narrow.subscribe, narrow.isBelow)
}

/** Whether there is no room for a panel beside a form: less than 1200 px. */
export function useHasNoSide(): boolean {
  return useSyncExternalStore(wide.subscribe, wide.isBelow)
}
