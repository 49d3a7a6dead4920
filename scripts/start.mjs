import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { buildInBackground } from './build-web.mjs'
import { compileCache, ensureInstalled, root, serviceNode } from './install.mjs'

// Ctrl-C reaches every process of the terminal's process group, and npm forwards it too: forward it once.
const REPEAT_MS = 1_000

try {
  ensureInstalled()
  run(serviceNode())
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

function run(node) {
  const server = spawn(node, [join(root, 'packages/server/src/main.ts'), ...process.argv.slice(2)], {
    cwd: root,
    // By the channel the server reports that it is ready.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // dns.lookup uses the thread pool: lookups that time out must not block the others.
    env: {
      UV_THREADPOOL_SIZE: '32',
      NODE_COMPILE_CACHE: compileCache,
      ...(process.env.VEDETTE_INSTALL_BROWSER !== 'off' && {
        AGENT_BROWSER_INSTALLER: join(root, 'scripts/browser.mjs'),
      }),
      ...process.env,
    },
  })
  let building
  server.once('message', () => {
    building = buildInBackground()
  })
  let forwardedAt = Number.NEGATIVE_INFINITY
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      if (performance.now() - forwardedAt < REPEAT_MS) return
      forwardedAt = performance.now()
      server.kill(signal)
    })
  }
  // A killed npm doesn't stop its children: stop the server when the parent changes.
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid
    setInterval(() => process.ppid !== parent && server.kill('SIGTERM'), 1_000).unref()
  }
  server.once('error', (error) => {
    console.error(`The server cannot be run with ${node}: ${error.message}`)
    process.exit(1)
  })
  server.once('exit', (code, signal) => {
    building?.stop()
    process.exit(signal ? 128 + constants.signals[signal] : code)
  })
}
