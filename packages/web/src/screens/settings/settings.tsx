// The settings: one screen per subject, with a navigation of their own.
import './settings.css'
import { lazy, Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { loadScreen } from '../../core/load-screen.ts'
import { NotFound } from '../../parts/not-found.tsx'
import { FirstLoad } from '../../parts/states.tsx'
import { SettingsNavigation } from './settings-navigation.tsx'

const Account = lazy(() => loadScreen(() => import('./account.tsx')))
const Members = lazy(() => loadScreen(() => import('./members.tsx')))
const ServiceKeys = lazy(() => loadScreen(() => import('./service-keys.tsx')))
const AuditLog = lazy(() => loadScreen(() => import('./audit-log.tsx')))
const Variables = lazy(() => loadScreen(() => import('./variables.tsx')))
const Variable = lazy(() => loadScreen(() => import('./variable.tsx')))
const Snippets = lazy(() => loadScreen(() => import('./snippets.tsx')))
const Snippet = lazy(() => loadScreen(() => import('./snippet.tsx')))
const Certificates = lazy(() => loadScreen(() => import('./certificates.tsx')))
const NewCertificate = lazy(() => loadScreen(() => import('./new-certificate.tsx')))
const Runtimes = lazy(() => loadScreen(() => import('./runtimes.tsx')))
const Triggers = lazy(() => loadScreen(() => import('./triggers.tsx')))
const Prometheus = lazy(() => loadScreen(() => import('./prometheus.tsx')))
const Deployments = lazy(() => loadScreen(() => import('./deployments.tsx')))
const NewDeployment = lazy(() => loadScreen(() => import('./new-deployment.tsx')))
const ArchivedErrors = lazy(() => loadScreen(() => import('./archived-errors.tsx')))
const Security = lazy(() => loadScreen(() => import('./security.tsx')))
const Profile = lazy(() => loadScreen(() => import('./profile.tsx')))

export function Screen() {
  return (
    <div className="settings">
      <SettingsNavigation />
      <div className="settings-content">
        <PlainHttpWarning />
        <Suspense fallback={<FirstLoad />}>
          <Switch>
            <Route path="/settings">
              <Redirect to="/settings/account" replace />
            </Route>
            <Route path="/settings/account" component={Account} />
            <Route path="/settings/members" component={Members} />
            <Route path="/settings/api-keys" component={ServiceKeys} />
            <Route path="/settings/audit-log" component={AuditLog} />
            <Route path="/settings/variables" component={Variables} />
            <Route path="/settings/variables/new">
              <Variable />
            </Route>
            <Route path="/settings/variables/:name">{({ name }) => <Variable name={name} />}</Route>
            <Route path="/settings/snippets" component={Snippets} />
            <Route path="/settings/snippets/new">
              <Snippet />
            </Route>
            <Route path="/settings/snippets/:id">{({ id }) => <Snippet id={Number(id)} />}</Route>
            <Route path="/settings/certificates" component={Certificates} />
            <Route path="/settings/certificates/new" component={NewCertificate} />
            <Route path="/settings/runtimes" component={Runtimes} />
            <Route path="/settings/triggers" component={Triggers} />
            <Route path="/settings/prometheus" component={Prometheus} />
            <Route path="/settings/deployments" component={Deployments} />
            <Route path="/settings/deployments/new" component={NewDeployment} />
            <Route path="/settings/archived-errors" component={ArchivedErrors} />
            <Route path="/settings/security" component={Security} />
            <Route path="/settings/profile" component={Profile} />
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </div>
    </div>
  )
}

const localNames = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

function PlainHttpWarning() {
  if (location.protocol === 'https:' || localNames.test(location.hostname)) return null
  return (
    <p className="panel warning" role="note">
      You reach this server over plain http: others on the way can read passwords and use your session.
      Passkeys don’t work. Serve it over https, and set <code>PUBLIC_URL</code> to that address.
    </p>
  )
}
