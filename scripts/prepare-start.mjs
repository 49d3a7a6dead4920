// The part of `npm start` that runs before the server: installs the packages, and builds the web app in the background if its
// sources changed. Prints the Node that the server runs on. Plain JavaScript for Node 20.
import { buildInBackground, isBuilt } from './build-web.mjs'
import { ensureInstalled, serviceNode } from './install.mjs'

/** The process that becomes the server. */
const [server] = process.argv.slice(2).map(Number)

try {
  ensureInstalled()
  const node = serviceNode()
  if (!isBuilt()) buildInBackground(server)
  process.stdout.write(node)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
