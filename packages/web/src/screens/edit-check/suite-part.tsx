// A Playwright suite: its archive, and how it is installed and run.
import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { formatBytes } from '../../core/format.ts'
import { Choice, fieldId, ManyOf, TextInput } from '../../forms/fields.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { reasonOf } from '../../parts/states.tsx'
import type { PartProps } from './parts.ts'

export function SuitePart({ form }: PartProps) {
  const { denialOf } = useSession()
  const file = useRef<HTMLInputElement>(null)
  const upload = useMutation({
    mutationFn: (bytes: File) => call('POST /v1/code-bundles', { bytes }),
    onSuccess: ({ codeBundlePath }) => form.set('codeBundlePath', codeBundlePath),
  })
  const path = String(form.values.codeBundlePath ?? '')
  const error = form.errorAt('codeBundlePath')
  return (
    <>
      <div className="field">
        <label htmlFor={fieldId('codeBundlePath')}>Archive of the suite (.tar.gz)</label>
        <input
          ref={file}
          id={fieldId('codeBundlePath')}
          type="file"
          accept=".tar.gz,.tgz,application/gzip"
          aria-invalid={error !== null}
          onChange={({ target }) => {
            const [chosen] = target.files ?? []
            if (chosen !== undefined) upload.mutate(chosen)
          }}
          disabled={denialOf('READ_WRITE') !== null || upload.isPending}
        />
        <p className="hint">
          The repository or directory with package.json, the Playwright configuration and the tests:{' '}
          <code>tar -czf suite.tar.gz --exclude node_modules .</code>
        </p>
        <p role="status" className="muted-text">
          {upload.isPending
            ? 'Uploading…'
            : upload.data
              ? `Uploaded: ${formatBytes(upload.data.sizeBytes)}`
              : path === ''
                ? ''
                : `Stored: ${path}`}
        </p>
        {upload.error && (
          <p className="field-error" role="alert">
            Couldn’t upload it: {reasonOf(upload.error)}{' '}
            <ActionButton onPress={() => file.current?.click()}>Choose again</ActionButton>
          </p>
        )}
        {error !== null && <p className="field-error">The suite needs an archive.</p>}
      </div>
      <div className="field-row">
        <TextInput form={form} path="testCommand" label="Test command" isMono />
        <TextInput form={form} path="installCommand" label="Install command" placeholder="npm ci" isMono />
        <TextInput form={form} path="workingDir" label="Working directory" emptyAs={null} isMono />
      </div>
      <ManyOf
        form={form}
        path="browsers"
        label="Browsers"
        options={['chromium', 'firefox', 'webkit'].map((value) => ({ value, label: value }))}
      />
      <div className="field-row">
        <TextInput
          form={form}
          path="playwrightVersion"
          label="Playwright version"
          description="Empty: that of the archive."
          emptyAs={null}
        />
        <Choice
          form={form}
          path="engine"
          label="Engine"
          options={[
            { value: null, label: 'Default' },
            { value: 'node', label: 'Node.js' },
            { value: 'bun', label: 'Bun' },
          ]}
        />
        <TextInput form={form} path="engineVersion" label="Version of the engine" emptyAs={null} />
      </div>
    </>
  )
}
