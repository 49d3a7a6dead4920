import { useIsFetching } from '@tanstack/react-query'

/** A thin bar while anything is loaded; the old content stays. */
export function ProgressBar() {
  const isBusy = useIsFetching() > 0
  return <div className={isBusy ? 'progress busy' : 'progress'} aria-hidden="true" />
}
