// The CI files of docs/examples: their variables, and their commands in the order of the steps.
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Job {
  env: Record<string, string>
  steps: { run?: string; uses?: string }[]
}

interface Workflow {
  on: string[]
  jobs: Record<string, Job>
}

interface Pipeline {
  variables: Record<string, string>
  test: { script: string[] }
  deploy: { script: string[] }
}

export interface CiFile {
  name: string
  variables: Record<string, string>
  commands: string[]
}

const read = (name: string) =>
  parse(readFileSync(new URL(`../../../docs/examples/${name}.yml`, import.meta.url), 'utf8'))

function readWorkflow(name: string): CiFile {
  const { jobs }: Workflow = read(name)
  const all = Object.values(jobs)
  return {
    name,
    variables: Object.assign({}, ...all.map(({ env }) => env)),
    commands: all.flatMap(({ steps }) => steps.flatMap((step) => step.run ?? [])),
  }
}

function readPipeline(name: string): CiFile {
  const { variables, test, deploy }: Pipeline = read(name)
  return { name, variables, commands: [...test.script, ...deploy.script] }
}

export const ciFiles = [
  readWorkflow('github-actions'),
  readWorkflow('github-actions-after-release'),
  readPipeline('gitlab-ci'),
]

/** Variables that are set in the project instead of the file. */
export const ownVariables: Readonly<Record<string, Record<string, string>>> = {
  'gitlab-ci': { CHECKLY_API_KEY: '', CHECKLY_ACCOUNT_ID: '' },
}
