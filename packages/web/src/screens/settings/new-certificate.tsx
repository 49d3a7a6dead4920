import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { TextArea, TextInput } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { clientCertificateProblems } from '../../forms/schemas/client-certificate.ts'
import { useForm } from '../../forms/use-form.ts'
import { ScreenFrame } from '../../parts/screen.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

interface Values {
  host: string
  cert: string
  key: string
  passphrase: string | null
  ca: string | null
}

const blank: Values = { host: '', cert: '', key: '', passphrase: null, ca: null }
const labels: Record<string, string> = {
  host: 'Host',
  cert: 'Certificate',
  key: 'Private key',
  passphrase: 'Passphrase',
  ca: 'Certificates to trust',
}

export function Screen() {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const form = useForm<Values>({
    key: 'client-certificate/new',
    saved: blank,
    problemsOf: clientCertificateProblems,
    secretPaths: ['key', 'passphrase'],
    async save(values) {
      await call('POST /v1/client-certificates', { body: values })
      void queries.invalidateQueries({ queryKey: ['client-certificates'] })
    },
  })
  return (
    <ScreenFrame
      title="New client certificate"
      trail={<Link href="/settings/certificates">Client certificates</Link>}
    >
      <FormFrame
        form={form}
        saveLabel="Add"
        denial={denialOf('READ_WRITE')}
        labelOf={(path) => labels[path] ?? path}
        isNew
        onSaved={() => {
          showOutcome(`Added the certificate for ${form.values.host}.`)
          navigate('/settings/certificates')
        }}
      >
        <TextInput
          form={form}
          path="host"
          label="Host"
          isMono
          placeholder="*.example.com"
          description="The servers that get it: a name, or a pattern with *."
        />
        <TextArea
          form={form}
          path="cert"
          label="Certificate"
          isMono
          rows={6}
          placeholder="-----BEGIN CERTIFICATE-----"
          description="As PEM, with its chain if there is one."
        />
        <TextArea
          form={form}
          path="key"
          label="Private key"
          isMono
          rows={6}
          placeholder="-----BEGIN PRIVATE KEY-----"
          description="As PEM. It is stored encrypted and never shown again."
        />
        <TextInput
          form={form}
          path="passphrase"
          label="Passphrase"
          type="password"
          autoComplete="new-password"
          emptyAs={null}
          description="If the private key is encrypted."
        />
        <TextArea
          form={form}
          path="ca"
          label="Certificates to trust"
          isMono
          rows={4}
          emptyAs={null}
          description="As PEM, if the server’s certificate comes from an authority of your own."
        />
      </FormFrame>
    </ScreenFrame>
  )
}
