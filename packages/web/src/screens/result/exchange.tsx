// The request that was sent and the response that came.

import { requestAsCurl } from '@vedette/as-code/curl'
import { useState } from 'react'
import type { CheckResult } from '../../api/types.ts'
import { formatBytes } from '../../core/format.ts'
import { prettyBody } from '../../core/pretty-body.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { LogLines } from './log-lines.tsx'

type Evidence = NonNullable<CheckResult['apiCheckResult']>

export function Exchange({ evidence }: { evidence: Evidence }) {
  const { request, response, jobLog, redirects } = evidence
  return (
    <>
      {request && (
        <section aria-labelledby="request">
          <header className="section-head">
            <h2 id="request">Request</h2>
            <CopyButton text={requestAsCurl(request)} label="Copy as curl" />
          </header>
          <div className="panel">
            <p className="mono">
              {request.method} {request.url}
            </p>
            <Headers headers={request.headers} />
            {request.data !== '' && (
              <Body
                text={request.data}
                contentType={contentTypeOf(request.headers)}
                label="Body of the request"
              />
            )}
          </div>
        </section>
      )}
      {redirects.length > 0 && (
        <section aria-labelledby="redirects">
          <h2 id="redirects">Redirects</h2>
          <ol className="panel mono">
            {redirects.map((redirect, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the chain has a fixed order
              <li key={index}>
                {String(redirect.status ?? redirect.statusCode ?? '')}{' '}
                {String(redirect.location ?? redirect.url ?? redirect.to ?? '')}
              </li>
            ))}
          </ol>
        </section>
      )}
      {response && (
        <section aria-labelledby="response">
          <h2 id="response">Response</h2>
          <div className="panel">
            <p className="mono">
              {response.status} {response.statusText}
            </p>
            <Headers headers={response.headers} />
            {response.bodyEncoding === 'base64' ? (
              <p className="muted-text">
                The body isn’t text: {formatBytes(Math.floor(response.body.length * 0.75))}.
              </p>
            ) : (
              <Body
                text={response.body}
                contentType={contentTypeOf(response.headers)}
                label="Body of the response"
                isCut={response.truncated === true}
              />
            )}
          </div>
        </section>
      )}
      {jobLog && <LogLines title="Setup script" lines={jobLog.setup} />}
      {jobLog && <LogLines title="Teardown script" lines={jobLog.teardown} />}
    </>
  )
}

function Headers({ headers }: { headers: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(headers)
  if (entries.length === 0) return null
  return (
    <details>
      <summary>Headers ({entries.length})</summary>
      <dl className="facts mono">
        {entries.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{Array.isArray(value) ? value.join(', ') : String(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

interface BodyProps {
  text: string
  contentType: string
  label: string
  isCut?: boolean
}

function Body({ text, contentType, label, isCut = false }: BodyProps) {
  const [search, setSearch] = useState('')
  if (text === '') return <p className="muted-text">The body is empty.</p>
  const pretty = prettyBody(text, contentType)
  const found =
    search === ''
      ? null
      : pretty.split('\n').filter((line) => line.toLowerCase().includes(search.toLowerCase()))
  return (
    <div className="body">
      <div className="section-head">
        <input
          type="search"
          className="text-input"
          aria-label={`Search in the ${label.toLowerCase()}`}
          placeholder="Search in the body"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <CopyButton text={text} />
      </div>
      <section aria-label={label}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard */}
        <pre tabIndex={0}>{found === null ? pretty : found.join('\n') || 'No line contains this.'}</pre>
      </section>
      {isCut && <p className="muted-text">Only the first 256 kB are kept.</p>}
    </div>
  )
}

function contentTypeOf(headers: Readonly<Record<string, unknown>>): string {
  const entry = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')
  return String(entry?.[1] ?? '')
}
