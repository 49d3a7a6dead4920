import { formatList } from '../../core/format.ts'
import { Choice, fieldId, TextArea, TextInput } from '../../forms/fields.tsx'
import { Section } from '../../forms/section.tsx'
import type { Form } from '../../forms/use-form.ts'
import type { Colors, PageValues } from './page-values.ts'

const colorLabels: Record<keyof Colors, string> = {
  bodyBackgroundColor: 'Page',
  bodyFontColor: 'Text',
  bodyFontColorMuted: 'Quiet text',
  titleFontColor: 'Titles',
  linkFontColor: 'Links',
  headerBackgroundColor: 'Header',
  headerFontColor: 'Text of the header',
  navigationFontColor: 'Navigation',
  cardBackgroundColor: 'Cards',
  borderColor: 'Borders',
  primaryButtonBackgroundColor: 'Buttons',
  primaryButtonFontColor: 'Text of buttons',
}

/** The colors that a page has without its own. */
const usualColors: Record<'light' | 'dark', Colors> = {
  light: {
    ...{ bodyBackgroundColor: '#F6F7F9', bodyFontColor: '#1A1F27', bodyFontColorMuted: '#57606A' },
    ...{ titleFontColor: '#1A1F27', linkFontColor: '#0B57D0', headerBackgroundColor: '#FFFFFF' },
    ...{ headerFontColor: '#1A1F27', navigationFontColor: '#0B57D0', cardBackgroundColor: '#FFFFFF' },
    borderColor: '#D0D7DE',
    ...{ primaryButtonBackgroundColor: '#0B57D0', primaryButtonFontColor: '#FFFFFF' },
  },
  dark: {
    ...{ bodyBackgroundColor: '#0F1318', bodyFontColor: '#E6E9EE', bodyFontColorMuted: '#9AA4B2' },
    ...{ titleFontColor: '#E6E9EE', linkFontColor: '#A8C7FA', headerBackgroundColor: '#171C23' },
    ...{ headerFontColor: '#E6E9EE', navigationFontColor: '#A8C7FA', cardBackgroundColor: '#171C23' },
    borderColor: '#303845',
    ...{ primaryButtonBackgroundColor: '#A8C7FA', primaryButtonFontColor: '#0F1318' },
  },
}

