import { useEffect, useState } from 'react'

/** Whether it has been so for that long. What is over sooner isn't shown: it would only flicker. */
export function useLasting(isOn: boolean, ms: number): boolean {
  const [isLasting, setLasting] = useState(false)
  useEffect(() => {
    if (!isOn) return setLasting(false)
    const timer = setTimeout(() => setLasting(true), ms)
    return () => clearTimeout(timer)
  }, [isOn, ms])
  return isOn && isLasting
}
