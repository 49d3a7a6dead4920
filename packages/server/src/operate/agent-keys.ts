import { deleteAgentKey, insertAgentKey, listAgentKeys } from '../storage/accounts/agent-keys.ts'
import { type Command, type Input, OperatorError, type Output } from './command.ts'
import { withStore } from './connect.ts'
import { formatTable } from './table.ts'
import { argumentAt, readId, readName, requireOption } from './values.ts'

/** There is no API for these: an agent with such a key gets the runs, and so the secrets, of every account. */
export const agentKeyCommands: Record<string, Command> = {
  'agent-keys list': {
    usage: 'agent-keys list',
    summary: 'lists the keys of data-center agents, masked',
    run: list,
  },
  'agent-keys create': {
    usage: 'agent-keys create --name NAME',
    summary: 'creates a key for data-center agents, which run the checks of every account',
    options: { name: { type: 'string' } },
    run: create,
  },
  'agent-keys delete': {
    usage: 'agent-keys delete KEY_ID',
    summary: 'deletes a key: its agents can no longer claim runs',
    words: 1,
    run: remove,
  },
}

async function list(input: Input): Promise<Output> {
  const keys = await withStore(input.config, {}, ({ db }) => listAgentKeys(db))
  const json = keys.map((key) => ({
    id: key.id,
    name: key.name,
    maskedKey: key.masked_key,
    created_at: key.created_at,
    lastUsedAt: key.last_used_at,
  }))
  const rows = json.map((key) => [key.id, key.maskedKey, key.name, key.lastUsedAt ?? 'never'])
  return { json, text: formatTable(['ID', 'KEY', 'NAME', 'LAST USED'], rows, 'There is no agent key.') }
}

async function create(input: Input): Promise<Output> {
  const name = readName(requireOption(input, 'name'))
  const key = await withStore(input.config, {}, ({ db }) => insertAgentKey(db, name))
  return {
    json: { id: key.id, name, maskedKey: key.maskedKey, rawKey: key.rawKey },
    text: `A key for data-center agents (API_KEY of vedette agent):\n\n  Agent key  ${key.rawKey}\n\nKeep it: it is shown only once.`,
  }
}

async function remove(input: Input): Promise<Output> {
  const id = readId(argumentAt(input, 0), 'an agent key')
  if (!(await withStore(input.config, {}, ({ db }) => deleteAgentKey(db, id)))) {
    throw new OperatorError(`There is no agent key ${id}: vedette agent-keys list shows them.`)
  }
  return {
    json: { id, deleted: true },
    text: `Deleted agent key ${id}. A running server notices within 5 seconds.`,
  }
}
