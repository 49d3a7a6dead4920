// Everything that a script may import, for clients that check imports before they send a script.
import type { RuntimeManifest } from './manifest.ts'
import { subPaths } from './sub-paths.ts'

const builtIns = [
  'assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns',
  'dns/promises events fs fs/promises http http2 https inspector module net os path path/posix path/win32 perf_hooks process',
  'punycode querystring readline repl stream stream/consumers stream/promises stream/web string_decoder timers',
  'timers/promises tls trace_events tty url util util/types v8 vm wasi worker_threads zlib',
].flatMap((names) => names.split(' '))

/** The packages of a runtime, their paths and the modules of Node.js, each with its version. */
export function specifiersOf({
  nodeJsVersion,
  dependencies,
}: Pick<RuntimeManifest, 'nodeJsVersion' | 'dependencies'>): Record<string, string> {
  const node = nodeJsVersion.replace(/^v/, '')
  const newer = Number(node.split('.')[0]) >= 18 ? ['readline/promises'] : []
  const named = [...builtIns, ...newer].flatMap((name) => [
    [name, node],
    [`node:${name}`, node],
  ])
  const paths = Object.entries(dependencies).flatMap(([name, version]) =>
    (subPaths[name]?.split(' ') ?? []).map((path) => [`${name}/${path}`, version]),
  )
  return { ...Object.fromEntries(named), ...Object.fromEntries(paths), ...dependencies }
}
