// The JavaScript that the first screens load, compressed. Builds the app if its sources have changed.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dist, ensureBuilt, readCurrent } from './build-web.mjs'

/** In kB, brotli. */
const limit = 180

/** By path: the screen that it shows. */
const firstScreens = { '/': 'src/screens/home/home.tsx', '/checks': 'src/screens/checks/checks.tsx' }

ensureBuilt()
const folder = join(dist, readCurrent().id)
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))

function filesOf(source, found = new Set()) {
  const { file, imports = [] } = manifest[source]
  found.add(file)
  for (const one of imports) if (!found.has(manifest[one].file)) filesOf(one, found)
  return found
}

for (const [path, screen] of Object.entries(firstScreens)) {
  const files = [...new Set([...filesOf('index.html'), ...filesOf(screen)])].filter((file) =>
    file.endsWith('.js'),
  )
  const size = files.reduce((sum, file) => sum + statSync(join(folder, `${file}.br`)).size, 0) / 1000
  console.log(`${path}: ${size.toFixed(1)} kB in ${files.length} files, at most ${limit} kB`)
  if (size > limit || files.length < 2) process.exitCode = 1
}
