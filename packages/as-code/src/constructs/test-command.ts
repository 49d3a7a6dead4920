// The test command of a suite: the published client appends the configuration, projects and tags to the prop.

interface TestCommand {
  /** Absent: that of the project's package manager. */
  testCommand?: string
  /** Relative to the working directory; absent: the command doesn't name it. */
  config?: string
  pwProjects?: string[]
  pwTags?: string[]
}

const byManager = /^(npx|bunx|bun x|(pnpm|yarn|bun)( exec| run)?) playwright test$/
const option = ' --config '
const word = /(?:[^\s'"]|'[^']*'|"[^"]*")+/g

export function readTestCommand(command: string): TestCommand {
  const at = command.lastIndexOf(option)
  if (at === -1) return own(command)
  const rest = command.slice(at + option.length)
  const [config = '', ...others] = rest.match(word) ?? []
  const base = command.slice(0, at)
  const selection = readSelection(others.map(unquote))
  return selection === undefined
    ? { ...own([base, ...others].join(' ')), config: unquote(config) }
    : { ...own(base), config: unquote(config), ...selection }
}

const own = (command: string): TestCommand =>
  command === '' || byManager.test(command) ? {} : { testCommand: command }

/** `--project a b --grep '@x|@y'`; undefined: there is more than that. */
function readSelection(words: readonly string[]): Pick<TestCommand, 'pwProjects' | 'pwTags'> | undefined {
  const grep = words.indexOf('--grep')
  const [first, ...projects] = grep === -1 ? words : words.slice(0, grep)
  const tags = grep === -1 ? [] : words.slice(grep + 1)
  const isProjects = first === undefined || (first === '--project' && projects.length > 0)
  const isTags = tags.length === (grep === -1 ? 0 : 1)
  if (!isProjects || !isTags || projects.some((name) => name.startsWith('--'))) return undefined
  return {
    ...(projects.length > 0 && { pwProjects: projects }),
    ...(tags.length > 0 && { pwTags: tags.flatMap((tag) => tag.split('|')) }),
  }
}

function unquote(text: string): string {
  return text.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single = '', double = '') => single + double)
}
