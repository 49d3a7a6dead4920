// Clients of the public service name themselves in a header. Some of them need other treatment than the document says.

const sourceHeader = 'x-checkly-source'

/** Build on one library, which always sends whole objects and leaves out empty values (decision 13). */
const wholeObjectSources = new Set(['tf', 'pulumi', 'go-sdk'])

export function sendsWholeObjects(headers: SourceHeaders): boolean {
  return wholeObjectSources.has(sourceOf(headers))
}

/** The command-line client. */
export function isCli(headers: SourceHeaders): boolean {
  return sourceOf(headers) === 'cli'
}

type SourceHeaders = Readonly<Record<string, string | string[] | undefined>>

function sourceOf(headers: SourceHeaders): string {
  return String(headers[sourceHeader] ?? '').toLowerCase()
}
