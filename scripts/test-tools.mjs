// Installs tools that tests need: `ip` and `nft` for network paths, caddy for custom domains, shells for completion, strace for the
// system calls of cells. Plain JavaScript for Node 20.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installPackages } from './browser.mjs'

/** Debian packages by program. */
const networkTools = { ip: 'iproute2', nft: 'nftables' }
const storyTools = { ...networkTools, caddy: 'caddy', zsh: 'zsh', fish: 'fish', strace: 'strace' }

/** Never rejects: without the tools, the tests that need them fail and report it. */
export async function ensureTestTools({
  isStories = false,
  environment = process.env,
  print = console.error,
} = {}) {
  const directories = [...(environment.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  const isMissing = (tool) => !directories.some((directory) => existsSync(join(directory, tool)))
  const tools = isStories ? storyTools : networkTools
  const packages = Object.entries(tools).flatMap(([tool, name]) => (isMissing(tool) ? [name] : []))
  if (packages.length === 0 || process.platform !== 'linux' || process.getuid?.() !== 0) return
  if (!existsSync('/usr/bin/apt-get')) return
  print(`installing ${packages.join(' and ')} with apt-get…`)
  await installPackages(packages, environment).catch((error) => print(error.message))
}
