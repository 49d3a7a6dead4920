import { completions } from '../table/completion.ts'

/** `completion bash`, and so on. */
export function completion([, shell = '', ...extra]: string[]): number {
  const names = Object.keys(completions)
  const usage = `Usage: vedette completion ${names.join('|')}\n\nPrints a script that completes commands and options:\n  bash  source <(vedette completion bash)\n  zsh   source <(vedette completion zsh)\n  fish  vedette completion fish > ~/.config/fish/completions/vedette.fish`
  if (shell === '--help' || shell === '-h') {
    console.log(usage)
    return 0
  }
  const write = Object.hasOwn(completions, shell) && extra.length === 0 ? completions[shell] : undefined
  if (write === undefined) {
    console.error(`vedette: choose one of the shells ${names.join(', ')}\n\n${usage}`)
    return 2
  }
  console.log(write())
  return 0
}
