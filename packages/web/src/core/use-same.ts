import { useRef } from 'react'

/** The list of the render before as long as it has the same items. For children that render only when they change. */
export function useSame<T>(items: readonly T[]): readonly T[] {
  const known = useRef(items)
  const isSame =
    known.current.length === items.length && items.every((item, index) => item === known.current[index])
  if (!isSame) known.current = items
  return known.current
}
