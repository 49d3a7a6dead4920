// Signed links to files of results, valid for a few minutes. Nothing is stored per link.
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

/** Why a link is refused; null if it is valid. */
export function refusalOfLink(
  { sign, now }: { sign: Sign; now: number },
  { id, expires, signature }: { id: string; expires: number; signature: string },
): string | null {
  if (!isSame(signature, sign(signedText(id, expires)))) return 'The signature does not match this link.'
  if (expires * 1000 < now) return 'This link has expired: list the assets again for a new one.'
  return null
}

/** The file name of a path. Dots alone would be resolved as a directory. */
export function lastPart(name: string): string {
  const last = name.split('/').at(-1) ?? ''
  return /^\.{0,2}$/.test(last) ? 'file' : last
}

/** Opens a trace in the viewer. Both URLs are absolute: the viewer resolves relative ones against itself. */
export function traceViewerLink(publicUrl: string, link: string): string {
  return `${publicUrl}/trace-viewer/?trace=${encodeURIComponent(publicUrl + link)}`
}

function signedText(id: string, expires: number): string {
  return `artifact: ${id} until ${expires}`
}
