import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { TextInput } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { deploymentProblems } from '../../forms/schemas/deployment.ts'
import { useForm } from '../../forms/use-form.ts'
import { ScreenFrame } from '../../parts/screen.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

interface Values {
  repository: string | null
  sha: string | null
  environmentName: string | null
  environmentUrl: string | null
}

const blank: Values = { repository: null, sha: null, environmentName: null, environmentUrl: null }
const labels: Record<string, string> = {
  '': 'Deployment',
  repository: 'Repository',
  sha: 'Commit or version',
  environmentName: 'Environment',
  environmentUrl: 'URL of the environment',
}

export function Screen() {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const form = useForm<Values>({
    key: 'deployment/new',
    saved: blank,
    problemsOf: deploymentProblems,
    async save(values) {
      await call('POST /v1/deployments', {
        body: { ...values, deploymentId: null, checkId: null, groupId: null },
      })
      void queries.invalidateQueries({ queryKey: ['deployments'] })
    },
  })
  const field = { form, emptyAs: null }
  return (
    <ScreenFrame title="Record a deployment" trail={<Link href="/settings/deployments">Deployments</Link>}>
      <FormFrame
        form={form}
        saveLabel="Record"
        denial={denialOf('READ_RUN')}
        labelOf={(path) => labels[path] ?? path}
        isNew
        onSaved={() => {
          showOutcome('Recorded the deployment.')
          navigate('/settings/deployments')
        }}
      >
        <div className="field-row">
          <TextInput {...field} path="repository" label="Repository" placeholder="acme/shop" />
          <TextInput {...field} path="sha" label="Commit or version" isMono />
        </div>
        <div className="field-row">
          <TextInput {...field} path="environmentName" label="Environment" placeholder="production" />
          <TextInput {...field} path="environmentUrl" label="URL of the environment" type="url" />
        </div>
      </FormFrame>
    </ScreenFrame>
  )
}
