// Wraps a suite's configuration: always adds traces, our reporters and the suffix of the user agent; other settings only if the
// suite doesn't set them. Projects, servers, directories and snapshots don't change.

module.exports = function wrapConfig(given, settings) {
  const config = given && typeof given === 'object' && 'default' in given ? given.default : given
  const { projects } = config
  const shared = {
    ...(settings.hasVideo && { video: 'on-first-retry' }),
    // choice: the runner doesn't support on-first-retry for screenshots.
    screenshot: 'only-on-failure',
    ...config.use,
    trace: tracing(config.use?.trace),
  }
  return {
    ...config,
    workers: config.workers ?? 4,
    retries: config.retries ?? 2,
    reporter: reporters(config, settings),
    use: projects?.length > 0 ? shared : withSuffix(shared, {}, settings),
    ...(projects && { projects: projects.map((project) => wrapProject(project, shared, settings)) }),
  }
}

function wrapProject(project, shared, settings) {
  const use = {
    ...project.use,
    ...(project.use?.trace !== undefined && { trace: tracing(project.use.trace) }),
  }
  return { ...project, use: withSuffix(use, shared, settings) }
}

function tracing(given) {
  return given && typeof given === 'object' ? { ...given, mode: 'on' } : 'on'
}

/** The default user agent is known only for Chromium. */
function withSuffix(use, shared, { userAgentSuffix, defaultUserAgent }) {
  const browser = use.browserName ?? use.defaultBrowserType ?? shared.browserName ?? shared.defaultBrowserType
  const own =
    use.userAgent ??
    shared.userAgent ??
    (browser === undefined || browser === 'chromium' ? defaultUserAgent : null)
  return own ? { ...use, userAgent: `${own} ${userAgentSuffix}` } : use
}

function reporters(config, { cliReporter, reporter, results, jsonReport }) {
  const own = cliReporter ?? config.reporter ?? (process.env.CI ? 'dot' : 'list')
  const list = typeof own === 'string' ? [[own]] : own
  return [...list, ['json', { outputFile: jsonReport }], [reporter, { results }]]
}
