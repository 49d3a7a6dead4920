import { z } from 'zod'

const Visited = z.object({
  observed: z.object({ pages: z.array(z.object({ url: z.string() }).nullable().catch(null)) }),
})

/** Of each page as the latest run saw it that came so far. In: evidence as it was stored, the latest first. */
export function pageAddresses(details: readonly string[]): Map<number, string> {
  const addresses = new Map<number, string>()
  for (const text of details) {
    const detail = Visited.safeParse(parsed(text))
    for (const [page, visit] of (detail.data?.observed.pages ?? []).entries()) {
      if (visit !== null && !addresses.has(page)) addresses.set(page, visit.url)
    }
  }
  return addresses
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
