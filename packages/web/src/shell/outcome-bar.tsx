// What an action has done, said once at the bottom of the screen, with a way back if there is one.
import { useEffect } from 'react'
import { createStore, useStore } from '../core/store.ts'
import { ActionButton, IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'

interface Outcome {
  text: string
  undo?: () => void
}

const shownMs = 10_000
const outcome = createStore<Outcome | null>(null)

/** `Saved: name and URL changed.` */
export function showOutcome(text: string, undo?: () => void): void {
  outcome.set({ text, ...(undo === undefined ? {} : { undo }) })
}

export function OutcomeBar() {
  const shown = useStore(outcome)
  useEffect(() => {
    if (shown === null) return
    const timer = setTimeout(() => outcome.set(null), shownMs)
    return () => clearTimeout(timer)
  }, [shown])
  return (
    <div role="status" className={shown === null ? 'unseen' : 'outcome-bar'}>
      {shown && (
        <>
          <span>{shown.text}</span>
          {shown.undo && (
            <ActionButton
              onPress={() => {
                shown.undo?.()
                outcome.set(null)
              }}
            >
              Undo
            </ActionButton>
          )}
          <IconButton label="Close" onPress={() => outcome.set(null)}>
            <Icon name="close" />
          </IconButton>
        </>
      )}
    </div>
  )
}
