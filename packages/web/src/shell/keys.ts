// Keyboard shortcuts: screens register theirs while they are shown. The one that was registered last wins.
import { useEffect, useRef } from 'react'
import { preferences } from '../core/preferences.ts'

export type KeyHandlers = Readonly<Record<string, () => void>>

const stack: { current: KeyHandlers }[] = []

export function useKeys(handlers: KeyHandlers): void {
  const latest = useRef(handlers)
  latest.current = handlers
  useEffect(() => {
    stack.push(latest)
    return () => {
      stack.splice(stack.indexOf(latest), 1)
    }
  }, [])
}

/** Ends with the returned function. */
export function listenToKeys(): () => void {
  document.addEventListener('keydown', handleKey)
  return () => document.removeEventListener('keydown', handleKey)
}

function handleKey(event: KeyboardEvent): void {
  const name = nameOf(event)
  if (name === null || event.defaultPrevented || (event.repeat && !/^[jk]$/.test(name))) return
  const handler = stack.findLast(({ current }) => current[name] !== undefined)?.current[name]
  if (handler === undefined) return
  event.preventDefault()
  handler()
}

/** Null: the key belongs to what has the focus, or single keys are turned off. */
function nameOf(event: KeyboardEvent): string | null {
  const isCommand = event.ctrlKey || event.metaKey
  if (isCommand) return event.key.toLowerCase() === 'k' ? 'mod+k' : null
  if (event.altKey || !preferences.get().hasSingleKeys) return null
  // Inside of a shadow root too: there the code editor is.
  const [target] = event.composedPath()
  if (!(target instanceof Element)) return event.key
  if (
    target.closest(
      'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="menu"], [role="listbox"], [role="dialog"]',
    )
  )
    return null
  // Enter presses what has the focus.
  return event.key === 'Enter' && target.closest('a, button, [role="tab"]') ? null : event.key
}
