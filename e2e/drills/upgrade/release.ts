// A published release in a separate checkout, cloned from this one.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Checkout, thisCheckout } from '../fleet.ts'

export interface Release {
  version: string
  commit: string
}

/** docs/releases.json lists the releases, oldest first; an upgrade starts from the latest one. */
export function latestRelease(): Release {
  const releases: Record<string, string> = JSON.parse(
    readFileSync(join(thisCheckout.root, 'docs/releases.json'), 'utf8'),
  )
  const [version, commit] = Object.entries(releases).at(-1) as [string, string]
  return { version, commit }
}

/** The commit before the one that added the newest migration, or OLD_COMMIT. */
export function beforeNewestMigration(): Release {
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'packages/server/migrations')
  const commit = git('rev-parse', process.env.OLD_COMMIT ?? `${added}^`)
  return { version: `of ${git('log', '-1', '--format=%cs', commit)}`, commit }
}

/** Clones the commit into a directory and installs its packages. An existing checkout of that commit is reused. */
export function checkOut({ version, commit }: Release, folder: string): Checkout {
  if (!existsSync(folder)) {
    git('clone', '--quiet', '--no-checkout', thisCheckout.root, folder)
    try {
      git('-C', folder, 'checkout', '--quiet', commit)
    } catch (cause) {
      throw new Error(
        `Release ${version} is commit ${commit}, which this clone doesn't have. ` +
          'If the clone is shallow, run git fetch --unshallow.',
        { cause },
      )
    }
  }
  const found = git('-C', folder, 'rev-parse', 'HEAD')
  if (found !== commit) throw new Error(`${folder} is at ${found}, and release ${version} is ${commit}`)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--include=dev', '--include=optional']
  if (!existsSync(join(folder, 'node_modules'))) run('npm', ['ci', ...options], folder)
  const node = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  return { root: folder, node: existsSync(node) ? node : process.execPath }
}

function git(...args: string[]): string {
  return run('git', args, thisCheckout.root).trim()
}

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
