// Loads the code of a screen. If that fails because the server has a newer app, the page is loaded again.
import { isServerNewer, newerBuild } from '../api/build.ts'

export async function loadScreen<T>(load: () => Promise<{ Screen: T }>): Promise<{ default: T }> {
  try {
    const { Screen } = await load()
    return { default: Screen }
  } catch (error) {
    if (await isServerNewer()) {
      newerBuild.set(true)
      location.reload()
    }
    throw error
  }
}
