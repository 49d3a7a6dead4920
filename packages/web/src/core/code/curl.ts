// Command lines that can be pasted into a shell.

export interface HttpRequest {
  method: string
  url: string
  headers?: Record<string, unknown> | undefined
  data?: string | undefined
}

/** In single quotes, which a shell doesn't expand. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Headers that curl sets itself, or that describe a body it doesn't send. */
const ownHeaders = ['host', 'content-length', 'connection', 'accept-encoding']

export function requestAsCurl({ method, url, headers = {}, data = '' }: HttpRequest): string {
  const lines = [`curl ${method === 'GET' ? '' : `--request ${quoteForShell(method)} `}${quoteForShell(url)}`]
  for (const [name, value] of Object.entries(headers)) {
    if (!ownHeaders.includes(name.toLowerCase()))
      lines.push(`--header ${quoteForShell(`${name}: ${String(value)}`)}`)
  }
  if (data !== '') lines.push(`--data-raw ${quoteForShell(data)}`)
  return lines.join(' \\\n  ')
}
