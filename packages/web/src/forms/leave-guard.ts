// Leaving a form with changes asks once. Links and buttons go through the router, which asks here.
import { useEffect } from 'react'
import { createStore } from '../core/store.ts'

/** What discards the changes of each form on the screen that has some. */
const discards = new Set<() => void>()

/** Where the user wants to go; null: nowhere. */
export const wantedLeave = createStore<(() => void) | null>(null)

/** Goes at once if nothing would be lost. */
export function leaveOrAsk(go: () => void): void {
  if (discards.size === 0) go()
  else wantedLeave.set(go)
}

export function discardAll(): void {
  for (const discard of discards) discard()
  discards.clear()
}

/** While the form has changes, the browser asks too before it closes the tab. */
export function useLeaveGuard(isChanged: boolean, discard: () => void): void {
  useEffect(() => {
    if (!isChanged) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    discards.add(discard)
    addEventListener('beforeunload', warn)
    return () => {
      discards.delete(discard)
      removeEventListener('beforeunload', warn)
    }
  }, [isChanged, discard])
}
