// Links to single files of results: whoever holds one was shown it minutes ago. Signed, so no column keeps them.
import { isSame, type Sign } from './subscription-link.ts'

const validSeconds = 15 * 60

/** Relative to this server. */
export function assetLink(
  { sign, now }: { sign: Sign; now: number },
  { id, name }: { id: string; name: string },
): string {
  const expires = Math.floor(now / 1000) + validSeconds
  return `/assets/${id}/${encodeURIComponent(lastPart(name))}?expires=${expires}&signature=${sign(signedText(id, expires))}`
}

/** Why a link opens nothing; null: it does. */
export function refusalOfLink(
  { sign, now }: { sign: Sign; now: number },
  { id, expires, signature }: { id: string; expires: number; signature: string },
): string | null {
  if (!isSame(signature, sign(signedText(id, expires)))) return 'The signature does not fit this link.'
  if (expires * 1000 < now) return 'This link has expired: list the assets again for a new one.'
  return null
}

/** Of a path: what the file is called. Dots alone would lead elsewhere. */
export function lastPart(name: string): string {
  const last = name.split('/').at(-1) ?? ''
  return /^\.{0,2}$/.test(last) ? 'file' : last
}

/** Opens a trace in the viewer. Both addresses are whole: the viewer takes relative ones for files of its own. */
export function traceViewerLink(publicUrl: string, link: string): string {
  return `${publicUrl}/trace-viewer/?trace=${encodeURIComponent(publicUrl + link)}`
}

function signedText(id: string, expires: number): string {
  return `artifact: ${id} until ${expires}`
}
