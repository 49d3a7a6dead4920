// Refuses traces of the development machine in the tree: registry hosts, download addresses, local paths.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The rules that a text breaks. The second parameter describes this machine. */
export function findLeaks(text, { root, home, registryHost }) {
  const isSpecific = (path) => path.split('/').filter(Boolean).length > 1
  const has = (path) => new RegExp(`${RegExp.escape(path)}(?![\\w-])`).test(text)
  const rules = {
    'a download address in a lock file': /"resolved":\s*"https?:/.test(text),
    'a package registry': /\bregistry\.(npmjs\.org|yarnpkg\.com)\b|^\s*(@[\w-]+:)?registry\s*=/m.test(text),
    "this machine's package registry": registryHost !== null && has(registryHost),
    'a path of this checkout': isSpecific(root) && has(root),
    'a home directory':
      /(?<![\w.:-])\/(home|Users)\/[\w.-]+\/\w/.test(text) || (isSpecific(home) && has(home)),
  }
  return Object.keys(rules).filter((rule) => rules[rule])
}

function main() {
  const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
  const machine = { root, home: homedir(), registryHost: findRegistryHost(root) }
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
    .toString()
    .split('\0')
    .filter((file) => file && existsSync(join(root, file)))
  let problems = 0
  for (const file of files) {
    const content = readFileSync(join(root, file))
    if (content.includes(0)) continue
    for (const rule of findLeaks(content.toString(), machine)) {
      console.error(`${file}: contains ${rule}`)
      problems += 1
    }
  }
  console.log(`leaks: ${files.length} files, ${problems} problems`)
  process.exitCode = problems > 0 || files.length === 0 ? 1 : 0
}

function findRegistryHost(root) {
  const address = execFileSync('npm', ['config', 'get', 'registry'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return URL.parse(address.toString().trim())?.host ?? null
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main()
