// Outcomes of runs that can't start, because a setting or a variable is missing.
import type { CodeOutcome } from '../code-runner.ts'
import { detailOf } from './agentic-detail.ts'
import type { Suggestion } from './tools.ts'

function notPerformed(prompt: string, message: string, suggestions: Suggestion[]): CodeOutcome {
  const failure = { kind: 'script', message, phase: 'setup' } as const
  return {
    outcome: 'error',
    failure,
    responseTimeMs: null,
    metrics: {},
    sslDaysRemaining: null,
    detail: detailOf(prompt, { suggestions }, failure),
    log: [],
    files: [],
    foundSecrets: [],
    release: async () => {},
  }
}

export function withoutModel(prompt: string): CodeOutcome {
  const message =
    "MODEL_URL isn't set: the first run of an agentic check needs a language model. Set MODEL_URL (and MODEL_NAME, " +
    'MODEL_API_KEY) of the agent, or of the server for its built-in agent, to an OpenAI-compatible endpoint.'
  return notPerformed(prompt, message, [])
}

export function withoutVariables(prompt: string, names: string[]): CodeOutcome {
  const listed = names.map((name) => `{{${name}}}`).join(', ')
  const message =
    names.length === 1
      ? `The prompt uses ${listed}, but the variable isn't defined.`
      : `The prompt uses ${listed}, but these variables aren't defined.`
  const suggestion: Suggestion = {
    summary: `Add ${names.join(', ')} as a variable of the check, its group or the account.`,
    prompt: listed,
    promptReplacement: '',
    secrets: names,
    category: 'credentials',
  }
  return notPerformed(prompt, message, [suggestion])
}
