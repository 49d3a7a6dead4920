// Assertions that the first response suggests. One press adds the chosen ones.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useCheck } from '../../api/check.ts'
import { expectationOf } from '../../core/assertion-words.ts'
import { observe, type SuggestedAssertion } from '../../core/suggest-assertions.ts'
import { outcomeOf } from '../../core/verdict.ts'
import { ActionButton } from '../../parts/button.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { useResult } from '../result/verdict-of.tsx'

export function SuggestedAssertions(props: { checkId: string; resultId: string }) {
  const result = useResult(props).data
  const check = useCheck(props.checkId).data
  const queries = useQueryClient()
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  // What a failing response has isn't what to expect.
  const usual = result !== undefined && outcomeOf(result).state === 'passing' ? observe(result).usual : []
  const chosen = usual.filter((assertion) => !left.has(expectationOf(assertion)))
  const adding = useMutation({
    mutationFn: (assertions: readonly SuggestedAssertion[]) => addAssertions(props.checkId, assertions),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['check', props.checkId] }),
  })
  if (usual.length === 0 || check?.checkType !== 'API') return null
  if (adding.isSuccess) return <p role="status">From now on, every run checks this.</p>
  return (
    <fieldset className="field many">
      <legend>Also check that it responds with</legend>
      {usual.map((assertion) => {
        const words = expectationOf(assertion)
        return (
          <label key={words} className="check-box">
            <input
              type="checkbox"
              checked={!left.has(words)}
              onChange={({ target }) => {
                const next = new Set(left)
                if (target.checked) next.delete(words)
                else next.add(words)
                setLeft(next)
              }}
            />
            {words}
          </label>
        )
      })}
      <ActionButton
        onPress={() => adding.mutate(chosen)}
        isPending={adding.isPending}
        isDisabled={chosen.length === 0}
      >
        Add these assertions
      </ActionButton>
      {adding.error && (
        <p className="field-error" role="alert">
          Couldn’t add them: {reasonOf(adding.error)}
        </p>
      )}
    </fieldset>
  )
}

async function addAssertions(id: string, assertions: readonly SuggestedAssertion[]): Promise<void> {
  const check = await call('GET /v1/checks/{id}', { params: { id } })
  if (check.checkType !== 'API') return
  const request = { ...check.request, assertions: [...assertions] }
  const version = check.updated_at ?? check.created_at
  // Sources and comparisons come from the definition of the type, which the compiler can't see in texts.
  await call('PUT /v1/checks/api/{id}', {
    params: { id },
    body: { request: request as never },
    ifMatch: version,
  })
}
