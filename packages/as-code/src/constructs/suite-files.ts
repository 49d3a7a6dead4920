// The files of Playwright suites. Suites of one deployment share an archive, so they share a directory.
import type { CodeBundle, CodeBundles, ExportedFile } from '../account-resources.ts'
import type { CheckFields } from './check-construct.ts'
import { isRecord, type Props } from './construct-code.ts'
import { readTestCommand } from './test-command.ts'

/** The name of the package of an export. */
export const exportName = 'exported-resources'

const directory = 'suites'
const configNames = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'].map((end) => `playwright.config.${end}`)
const playwright = '@playwright/test'

interface Suite {
  bundle: CodeBundle
  /** Of the configuration, in the bundle. */
  config: string
  /** The directory of the suite in the bundle, with a slash at its end; empty: the bundle itself. */
  root: string
}

type Note = (field: string, value: unknown) => void

export class SuiteFiles {
  readonly files: ExportedFile[] = []
  /** With versions, of all suites. */
  readonly packages = new Map<string, string>()
  readonly #bundles: CodeBundles
  readonly #directories = new Map<string, string>()

  constructor(bundles: CodeBundles) {
    this.#bundles = bundles
  }

  has(check: CheckFields): boolean {
    return this.#find(check) !== undefined
  }

  add(check: CheckFields, logicalId: string, note: Note): Props {
    const suite = this.#find(check)
    if (suite === undefined) return {}
    const { bundle, config, root } = suite
    const paths = [...bundle.files.keys()].filter((path) => path.startsWith(root)).toSorted()
    const key = `${String(check.codeBundlePath)} ${root}`
    const known = this.#directories.get(key)
    const into = known ?? this.#nameDirectory(root, logicalId)
    if (known === undefined) {
      this.#directories.set(key, into)
      for (const path of paths)
        this.files.push({
          path: `${into}/${path.slice(root.length)}`,
          text: '',
          bytes: bundle.files.get(path) ?? new Uint8Array(),
        })
    }
    this.#addPackages(suite, check.playwrightVersion, note)
    const own = config.slice(root.length)
    return {
      playwrightConfigPath: `../${into}/${own}`,
      include: includeOf(
        own,
        paths.map((path) => path.slice(root.length)),
      ),
    }
  }

  #find(check: CheckFields): Suite | undefined {
    const { config: named } = readTestCommand(String(check.testCommand ?? ''))
    const bundle = this.#bundles.get(String(check.codeBundlePath))
    if (bundle === undefined) return undefined
    const base = String(check.workingDir ?? '')
    const paths = (named === undefined ? configNames : [named]).map((name) => join(base, name))
    const config = paths.find((path) => bundle.files.has(path))
    if (config === undefined) return undefined
    const [first, second] = config.split('/')
    const isExport = first === directory && readJson(bundle, 'package.json').name === exportName
    return { bundle, config, root: isExport ? `${first}/${second}/` : '' }
  }

  /** A suite that was deployed from an export keeps its directory. */
  #nameDirectory(root: string, logicalId: string): string {
    const safe = logicalId.replaceAll(/[^\w-]+/g, '-')
    const base = root === '' ? `${directory}/${safe}` : root.slice(0, -1)
    const taken = new Set(this.#directories.values())
    let name = base
    for (let number = 2; taken.has(name); number += 1) name = `${base}-${number}`
    return name
  }

  /** The client deploys with one manifest and one lock file: those of the export. */
  #addPackages({ bundle, config, root }: Suite, playwrightVersion: unknown, note: Note): void {
    const lock = readJson(bundle, `${root}package-lock.json`).packages
    const wanted = new Map<string, string>()
    if (typeof playwrightVersion === 'string' && playwrightVersion !== '')
      wanted.set(playwright, playwrightVersion)
    const parts = config.slice(root.length).split('/').slice(0, -1)
    for (const depth of [...parts.keys(), parts.length].toReversed()) {
      const manifest = readJson(bundle, [...parts.slice(0, depth), 'package.json'].join('/'), root)
      for (const [name, range] of rangesOf(manifest))
        if (!wanted.has(name)) wanted.set(name, lockedVersion(lock, name, range) ?? range)
    }
    for (const [name, version] of wanted) {
      const other = this.packages.get(name)
      if (other === undefined) this.packages.set(name, version)
      else if (other !== version) note(`version of the package ${name}`, version)
    }
  }
}

/**
 * Relative to the configuration. Patterns don't match names that begin with a dot, or packages. The client allows no escapes, so
 * special characters become `?`.
 */
function includeOf(config: string, paths: readonly string[]): string[] {
  const up = '../'.repeat(config.split('/').length - 1)
  const isHidden = (path: string) => /(^|\/)(\.|node_modules\/)/.test(path)
  return [`${up}**/*`, ...paths.filter(isHidden).map((path) => up + path.replaceAll(/[[\]{}()*!+@]/g, '?'))]
}

function rangesOf(manifest: Record<string, unknown>): [name: string, range: string][] {
  return ['dependencies', 'devDependencies']
    .flatMap((field) => Object.entries(Object(manifest[field])))
    .flatMap(([name, range]): [string, string][] =>
      typeof range !== 'string' ||
      name === 'checkly' ||
      /^(workspace|file|link|portal|catalog|patch):/.test(range)
        ? []
        : [[name, range]],
    )
}

/** Undefined: the range isn't one of versions, or there is no lock file of npm. */
function lockedVersion(lock: unknown, name: string, range: string): string | undefined {
  if (!/^[\w.^~<>=*|\s-]+$/.test(range) || !isRecord(lock)) return undefined
  const { version } = Object(lock[`node_modules/${name}`])
  return typeof version === 'string' ? version : undefined
}

function readJson({ files }: CodeBundle, path: string, root = ''): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(files.get(root + path)))
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

function join(base: string, path: string): string {
  const parts: string[] = []
  for (const part of `${base}/${path}`.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
