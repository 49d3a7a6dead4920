import type { StatusPage } from '../../api/pages.ts'
import { TextInput, Toggle } from '../../forms/fields.tsx'
import type { Form } from '../../forms/use-form.ts'
import { RelativeTime } from '../../parts/time.tsx'
import type { PageValues } from './page-values.ts'

export function AccessTab({ form, page }: { form: Form<PageValues>; page: StatusPage }) {
  return (
    <>
      <Toggle
        form={form}
        path="isPrivate"
        label="Private"
        description="Visitors need a key, and can’t subscribe themselves. The key is shown once, after you save. To replace it, make the page public and private again."
      />
      {page.keys.length > 0 && (
        <ul className="row-list" aria-label="Keys">
          {page.keys.map(({ id, maskedKey, created_at }) => (
            <li key={id}>
              <code>{maskedKey}</code>
              <span className="muted-text">
                Created <RelativeTime at={created_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Toggle
        form={form}
        path="allowIndexing"
        label="Search engines may list the page"
        description="They never list private pages."
      />
      <TextInput
        form={form}
        path="googleAnalyticsTag"
        label="Google Analytics tag"
        emptyAs={null}
        description="Stored for clients that send it. It has no effect: pages load nothing from other sites."
      />
    </>
  )
}
