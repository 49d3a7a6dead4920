// One field: a URL. It becomes a monitor, runs at once, and its first result is shown, also if it fails.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { CallError, call } from '../../api/call.ts'
import { checkNameOf, urlOf } from '../../core/first-url.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { VerdictOf } from '../result/verdict-of.tsx'
import { FirstAlert } from './first-alert.tsx'
import { SuggestedAssertions } from './suggested-assertions.tsx'

const pollMs = 1_000

export function FirstCheck({ onSkip }: { onSkip?: () => void }) {
  const [checkId, setCheckId] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const url = urlOf(String(new FormData(event.currentTarget).get('url')))
    if (url === null) return setProblem('Enter the address of a page, such as https://example.com.')
    setBusy(true)
    setProblem(null)
    try {
      const { id } = await createMonitor(url)
      setCheckId(id)
    } catch (error) {
      setProblem(
        error instanceof CallError ? `Couldn’t create the monitor: ${reasonOf(error)}` : String(error),
      )
    } finally {
      setBusy(false)
    }
  }
  if (checkId !== null) return <FirstResult checkId={checkId} />
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Field label="URL" name="url" type="url" placeholder="https://example.com" error={problem} autoFocus />
      <div className="actions">
        <ActionButton type="submit" look="primary" isPending={isBusy}>
          Watch it
        </ActionButton>
        {onSkip && (
          <ActionButton look="quiet" onPress={onSkip}>
            Skip
          </ActionButton>
        )}
      </div>
    </form>
  )
}

/** Every five minutes, and once at once. An API check, because its response suggests assertions. */
async function createMonitor(url: string): Promise<{ id: string }> {
  const check = await call('POST /v1/checks/api', {
    body: {
      ...{ name: checkNameOf(url), frequency: 5, locations: ['eu-central-1'] },
      request: { method: 'GET', url },
    },
  })
  await call('POST /v2/check-sessions/trigger', { body: { target: { checkId: [check.id] } } })
  return check
}

function FirstResult({ checkId }: { checkId: string }) {
  const { data } = useQuery({
    queryKey: ['first-result', checkId],
    queryFn: ({ signal }) =>
      call('GET /v2/check-results/{checkId}', { params: { checkId }, query: { limit: 1 } }, signal),
    refetchInterval: ({ state }) => (state.data?.entries.length ? false : pollMs),
  })
  const resultId = data?.entries[0]?.id
  return (
    <div className="stack">
      {resultId === undefined ? (
        <p role="status">The first run is on its way. Its result appears here in a few seconds.</p>
      ) : (
        <>
          <VerdictOf checkId={checkId} resultId={resultId} />
          <SuggestedAssertions checkId={checkId} resultId={resultId} />
        </>
      )}
      <FirstAlert checkId={checkId} />
      <p>
        <Link href={`/checks/${checkId}`}>Open the check</Link> · <Link href="/">Go to Home</Link>
      </p>
      <section aria-label="Next steps">
        <h2>Next</h2>
        <ul className="next-steps">
          <li>
            <Link href="/checks/new?type=BROWSER&template=page">Add a browser check</Link> from a template
          </li>
          <li>
            <Link href="/locations">Start an agent elsewhere</Link>: in your network, or in another region
          </li>
          <li>
            <a href={`${basePath}/docs`}>Deploy from code</a>: every check shows its code, every resource has
            a route
          </li>
        </ul>
      </section>
    </div>
  )
}
