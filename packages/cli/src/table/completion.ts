// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of shells
// Completion scripts for shells, generated from the table of commands.
import type { CommandDescription, OptionDescription } from '../core/command-description.ts'
import { commandTable, type Group, hasJson } from './command-table.ts'

export const completions: Readonly<Record<string, () => string>> = { bash, zsh, fish }

interface Described {
  group: string
  name: string
  description: CommandDescription
  options: Readonly<Record<string, OptionDescription>>
}

function describeAll(): Described[] {
  return [...commandTable].flatMap(([group, { commands }]) =>
    Object.entries(commands).map(([name, description]) => ({
      group,
      name,
      description,
      options: {
        ...description.options,
        ...(hasJson(group) && { json: { type: 'boolean', summary: 'prints one JSON value' } as const }),
        help: { type: 'boolean', summary: 'shows the usage' },
      },
    })),
  )
}

const namesOf = ({ commands }: Group) => Object.keys(commands).filter((name) => name !== '')

/** Words are compared with "group command", or "group" followed by anything. */
function patternOf({ group, name }: Described): string {
  return name === '' ? `'${group} '*` : `'${group} ${name}'`
}

/** Then files are completed, and options only after a hyphen. */
function isWithArguments({ description }: Described): boolean {
  return (description.words ?? 0) > 0
}

function optionWords({ options }: Described): string {
  return Object.keys(options)
    .map((option) => `--${option}`)
    .join(' ')
}

function valueCases(all: Described[]): string[] {
  return all.flatMap((command) =>
    Object.entries(command.options).flatMap(([option, { type, values }]) =>
      type === 'boolean'
        ? []
        : [`    ${patternOf(command)}' --${option}') candidates='${values?.join(' ') ?? ''}'; is_value=1 ;;`],
    ),
  )
}

function wordCases(): string[] {
  return [...commandTable].flatMap(([name, group]) =>
    namesOf(group).length === 0 ? [] : [`      '${name}') candidates='${namesOf(group).join(' ')}' ;;`],
  )
}

/** The part that bash and zsh share: sets candidates from first, second, previous and position. */
function chooseCandidates(): string[] {
  const all = describeAll()
  return [
    '  if [ "$position" -eq 1 ]; then',
    `    candidates='${[...commandTable.keys()].join(' ')}'`,
    '  else',
    '    case "$first $second $previous" in',
    ...valueCases(all),
    '    esac',
    '    if [ -z "$is_value" ]; then',
    '      case "$first $second" in',
    ...all.map(
      (command) =>
        `      ${patternOf(command)}) candidates='${optionWords(command)}'${isWithArguments(command) ? '; has_arguments=1' : ''} ;;`,
    ),
    '      esac',
    '      case "$current" in -*) ;; *) if [ -n "$has_arguments" ]; then candidates=""; fi ;; esac',
    '      if [ "$position" -eq 2 ]; then',
    '        case "$first" in',
    ...wordCases(),
    '        esac',
    '      fi',
    '    fi',
    '  fi',
  ]
}

function bash(): string {
  return [
    '# vedette: completion for bash. Install: source <(vedette completion bash)',
    '_vedette() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" position="$COMP_CWORD"',
    '  local first="${COMP_WORDS[1]}" second="${COMP_WORDS[2]}" candidates="" is_value="" has_arguments=""',
    ...chooseCandidates(),
    '  COMPREPLY=($(compgen -W "$candidates" -- "$current"))',
    '}',
    '# Without candidates: names of files.',
    'complete -o default -F _vedette vedette',
  ].join('\n')
}

function zsh(): string {
  return [
    '#compdef vedette',
    '# vedette: completion for zsh. Install: source <(vedette completion zsh), after compinit',
    '_vedette() {',
    '  local current="${words[CURRENT]}" previous="${words[CURRENT-1]}" position=$((CURRENT - 1))',
    '  local first="${words[2]}" second="${words[3]}" candidates="" is_value="" has_arguments=""',
    ...chooseCandidates(),
    '  if [ -n "$candidates" ]; then compadd -- ${=candidates}; else _files; fi',
    '}',
    'compdef _vedette vedette',
  ].join('\n')
}

function fish(): string {
  const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const seen = (words: string) => `__fish_seen_subcommand_from ${words}`
  const groups = [...commandTable].flatMap(([name, group]) => {
    const names = namesOf(group)
    const commands = Object.entries(group.commands).filter(([command]) => command !== '')
    return [
      `complete -c vedette -f -n __fish_use_subcommand -a ${name} -d ${quote(group.summary)}`,
      ...commands.map(
        ([command, { summary }]) =>
          `complete -c vedette -f -n ${quote(`${seen(name)}; and not ${seen(names.join(' '))}`)} -a ${command} -d ${quote(summary)}`,
      ),
    ]
  })
  const options = describeAll().flatMap(({ group, name, options }) => {
    const condition = quote(name === '' ? seen(group) : `${seen(group)}; and ${seen(name)}`)
    return Object.entries(options).map(([option, { type, summary, values }]) =>
      [
        `complete -c vedette -n ${condition} -l ${option}`,
        type === 'string' ? '-r' : '-f',
        ...(values === undefined ? [] : [`-f -a ${quote(values.join(' '))}`]),
        ...(summary === undefined ? [] : [`-d ${quote(summary)}`]),
      ].join(' '),
    )
  })
  return [
    '# vedette: completion for fish. Install: vedette completion fish > ~/.config/fish/completions/vedette.fish',
    ...groups,
    ...options,
  ].join('\n')
}
