// A private location: new, or changed. Its slug stays: checks name it.
import './locations.css'
import { useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { rememberKey, usePrivateLocation, useRefreshLocations } from '../../api/private-locations.ts'
import { useSession } from '../../api/session.tsx'
import type { PrivateLocation } from '../../api/types.ts'
import { TextInput } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { locationProblems, newLocationProblems } from '../../forms/schemas/private-location.ts'
import { type Form, useForm } from '../../forms/use-form.ts'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { withConfirmation } from '../../shell/confirmation.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { slugOf } from './slug-of.ts'
import { useLocationStatus } from './use-location-status.ts'

interface NewValues {
  name: string
  slugName: string
  proxyUrl: string | null
}

const labels: Record<string, string> = { name: 'Name', slugName: 'Slug', proxyUrl: 'Proxy' }
const labelOf = (path: string) => labels[path] ?? path

/** `slug`: absent for a new one. */
export function Screen({ slug }: { slug?: string }) {
  return slug === undefined ? <NewLocation /> : <EditLocation slug={slug} />
}

function NewLocation() {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const refresh = useRefreshLocations()
  const created = useRef('')
  const form = useForm<NewValues>({
    key: 'private-location/new',
    saved: { name: '', slugName: '', proxyUrl: null },
    problemsOf: newLocationProblems,
    secretPaths: ['proxyUrl'],
    save: async (values) => {
      const location = await withConfirmation(() => call('POST /v1/private-locations', { body: values }))
      const key = location.keys[0]?.rawKey
      if (key !== undefined) rememberKey(location.id, key)
      created.current = location.slugName
      await refresh()
    },
  })
  // The slug follows the name until it is changed.
  const following: Form<NewValues> = {
    ...form,
    set(path, value) {
      form.set(path, value)
      const { name, slugName } = form.values
      if (path === 'name' && slugName === slugOf(name)) form.set('slugName', slugOf(String(value)))
    },
  }
  return (
    <ScreenFrame title="New private location" trail={<Link href="/locations">Locations</Link>}>
      <FormFrame
        form={following}
        saveLabel="Create"
        isNew
        denial={denialOf('ADMIN')}
        labelOf={labelOf}
        onSaved={() => navigate(`/locations/${created.current}`)}
      >
        <TextInput form={following} path="name" label="Name" placeholder="Office Bern" />
        <TextInput
          form={following}
          path="slugName"
          label="Slug"
          isMono
          description="Checks name the location by it. It can’t be changed later."
        />
        <ProxyInput form={following} />
      </FormFrame>
    </ScreenFrame>
  )
}

function EditLocation({ slug }: { slug: string }) {
  const status = useLocationStatus(slug)
  const location = usePrivateLocation(status.data?.privateLocationId ?? null)
  const error = status.error ?? location.error
  if (location.data !== undefined) return <EditForm key={location.data.id} location={location.data} />
  if (isNotFound(error) || (status.data && status.data.privateLocationId === null))
    return <NotFound what="This private location" />
  return (
    <ScreenFrame title="Edit the location">
      {error ? <Failure what="The location" error={error} onRetry={status.refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

function EditForm({ location }: { location: PrivateLocation }) {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const refresh = useRefreshLocations()
  const { id, slugName } = location
  const form = useForm({
    key: `private-location/${id}`,
    saved: valuesOf(location),
    problemsOf: locationProblems,
    secretPaths: ['proxyUrl'],
    reload: async () => valuesOf(await call('GET /v1/private-locations/{id}', { params: { id } })),
    save: async (values) => {
      await call('PUT /v1/private-locations/{id}', { params: { id }, body: values })
      await refresh()
    },
  })
  return (
    <ScreenFrame
      title={`Edit ${location.name}`}
      trail={
        <>
          <Link href="/locations">Locations</Link> /{' '}
          <Link href={`/locations/${slugName}`}>{location.name}</Link>
        </>
      }
    >
      <FormFrame
        form={form}
        saveLabel="Save"
        denial={denialOf('ADMIN')}
        labelOf={labelOf}
        onSaved={() => {
          showOutcome(`Saved ${form.values.name}.`)
          navigate(`/locations/${slugName}`)
        }}
      >
        <TextInput form={form} path="name" label="Name" />
        <ProxyInput form={form} />
      </FormFrame>
    </ScreenFrame>
  )
}

function valuesOf({ name, proxyUrl }: PrivateLocation) {
  return { name, proxyUrl }
}

function ProxyInput<T extends object>({ form }: { form: Form<T> }) {
  return (
    <TextInput
      form={form}
      path="proxyUrl"
      label="Proxy"
      emptyAs={null}
      isMono
      placeholder="http://proxy.example.com:3128"
      description="For the requests of API checks and URL monitors. Variables are written as {{NAME}}. Leave it empty for direct connections."
    />
  )
}
