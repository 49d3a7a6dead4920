// When people are notified, for all checks that have no settings of their own; beside it what that would have sent.
import './alerts.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { AlertSettings } from '@vedette/contracts'
import { Link } from 'wouter'
import { call, type ResponseTo } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { formatNumberOf, formatSpan } from '../../core/format.ts'
import { ManyOf, NumberInput } from '../../forms/fields.tsx'
import { FormFrame, readable } from '../../forms/form-frame.tsx'
import { accountBody, accountProblems } from '../../forms/schemas/account.ts'
import { Section } from '../../forms/section.tsx'
import { useForm } from '../../forms/use-form.ts'
import { Failure, FirstLoad } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { AlertBacktest } from './alert-backtest.tsx'
import { AlertSettingsFields } from './alert-settings-fields.tsx'
import { alertSettingsInWords } from './alert-settings-words.ts'
import { AlertsFrame } from './alerts-frame.tsx'
import { channelLabel } from './channel-kinds.ts'
import { useChannels } from './use-channels.ts'

type Account = ResponseTo<'GET /v1/accounts/me'>

interface Values {
  alertSettings: AlertSettings
  settings: Pick<
    Account['settings'],
    'unknownAfterMissedRuns' | 'notifyUnknownAfterSeconds' | 'agentAlarmChannelIds'
  >
}

const accountKey = ['account']
const load = (signal?: AbortSignal) => call('GET /v1/accounts/me', {}, signal)
const target = { usesAccountSettings: true }

export function Screen() {
  const { data, error, refetch } = useQuery({
    queryKey: accountKey,
    queryFn: ({ signal }) => load(signal),
  })
  return (
    <AlertsFrame title="Alert settings">
      {data !== undefined ? (
        <SettingsForm account={data} />
      ) : error ? (
        <Failure what="The settings" error={error} onRetry={refetch} />
      ) : (
        <FirstLoad />
      )}
    </AlertsFrame>
  )
}

function valuesOf({ alertSettings, settings }: Account): Values {
  const { escalationType, runBasedEscalation, timeBasedEscalation, reminders, parallelRunFailureThreshold } =
    alertSettings
  const { unknownAfterMissedRuns, notifyUnknownAfterSeconds, agentAlarmChannelIds } = settings
  return {
    alertSettings: {
      ...{ escalationType, runBasedEscalation, timeBasedEscalation, reminders, parallelRunFailureThreshold },
    },
    settings: { unknownAfterMissedRuns, notifyUnknownAfterSeconds, agentAlarmChannelIds },
  }
}

function SettingsForm({ account }: { account: Account }) {
  const { denialOf } = useSession()
  const denial = denialOf('ADMIN')
  const queries = useQueryClient()
  const form = useForm<Values>({
    key: 'alert-settings',
    saved: valuesOf(account),
    problemsOf: accountProblems,
    reload: async () => valuesOf(await load()),
    save: async (values) => {
      await call('PATCH /v1/accounts/me', { body: accountBody(values) })
      await queries.invalidateQueries({ queryKey: accountKey })
    },
  })
  const isDisabled = denial !== null
  const { alertSettings, settings } = form.values
  return (
    <>
      <p className="muted-text">
        For checks that use the account’s alert settings. A check or a group can have its own.
      </p>
      <div className="with-side even">
        <FormFrame
          form={form}
          saveLabel="Save"
          denial={denial}
          labelOf={labelOf}
          onSaved={() => showOutcome('The alert settings were saved.')}
        >
          <Section
            title="When people are notified"
            summary={alertSettingsInWords(alertSettings)}
            hasError={form.hasErrorBelow('alertSettings')}
            isOpen
          >
            <AlertSettingsFields form={form} path="alertSettings" isDisabled={isDisabled} />
          </Section>
          <Section
            title="Checks that don’t run"
            summary={`Unknown after ${formatNumberOf(settings.unknownAfterMissedRuns, 'missed run')}; channels are notified after ${formatSpan(settings.notifyUnknownAfterSeconds * 1000)}`}
            hasError={form.hasErrorBelow('settings')}
            isOpen
          >
            <div className="field-row">
              <NumberInput
                form={form}
                path="settings.unknownAfterMissedRuns"
                label="A check is unknown after"
                unit="missed runs"
                min={1}
                isDisabled={isDisabled}
              />
              <NumberInput
                form={form}
                path="settings.notifyUnknownAfterSeconds"
                label="Channels are notified after"
                unit="seconds"
                min={10}
                isDisabled={isDisabled}
              />
            </div>
            <AlarmChannels form={form} isDisabled={isDisabled} />
          </Section>
          <PerChannel />
        </FormFrame>
        <AlertBacktest settings={alertSettings} saved={form.base.alertSettings} target={target} />
      </div>
    </>
  )
}

const labels: Record<string, string> = {
  'alertSettings.escalationType': 'Notify after',
  'alertSettings.runBasedEscalation.failedRunThreshold': 'Failed runs',
  'alertSettings.timeBasedEscalation.minutesFailingThreshold': 'Minutes of failing',
  'alertSettings.reminders.amount': 'Reminders',
  'alertSettings.reminders.interval': 'Time between reminders',
  'alertSettings.parallelRunFailureThreshold.enabled': 'Only if several locations fail',
  'alertSettings.parallelRunFailureThreshold.percentage': 'Share of the locations',
  'settings.unknownAfterMissedRuns': 'A check is unknown after',
  'settings.notifyUnknownAfterSeconds': 'Channels are notified after',
  'settings.agentAlarmChannelIds': 'Channels for location alarms',
}

const labelOf = (path: string) => labels[path] ?? readable(path)

function AlarmChannels({
  form,
  isDisabled,
}: {
  form: ReturnType<typeof useForm<Values>>
  isDisabled: boolean
}) {
  const { data } = useChannels()
  if (data === undefined || data.length === 0) return null
  return (
    <ManyOf
      form={form}
      path="settings.agentAlarmChannelIds"
      label="Also notified of every location alarm"
      description="Whatever they are subscribed to. Owners and admins receive an email in any case."
      options={data.map((channel) => ({ value: channel.id, label: channelLabel(channel) }))}
      isDisabled={isDisabled}
    />
  )
}

/** Settings that channels have, not the account. */
function PerChannel() {
  const { data = [] } = useChannels()
  const certificates = data.filter(({ sslExpiry }) => sslExpiry).length
  const subscribing = data.filter(({ autoSubscribe }) => autoSubscribe).length
  return (
    <section className="panel" aria-label="Set per channel">
      <h2>Set per channel</h2>
      <p className="muted-text">
        Expiring certificates: {certificates === 0 ? 'no channel' : formatNumberOf(certificates, 'channel')}{' '}
        {certificates === 1 ? 'sends' : 'send'} them. New checks: subscribed by{' '}
        {subscribing === 0 ? 'no channel' : formatNumberOf(subscribing, 'channel')} automatically.{' '}
        <Link href="/alerts/channels">Channels</Link>
      </p>
    </section>
  )
}
