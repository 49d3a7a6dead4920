import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { PasskeyCanceled } from '../../api/passkeys.ts'
import { reasonOf } from '../../parts/states.tsx'
import { ConfirmationCanceled, withConfirmation } from '../../shell/confirmation.tsx'

/** Changes a factor, after asking who it is if the server wants to know, and reads the factors again. */
export function useFactorAction() {
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const run = async (action: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      await withConfirmation(action)
      await queries.invalidateQueries({ queryKey: ['factors'] })
    } catch (error) {
      if (error instanceof PasskeyCanceled)
        setProblem('No passkey was made: the dialog of the browser was closed.')
      else if (!(error instanceof ConfirmationCanceled))
        setProblem(error instanceof Error ? reasonOf(error) : String(error))
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, problem }
}
