/** Where what was read back differs from what was sent. Fields that only the response has do not count. */
export function differences(sent: unknown, read: unknown, path = ''): string[] {
  if (typeof sent === 'string' && typeof read === 'string')
    return isSameText(sent, read) ? [] : [describe(path, sent, read)]
  if (Array.isArray(sent)) {
    if (!Array.isArray(read) || read.length !== sent.length) return [describe(path, sent, read)]
    return sent.flatMap((item, index) => differences(item, read[index], `${path}[${index}]`))
  }
  if (typeof sent === 'object' && sent !== null) {
    if (typeof read !== 'object' || read === null) return [describe(path, sent, read)]
    // Once secret, always secret: also when this body did not say so.
    const isSecret = 'secret' in read && read.secret === true
    return Object.entries(sent).flatMap(([name, value]) => {
      const other = (read as Record<string, unknown>)[name]
      // A resolved incident is given its end; checks read with default alert settings where none apply.
      const isGiven = (name === 'stoppedAt' || name === 'alertSettings') && value === null
      if (isGiven || isException(name, isSecret) || value === undefined || !(name in read)) return []
      return differences(value, other, path === '' ? name : `${path}.${name}`)
    })
  }
  return Object.is(sent, read) ? [] : [describe(path, sent, read)]
}

/** Secrets can't be read back, ids and tokens are ours to make, and subscriptions may be more than were sent. */
function isException(name: string, isSecret: boolean): boolean {
  return (
    (name === 'value' && isSecret) || ['id', 'keys', 'pingToken', 'alertChannelSubscriptions'].includes(name)
  )
}

/** Instants may be written in several ways; colours in either case. */
function isSameText(sent: string, read: string): boolean {
  // The mask of a secret, sent back, keeps the secret.
  if (sent === read || sent === '***') return true
  if (/^#[0-9a-f]{3,6}$/i.test(sent)) return sent.toUpperCase() === read
  return /^\d{4}-\d{2}-\d{2}/.test(sent) && Date.parse(sent) === Date.parse(read)
}

function describe(path: string, sent: unknown, read: unknown): string {
  return `${path}: sent ${JSON.stringify(sent)}, read ${JSON.stringify(read)}`
}
