// A message that appears while a button is pressed may move the button away from under the pointer: then the click is lost.

let isPressed = false

for (const [type, isDown] of [
  ['pointerdown', true],
  ['pointerup', false],
  ['pointercancel', false],
] as const)
  globalThis.addEventListener?.(
    type,
    () => {
      isPressed = isDown
    },
    true,
  )

/** At once, or after the click of the pointer that is down now. */
export function afterPress(run: () => void): void {
  if (!isPressed) {
    run()
    return
  }
  const end = new AbortController()
  const finish = () => {
    end.abort()
    // The click follows in the same task.
    setTimeout(run)
  }
  for (const type of ['pointerup', 'pointercancel']) addEventListener(type, finish, { signal: end.signal })
}
