// The native date and time field has neither seconds nor a zone: it shows the time of the browser.

export function toLocalInput(iso: string): string {
  const at = new Date(iso)
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** Null: empty. */
export function fromLocalInput(text: string): string | null {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? null : at.toISOString()
}