export function LookTab({ form }: { form: Form<PageValues> }) {
  const { themeColors } = form.values
  return (
    <>
      <Choice
        form={form}
        path="defaultTheme"
        label="Theme"
        options={[
          { value: 'AUTO', label: 'As the visitor’s system' },
          { value: 'LIGHT', label: 'Light' },
          { value: 'DARK', label: 'Dark' },
        ]}
      />
      <Section
        title="Logo and icon"
        summary={logoSummary(form.values)}
        hasError={['logo', 'logoDark', 'favicon', 'redirectTo'].some((name) => form.hasErrorBelow(name))}
      >
        <p className="hint">
          The server fetches them soon after you save. Visitors load them from the page, so the server you
          name doesn’t learn who visits.
        </p>
        <TextInput form={form} path="logo" label="Logo" type="url" emptyAs={null} placeholder="https://" />
        <TextInput
          form={form}
          path="logoDark"
          label="Logo in the dark theme"
          type="url"
          emptyAs={null}
          placeholder="https://"
        />
        <TextInput form={form} path="favicon" label="Icon" type="url" emptyAs={null} placeholder="https://" />
        <TextInput
          form={form}
          path="redirectTo"
          label="The logo opens"
          type="url"
          emptyAs={null}
          placeholder="https://"
        />
      </Section>
      <Section
        title="Footer"
        summary={footerSummary(form.values)}
        hasError={['supportLink', 'privacyPolicyLink', 'termsOfServiceLink', 'footerText'].some((name) =>
          form.hasErrorBelow(name),
        )}
      >
        <TextInput
          form={form}
          path="supportLink"
          label="Support"
          type="url"
          emptyAs={null}
          placeholder="https:// or mailto:"
        />
        <TextInput
          form={form}
          path="privacyPolicyLink"
          label="Privacy policy"
          type="url"
          emptyAs={null}
          placeholder="https://"
        />
        <TextInput
          form={form}
          path="termsOfServiceLink"
          label="Terms of service"
          type="url"
          emptyAs={null}
          placeholder="https://"
        />
        <TextArea form={form} path="footerText" label="Text" rows={2} emptyAs={null} />
      </Section>
      <Section
        title="Colors"
        summary={themeColors === null ? 'The usual ones.' : 'Own colors.'}
        hasError={form.hasErrorBelow('themeColors')}
      >
        <label className="check-box">
          <input
            type="checkbox"
            checked={themeColors !== null}
            onChange={({ target }) =>
              form.set(
                'themeColors',
                target.checked ? { light: usualColors.light, dark: usualColors.dark } : null,
              )
            }
          />
          Own colors
        </label>
        {themeColors !== null && (
          <>
            <h3>Light theme</h3>
            <ColorFields form={form} theme="light" />
            <label className="check-box">
              <input
                type="checkbox"
                checked={themeColors.dark !== undefined}
                onChange={({ target }) =>
                  form.set(
                    'themeColors',
                    target.checked
                      ? { light: themeColors.light, dark: usualColors.dark }
                      : { light: themeColors.light },
                  )
                }
              />
              Other colors in the dark theme
            </label>
            {themeColors.dark !== undefined && (
              <>
                <h3>Dark theme</h3>
                <ColorFields form={form} theme="dark" />
              </>
            )}
          </>
        )}
      </Section>
    </>
  )
}

function logoSummary({ logo, logoDark, favicon }: PageValues): string {
  const set = [logo && 'a logo', logoDark && 'one for the dark theme', favicon && 'an icon'].filter(
    (one) => one !== null,
  )
  return set.length === 0 ? 'None: the page shows its name.' : `The page has ${formatList(set)}.`
}

function footerSummary({
  supportLink,
  privacyPolicyLink,
  termsOfServiceLink,
  footerText,
}: PageValues): string {
  const set = [
    supportLink && 'support',
    privacyPolicyLink && 'privacy policy',
    termsOfServiceLink && 'terms of service',
    footerText && 'a text',
  ].filter((one) => one !== null)
  return set.length === 0 ? 'Nothing of your own.' : `With ${formatList(set, 4)}.`
}

function ColorFields({ form, theme }: { form: Form<PageValues>; theme: 'light' | 'dark' }) {
  const colors = form.values.themeColors?.[theme]
  if (colors === undefined) return null
  return (
    <div className="color-grid">
      {Object.entries(colorLabels).map(([name, label]) => (
        <ColorField
          key={name}
          form={form}
          path={`themeColors.${theme}.${name}`}
          label={label}
          value={String(Reflect.get(colors, name))}
        />
      ))}
    </div>
  )
}

interface ColorFieldProps {
  form: Form<PageValues>
  path: string
  label: string
  value: string
}

/** As text, and by the picker of the browser. */
function ColorField({ form, path, label, value }: ColorFieldProps) {
  const id = fieldId(path)
  const error = form.errorAt(path)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <span className="color-field">
        <input
          type="color"
          aria-label={`Pick: ${label}`}
          value={sixDigits(value)}
          onChange={({ target }) => form.set(path, target.value.toUpperCase())}
        />
        <input
          id={id}
          className="mono"
          value={value}
          aria-invalid={error !== null}
          onChange={({ target }) => form.set(path, target.value)}
          onBlur={() => form.leave(path)}
        />
      </span>
      {error !== null && <p className="field-error">{error}</p>}
    </div>
  )
}

/** The picker of the browser knows no other form. */
function sixDigits(color: string): string {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(color)
  if (short !== null)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`.toLowerCase()
  return /^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : '#000000'
}
