import {
  ApiError,
  createSnippet,
  deleteSnippet,
  getSnippet,
  invalidInput,
  listSnippets,
  listSnippetUses,
  type Snippet,
  snippetNameIssues,
  updateSnippet,
} from '@vedette/contracts'
import type { z } from 'zod'
import { warnOfScripts } from '../../checks/check-warnings.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as snippets from '../../storage/checks/snippets.ts'
import * as uses from '../../storage/checks/uses.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function snippetRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listSnippets, async ({ account, query }) => {
      const { items, total } = await snippets.listSnippets(db, account.id, query)
      return { items: items.map(serializeSnippet), total }
    }),
    handle(getSnippet, async ({ account, params }) => {
      return serializeSnippet(orNotFound(await snippets.findSnippet(db, account.id, params.id)))
    }),
    handle(listSnippetUses, async ({ account, params }) => {
      const snippet = orNotFound(await snippets.findSnippet(db, account.id, params.id))
      return uses.listSnippetUses(db, account.id, snippet)
    }),
    handle(createSnippet, async ({ account, body, warn }) => {
      await warnOfScripts({ script: body.script }, warn)
      return serializeSnippet(await snippets.insertSnippet(db, { ...body, account_id: account.id }))
    }),
    handle(updateSnippet, async ({ account, params, body, warn }) => {
      await warnOfScripts({ script: body.script }, warn)
      const { name } = orNotFound(await snippets.findSnippet(db, account.id, params.id))
      const issues = body.name === undefined || body.name === name ? [] : snippetNameIssues(body.name)
      if (issues.length > 0) throw invalidInput(issues)
      const values = { ...body, updated_at: new Date(clock.now()) }
      return serializeSnippet(orNotFound(await snippets.updateSnippet(db, account.id, params.id, values)))
    }),
    handle(deleteSnippet, async ({ account, params }) => {
      if (!(await snippets.deleteSnippet(db, account.id, params.id))) throw new ApiError('not_found')
    }),
  ]
}

function serializeSnippet(row: snippets.SnippetRow): z.output<typeof Snippet> {
  return {
    id: row.id,
    name: row.name,
    script: row.script,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
