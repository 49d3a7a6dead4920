// The query of the address as state.
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

export function useSearchParameters(): [
  URLSearchParams,
  (next: URLSearchParams, options?: { isNewEntry?: boolean }) => void,
] {
  const text = useSearch()
  const [path, navigate] = useLocation()
  const search = useMemo(() => new URLSearchParams(text), [text])
  const change = useCallback(
    (next: URLSearchParams, { isNewEntry = false }: { isNewEntry?: boolean } = {}) => {
      const query = next.toString()
      navigate(query === '' ? path : `${path}?${query}`, { replace: !isNewEntry })
    },
    [path, navigate],
  )
  return [search, change]
}
