// What a network monitor sent and received, as its agent reported it.
import type { networkEvidence } from '../../core/read-run.ts'

type Evidence = NonNullable<ReturnType<typeof networkEvidence>>

export function NetworkDetail({ evidence }: { evidence: Evidence }) {
  return (
    <>
      {evidence.request && <Values title="Request" values={evidence.request} />}
      {evidence.response && <Values title="Response" values={evidence.response} />}
    </>
  )
}

function Values({ title, values }: { title: string; values: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(values).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  if (entries.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <dl className="facts panel">
        {entries.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd className="mono">
              {typeof value === 'object' ? <pre>{JSON.stringify(value, null, 2)}</pre> : String(value)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
