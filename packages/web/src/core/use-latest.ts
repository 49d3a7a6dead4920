import { useCallback, useLayoutEffect, useRef } from 'react'

/** A function that stays the same between renders and calls the latest `act`. For children that render only when they change. */
export function useLatest<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  return useCallback((...args) => latest.current(...args), [])
}
