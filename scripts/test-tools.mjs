// Installs tools that tests need: `ip` and `nft` for network paths, caddy for custom domains, shells for completion, strace and
// Firefox for the system calls of cells, Go and others for the files in deploy/. Plain JavaScript for Node 20.
import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { installPackages } from './browser.mjs'

/** Debian packages by program, or by a path that one has. */
const networkTools = { ip: 'iproute2', nft: 'nftables' }
const goSources = '/usr/share/gocode/src'
const storyTools = {
  ...networkTools,
  caddy: 'caddy',
  zsh: 'zsh',
  fish: 'fish',
  strace: 'strace',
  'firefox-esr': 'firefox-esr',
  haproxy: 'haproxy',
  promtool: 'prometheus',
  'docker-compose': 'docker-compose',
  // The libraries are built with the Go of their distribution.
  '/usr/bin/go': 'golang-go',
  [`${goSources}/github.com/Masterminds/sprig`]: 'golang-github-masterminds-sprig-dev',
  [`${goSources}/github.com/xeipuuv/gojsonschema`]: 'golang-github-xeipuuv-gojsonschema-dev',
  [`${goSources}/sigs.k8s.io/yaml`]: 'golang-k8s-sigs-yaml-dev',
}

/** Never rejects: without the tools, the tests that need them fail and report it. */
export async function ensureTestTools({
  isStories = false,
  environment = process.env,
  print = console.error,
} = {}) {
  const directories = [...(environment.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  const isMissing = (tool) =>
    isAbsolute(tool) ? !existsSync(tool) : !directories.some((directory) => existsSync(join(directory, tool)))
  const tools = isStories ? storyTools : networkTools
  const packages = Object.entries(tools).flatMap(([tool, name]) => (isMissing(tool) ? [name] : []))
  if (packages.length === 0 || process.platform !== 'linux' || process.getuid?.() !== 0) return
  if (!existsSync('/usr/bin/apt-get')) return
  print(`installing ${packages.join(' and ')} with apt-get…`)
  await installPackages(packages, environment).catch((error) => print(error.message))
}
