// The form of a channel: the fields of its type, what it sends, and a test message before it is saved.
import { useSession } from '../../api/session.tsx'
import {
  Choice,
  NumberInput,
  Rows,
  SecretInput,
  TextArea,
  TextInput,
  Toggle,
  WordList,
} from '../../forms/fields.tsx'
import { FormFrame, readable } from '../../forms/form-frame.tsx'
import { Section } from '../../forms/section.tsx'
import type { Form } from '../../forms/use-form.ts'
import { valueAt } from '../../forms/values.ts'
import { type ConfigField, channelKinds, hostOf } from './channel-kinds.ts'
import { ChannelTest } from './channel-test.tsx'
import type { ChannelValues } from './channel-values.ts'
import { sendsInWords } from './channel-words.ts'

interface ChannelFormProps {
  form: Form<ChannelValues>
  /** Of the stored channel, whose secrets a test uses. */
  channelId: number | null
  /** The URL that is stored: its host is shown. */
  storedUrl?: string
  onSaved(): void
}

export function ChannelForm({ form, channelId, storedUrl = '', onSaved }: ChannelFormProps) {
  const { denialOf } = useSession()
  const denial = denialOf('READ_WRITE')
  const { type } = form.values
  const kind = channelKinds[type]
  const isDisabled = denial !== null
  const field = (name: string) => ({ form, path: name, isDisabled })
  return (
    <div className="with-side">
      <FormFrame
        form={form}
        saveLabel={channelId === null ? 'Create channel' : 'Save'}
        isNew={channelId === null}
        denial={denial}
        labelOf={(path) =>
          kind.fields.find(({ name }) => path.startsWith(`config.${name}`))?.label ?? readable(path)
        }
        onSaved={onSaved}
      >
        <section className="panel form-panel" aria-label={kind.label}>
          {kind.fields.map((one) => (
            <ConfigInput
              key={one.name}
              form={form}
              field={one}
              isDisabled={isDisabled}
              storedUrl={storedUrl}
            />
          ))}
        </section>
        <Section title="What it sends" summary={sendsInWords(form.values)} isOpen={channelId === null}>
          <Toggle {...field('sendFailure')} label="Failures" />
          <Toggle {...field('sendDegraded')} label="Degraded checks" />
          <Toggle
            {...field('sendRecovery')}
            label="Recoveries"
            description="Only of what it sent an alert about before."
          />
          <Toggle {...field('sslExpiry')} label="Certificates that are about to expire" />
          {form.values.sslExpiry && (
            <NumberInput
              {...field('sslExpiryThreshold')}
              label="How long before"
              unit="days"
              min={1}
              max={30}
            />
          )}
          <Toggle
            {...field('autoSubscribe')}
            label="Subscribe to every new check and group"
            description="Those that exist already aren’t affected."
          />
        </Section>
      </FormFrame>
      <ChannelTest values={form.values} channelId={channelId} denial={denial} />
    </div>
  )
}

interface ConfigInputProps {
  form: Form<ChannelValues>
  field: ConfigField
  isDisabled: boolean
  storedUrl: string
}

function ConfigInput({ form, field, isDisabled, storedUrl }: ConfigInputProps) {
  const { name, label, description, placeholder } = field
  const path = `config.${name}`
  const shared = {
    ...{ form, path, label, isDisabled },
    ...(description === undefined ? {} : { description }),
    ...(placeholder === undefined ? {} : { placeholder }),
  }
  const isOptional = channelKinds[form.values.type].config[name] === null
  const empty = isOptional ? { emptyAs: null } : {}
  switch (field.kind) {
    case 'text':
    case 'url':
      return <TextInput {...shared} {...empty} />
    case 'secret': {
      const isStoredUrl = name === 'url' && hostOf(storedUrl) !== ''
      return (
        <SecretInput
          {...shared}
          {...empty}
          type={name === 'url' ? 'url' : 'password'}
          {...(isStoredUrl
            ? { description: `Stored: an address at ${hostOf(storedUrl)}. ${description ?? ''}` }
            : {})}
        />
      )
    }
    case 'words':
      return <WordList {...shared} />
    case 'template':
      return <TextArea {...shared} emptyAs={null} rows={8} isMono />
    case 'choice':
      return <Choice {...shared} options={field.options} />
    case 'pairs':
      return (
        <Rows
          {...shared}
          addLabel={field.addLabel}
          newRow={() => ({ key: '', value: '', locked: false })}
          max={100}
        >
          {(row, index) => (
            <>
              <TextInput
                form={form}
                path={`${row}.key`}
                label={`Name ${index + 1}`}
                isDisabled={isDisabled}
                isMono
              />
              <SecretInput
                form={form}
                path={`${row}.value`}
                label={`Value ${index + 1}`}
                isDisabled={isDisabled}
                type={valueAt(form.values, `${row}.value`) === '***' ? 'password' : 'text'}
              />
            </>
          )}
        </Rows>
      )
  }
}
