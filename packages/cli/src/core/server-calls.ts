// Calls of a server, with errors that say what to do.
import { ClientError } from '@vedette/contracts'
import { CommandError } from './connection.ts'

/** Runs calls to the server at this address; turns their errors into CommandErrors. */
export async function callServer<T>(url: string, calls: () => Promise<T>): Promise<T> {
  try {
    return await calls()
  } catch (error) {
    throw new CommandError(problemOf(url, error), { cause: error })
  }
}

function problemOf(url: string, error: unknown): string {
  if (error instanceof ClientError) {
    if (error.status === 401) return `${url} doesn't accept the API key: run "vedette login --url ${url}".`
    if (error.status === 404 && error.body === undefined) return notVedette(url)
    return `${url} responded with ${error.status}: ${error.message}`
  }
  if (error instanceof SyntaxError) return notVedette(url)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  // A connection that several addresses refuse fails with an AggregateError without a message.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const reason = first instanceof Error ? first.message : String(first)
  return `No response from ${url}: ${reason}. Is the server running, and is its address right?`
}

export function notVedette(url: string): string {
  return `${url} isn't a Vedette server, or it's behind another path: enter the address that its app has in the browser.`
}
