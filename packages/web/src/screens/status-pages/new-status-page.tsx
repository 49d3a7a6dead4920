// The few things that a status page needs. Everything else is in its editor.
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call } from '../../api/call.ts'
import { useServices } from '../../api/pages.ts'
import { useSession } from '../../api/session.tsx'
import { randomUuid } from '../../core/random-uuid.ts'
import { ManyOf, TextInput, WordList } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { newPageProblems } from '../../forms/schemas/status-page.ts'
import { useForm } from '../../forms/use-form.ts'
import { PagePreview } from '../../parts/page-preview.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import type { EditedComponent } from '../status-page/component-tree.ts'
import { saveComponents } from '../status-page/page-values.ts'

interface NewPage {
  name: string
  url: string
  /** Ids of services that exist. */
  chosen: string[]
  /** Names of those that don't. */
  added: string[]
}

export function Screen() {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const { data: services = [] } = useServices()
  const createdId = useRef('')
  const form = useForm<NewPage>({
    key: 'status-page/new',
    saved: { name: '', url: '', chosen: [], added: [] },
    problemsOf: ({ name, url }) => newPageProblems({ name, url }),
    save: async (values) => {
      const { name, url } = values
      const page = await call('POST /v1/status-pages', { body: { name, url, version: 3 } })
      createdId.current = page.id
      try {
        await saveComponents(page.id, [], componentsOf(values, services))
        showOutcome(`The status page “${name}” was created.`)
      } catch (error) {
        // The page exists: its editor adds what is missing.
        const reason = error instanceof Error ? reasonOf(error) : String(error)
        showOutcome(`The page was created, but not all services could be added: ${reason}`)
      }
    },
  })
  const { name, url } = form.values
  const isValid = newPageProblems({ name, url }).length === 0
  return (
    <ScreenFrame title="New status page" trail={<Link href="/status-pages">Status pages</Link>}>
      <div className="with-preview">
        <FormFrame
          form={form}
          saveLabel="Create"
          isNew
          denial={denialOf('READ_WRITE')}
          labelOf={(path) => labels[path] ?? path}
          onSaved={() => {
            void queries.invalidateQueries({ queryKey: ['status-pages'] })
            void queries.invalidateQueries({ queryKey: ['services'] })
            void queries.invalidateQueries({ queryKey: ['service-usage'] })
            navigate(`/status-pages/${createdId.current}`)
          }}
        >
          <TextInput form={form} path="name" label="Name" description="Your product or company." />
          <TextInput
            form={form}
            path="url"
            label="Address"
            isMono
            placeholder="shop"
            description={`Letters, digits and hyphens. The page is at ${location.origin}${basePath}/s/${url || '…'}`}
          />
          {services.length > 0 && (
            <ManyOf
              form={form}
              path="chosen"
              label="Services on it"
              options={services.map(({ id, name: label }) => ({ value: id, label }))}
            />
          )}
          <WordList
            form={form}
            path="added"
            label="New services"
            placeholder="Checkout, Sign-in, …"
            description="Parts of your product that users know by name. Enter or a comma adds one."
          />
        </FormFrame>
        <PagePreview
          title="Preview of the new page"
          draft={
            isValid
              ? {
                  page: { name, url },
                  components: componentsOf(form.values, services).map(
                    ({ name: title, ...component }, index) => ({
                      ...component,
                      // The same ids each time: otherwise every look would be a change.
                      id: previewIds[index] ?? component.id,
                      name: title === '' ? null : title,
                    }),
                  ),
                }
              : null
          }
          request={(draft, signal) => call('POST /v1/status-pages/previews', { body: draft }, signal)}
        />
      </div>
    </ScreenFrame>
  )
}

const labels: Record<string, string> = {
  name: 'Name',
  url: 'Address',
  chosen: 'Services',
  added: 'New services',
}
const previewIds = Array.from({ length: 100 }, randomUuid)

function componentsOf(
  { chosen, added }: NewPage,
  services: readonly { id: string; name: string }[],
): EditedComponent[] {
  const blank = { parentId: null, type: 'SERVICE' as const, description: null, hidden: false }
  const configuration = { showHistoricalData: true }
  return [
    ...chosen.map((serviceId) => ({
      ...{ ...blank, configuration, id: randomUuid(), serviceId },
      name: services.find(({ id }) => id === serviceId)?.name ?? '',
    })),
    ...added.map((name) => ({ ...blank, configuration, id: randomUuid(), serviceId: null, name })),
  ]
}
