// What a suite's configuration becomes: traces, our reporters and the mark in the user agent always; the rest where the
// suite says nothing. Projects, servers, folders and snapshots stay as they are.

module.exports = function wrapConfig(given, settings) {
  const config = given && typeof given === 'object' && 'default' in given ? given.default : given
  const { projects } = config
  const shared = {
    ...(settings.hasVideo && { video: 'on-first-retry' }),
    // choice: the runner knows no on-first-retry for screenshots.
    screenshot: 'only-on-failure',
    ...config.use,
    trace: tracing(config.use?.trace),
  }
  return {
    ...config,
    workers: config.workers ?? 4,
    retries: config.retries ?? 2,
    reporter: reporters(config, settings),
    use: projects?.length > 0 ? shared : withMark(shared, {}, settings),
    ...(projects && { projects: projects.map((project) => wrapProject(project, shared, settings)) }),
  }
}

function wrapProject(project, shared, settings) {
  const use = {
    ...project.use,
    ...(project.use?.trace !== undefined && { trace: tracing(project.use.trace) }),
  }
  return { ...project, use: withMark(use, shared, settings) }
}

function tracing(asked) {
  return asked && typeof asked === 'object' ? { ...asked, mode: 'on' } : 'on'
}

/** The user agent of a browser that nobody set is known only for Chromium. */
function withMark(use, shared, { userAgentSuffix, defaultUserAgent }) {
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
