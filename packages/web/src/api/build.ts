// Whether the server has a newer app than the loaded one.
import { createStore } from '../core/store.ts'
import { basePath } from './base-path.ts'

export const newerBuild = createStore(false)

const minPauseMs = 60_000
let checkedAt = Date.now()

/** The id of the loaded app: the server writes it into the page. */
function loadedBuild(): string | null {
  return document.querySelector('meta[name="vedette-build"]')?.getAttribute('content') ?? null
}

export async function isServerNewer(): Promise<boolean> {
  try {
    const response = await fetch(`${basePath}/app/build.json`, { cache: 'no-store' })
    const { id }: { id?: string } = await response.json()
    return id !== undefined && id !== loadedBuild()
  } catch {
    return false
  }
}

/** After a reconnection, and when the tab is looked at again. */
export async function lookForNewerBuild(): Promise<void> {
  if (newerBuild.get() || Date.now() - checkedAt < minPauseMs) return
  checkedAt = Date.now()
  if (await isServerNewer()) newerBuild.set(true)
}
