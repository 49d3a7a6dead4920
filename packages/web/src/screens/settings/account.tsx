// The account: its name, defaults of its checks, and what it is entitled to.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, type ResponseTo } from '../../api/call.ts'
import { renewSignIn, useSession } from '../../api/session.tsx'
import { formatCount } from '../../core/format.ts'
import { Choice, NumberInput, TextInput, Toggle } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { accountBody, accountProblems } from '../../forms/schemas/account.ts'
import { useForm } from '../../forms/use-form.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

type Account = ResponseTo<'GET /v1/accounts/me'>
type Entitlement = ResponseTo<'GET /v1/accounts/me/entitlements'>['entitlements'][number]

const queryKey = ['account']
const read = (signal?: AbortSignal) => call('GET /v1/accounts/me', {}, signal)

export function Screen() {
  const { data, error, refetch } = useQuery({ queryKey, queryFn: ({ signal }) => read(signal) })
  return (
    <ScreenFrame title="Account">
      {data ? (
        <>
          <dl className="facts panel">
            <div className="fact">
              <dt>Account id</dt>
              <dd>
                <code>{data.id}</code> <CopyButton text={data.id} />
              </dd>
            </div>
            <div className="fact">
              <dt>Plan</dt>
              <dd>{data.planDisplayName}</dd>
            </div>
          </dl>
          <AccountForm account={data} />
          <Entitlements />
        </>
      ) : error ? (
        <Failure what="The account" error={error} onRetry={refetch} />
      ) : (
        <FirstLoad />
      )}
    </ScreenFrame>
  )
}

interface Values {
  name: string
  runtimeId: string
  settings: {
    allowBadges: boolean
    showGroupNamesOnBadges: boolean
    resultLinks: boolean
    automaticRootCauseAnalysis: boolean
    unknownAfterMissedRuns: number
    notifyUnknownAfterSeconds: number
  }
}

function valuesOf({ name, runtimeId, settings }: Account): Values {
  const { allowBadges, showGroupNamesOnBadges, resultLinks, automaticRootCauseAnalysis } = settings
  const { unknownAfterMissedRuns, notifyUnknownAfterSeconds } = settings
  return {
    name,
    runtimeId,
    settings: {
      ...{ allowBadges, showGroupNamesOnBadges, resultLinks, automaticRootCauseAnalysis },
      ...{ unknownAfterMissedRuns, notifyUnknownAfterSeconds },
    },
  }
}

const labels: Record<string, string> = {
  runtimeId: 'Runtime',
  'settings.allowBadges': 'Badges',
  'settings.showGroupNamesOnBadges': 'Names on badges',
  'settings.resultLinks': 'Result links',
  'settings.automaticRootCauseAnalysis': 'Analyses',
  'settings.unknownAfterMissedRuns': 'Missed runs',
  'settings.notifyUnknownAfterSeconds': 'Notice',
}

function AccountForm({ account }: { account: Account }) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const runtimes = useQuery({
    queryKey: ['runtimes'],
    queryFn: ({ signal }) => call('GET /v1/runtimes', {}, signal),
  })
  const form = useForm<Values>({
    key: 'account',
    saved: valuesOf(account),
    problemsOf: accountProblems,
    reload: async () => valuesOf(await read()),
    async save(values) {
      const saved = await call('PATCH /v1/accounts/me', { body: accountBody(values) })
      queries.setQueryData(queryKey, saved)
      await renewSignIn(queries)
    },
  })
  const denial = denialOf('ADMIN')
  const isDisabled = denial !== null
  const field = { form, isDisabled }
  const names = [...new Set([...(runtimes.data?.map(({ name }) => name) ?? []), account.runtimeId])]
  return (
    <FormFrame
      form={form}
      saveLabel="Save"
      denial={denial}
      labelOf={(path) => labels[path] ?? path.charAt(0).toUpperCase() + path.slice(1)}
      onSaved={() => showOutcome('Saved the account.')}
    >
      {denial !== null && <p className="muted-text">{denial}</p>}
      <div className="field-row">
        <TextInput {...field} path="name" label="Name" />
        <Choice
          {...field}
          path="runtimeId"
          label="Runtime"
          options={names.map((value) => ({ value, label: value }))}
          description="Of checks that don’t choose one."
        />
      </div>
      <fieldset className="field setting-fields">
        <legend>When checks don’t run</legend>
        <div className="field-row">
          <NumberInput
            {...field}
            path="settings.unknownAfterMissedRuns"
            label="“Not running” after"
            unit="missed runs"
            min={1}
          />
          <NumberInput
            {...field}
            path="settings.notifyUnknownAfterSeconds"
            label="Notify alert channels after"
            unit="seconds"
            min={10}
            max={86_400}
          />
        </div>
      </fieldset>
      <fieldset className="field setting-fields">
        <legend>Without a sign-in</legend>
        <Toggle
          {...field}
          path="settings.resultLinks"
          label="Links in alerts open a summary of the result"
          description="Otherwise they only open the app, for members."
        />
        <Toggle {...field} path="settings.allowBadges" label="Serve status badges" />
        <Toggle
          {...field}
          path="settings.showGroupNamesOnBadges"
          label="Badges of groups show the name of the group"
          description="Anyone can guess the ids of groups."
        />
      </fieldset>
      <fieldset className="field setting-fields">
        <legend>Analyses</legend>
        <Toggle
          {...field}
          path="settings.automaticRootCauseAnalysis"
          label="Analyze the cause of each new error"
        />
      </fieldset>
    </FormFrame>
  )
}

function Entitlements() {
  const { data, error, refetch } = useQuery({
    queryKey: ['entitlements'],
    queryFn: ({ signal }) => call('GET /v1/accounts/me/entitlements', {}, signal),
  })
  return (
    <section aria-labelledby="entitlements">
      <h2 id="entitlements">Entitlements</h2>
      {error && <Failure what="The entitlements" error={error} onRetry={refetch} />}
      {data === undefined && !error && <FirstLoad rows={3} />}
      {data && (
        <ul className="entitlements panel">
          {data.entitlements.map((entitlement) => (
            <li key={entitlement.key} title={entitlement.description}>
              <span>{entitlement.name}</span>
              <span className="muted-text">{amountOf(entitlement)}</span>
            </li>
          ))}
          {data.locations.maxPerCheck !== undefined && (
            <li>
              <span>Locations per check</span>
              <span className="muted-text">{data.locations.maxPerCheck}</span>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

function amountOf({ type, enabled, quantity, requiredPlanDisplayName }: Entitlement): string {
  if (!enabled)
    return requiredPlanDisplayName === undefined ? 'Not included' : `With ${requiredPlanDisplayName}`
  if (type === 'flag') return 'Included'
  return quantity === undefined ? 'No limit' : `Up to ${formatCount(quantity)}`
}
