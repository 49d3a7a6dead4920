// Which screen an address shows.
import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { basePath } from './api/base-path.ts'
import { call } from './api/call.ts'
import { queryClient } from './api/query-client.ts'
import { SessionProvider, useSession, useSignIn } from './api/session.tsx'
import { loadScreen } from './core/load-screen.ts'
import { leaveOrAsk } from './forms/leave-guard.ts'
import { NotFound } from './parts/not-found.tsx'
import { Failure, FirstLoad } from './parts/states.tsx'
import { ScreenBoundary } from './shell/screen-boundary.tsx'
import { Shell } from './shell/shell.tsx'

const Home = lazy(() => loadScreen(() => import('./screens/home/home.tsx')))
const Checks = lazy(() => loadScreen(() => import('./screens/checks/checks.tsx')))
const Check = lazy(() => loadScreen(() => import('./screens/check/check.tsx')))
const NewCheck = lazy(() => loadScreen(() => import('./screens/edit-check/new-check.tsx')))
const EditCheck = lazy(() => loadScreen(() => import('./screens/edit-check/edit-check.tsx')))
const NewGroup = lazy(() => loadScreen(() => import('./screens/group/new-group.tsx')))
const Group = lazy(() => loadScreen(() => import('./screens/group/group.tsx')))
const Result = lazy(() => loadScreen(() => import('./screens/result/result.tsx')))
const AlertHistory = lazy(() => loadScreen(() => import('./screens/alerts/history.tsx')))
const AlertChannels = lazy(() => loadScreen(() => import('./screens/alerts/channels.tsx')))
const NewAlertChannel = lazy(() => loadScreen(() => import('./screens/alerts/new-channel.tsx')))
const AlertChannel = lazy(() => loadScreen(() => import('./screens/alerts/channel.tsx')))
const AlertDefaults = lazy(() => loadScreen(() => import('./screens/alerts/settings.tsx')))
const Sessions = lazy(() => loadScreen(() => import('./screens/sessions/sessions.tsx')))
const SessionView = lazy(() => loadScreen(() => import('./screens/sessions/session.tsx')))
const TestResult = lazy(() => loadScreen(() => import('./screens/sessions/test-result.tsx')))
const StatusPages = lazy(() => loadScreen(() => import('./screens/status-pages/status-pages.tsx')))
const NewStatusPage = lazy(() => loadScreen(() => import('./screens/status-pages/new-status-page.tsx')))
const StatusPage = lazy(() => loadScreen(() => import('./screens/status-page/status-page.tsx')))
const Services = lazy(() => loadScreen(() => import('./screens/services/services.tsx')))
const Incidents = lazy(() => loadScreen(() => import('./screens/incidents/incidents.tsx')))
const NewIncident = lazy(() => loadScreen(() => import('./screens/incidents/new-incident.tsx')))
const Incident = lazy(() => loadScreen(() => import('./screens/incidents/incident.tsx')))
const Dashboards = lazy(() => loadScreen(() => import('./screens/dashboards/dashboards.tsx')))
const Dashboard = lazy(() => loadScreen(() => import('./screens/dashboards/dashboard.tsx')))
const Settings = lazy(() => loadScreen(() => import('./screens/settings/settings.tsx')))
const Maintenance = lazy(() => loadScreen(() => import('./screens/maintenance/maintenance.tsx')))
const MaintenanceWindow = lazy(() => loadScreen(() => import('./screens/maintenance/window.tsx')))
const Locations = lazy(() => loadScreen(() => import('./screens/locations/locations.tsx')))
const LocationView = lazy(() => loadScreen(() => import('./screens/locations/location.tsx')))
const LocationForm = lazy(() => loadScreen(() => import('./screens/locations/location-form.tsx')))
const Reports = lazy(() => loadScreen(() => import('./screens/reports/reports.tsx')))
const Login = lazy(() => loadScreen(() => import('./screens/sign-in/login.tsx')))
const SingleSignOn = lazy(() => loadScreen(() => import('./screens/sign-in/sso.tsx')))
const Setup = lazy(() => loadScreen(() => import('./screens/sign-in/setup.tsx')))
const Reset = lazy(() => loadScreen(() => import('./screens/sign-in/reset.tsx')))
const Invite = lazy(() => loadScreen(() => import('./screens/sign-in/invite.tsx')))
const ConfirmEmail = lazy(() => loadScreen(() => import('./screens/sign-in/confirm-email.tsx')))

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <ScreenBoundary>
        <Router
          base={basePath}
          aroundNav={(navigate, to, options) =>
            isSameScreen(to) ? navigate(to, options) : leaveOrAsk(() => navigate(to, options))
          }
        >
          <Suspense fallback={<FirstLoad />}>
            <Switch>
              <Route path="/login" component={Login} />
              <Route path="/login/sso" component={SingleSignOn} />
              <Route path="/setup" component={Setup} />
              <Route path="/reset" component={Reset} />
              <Route path="/invite" component={Invite} />
              <Route path="/email" component={ConfirmEmail} />
              <Route>
                <SignedIn>
                  <Shell>
                    <Screens />
                  </Shell>
                </SignedIn>
              </Route>
            </Switch>
          </Suspense>
        </Router>
      </ScreenBoundary>
    </QueryClientProvider>
  )
}

/** Tabs and filters are in the query: another one leaves nothing. */
function isSameScreen(to: string): boolean {
  return basePath + to.split(/[?#]/)[0] === location.pathname
}

function Screens() {
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/checks" component={Checks} />
      <Route path="/checks/new" component={NewCheck} />
      <Route path="/checks/:id/edit">{({ id }) => <EditCheck key={id} id={id} />}</Route>
      <Route path="/groups/new" component={NewGroup} />
      <Route path="/groups/:id">{({ id }) => <Group key={id} id={id} />}</Route>
      <Route path="/checks/:id">{({ id }) => <Check key={id} id={id} />}</Route>
      <Route path="/checks/:id/results/:resultId">
        {({ id, resultId }) => <Result key={resultId} checkId={id} resultId={resultId} />}
      </Route>
      <Route path="/alerts" component={AlertHistory} />
      <Route path="/alerts/channels" component={AlertChannels} />
      <Route path="/alerts/channels/new" component={NewAlertChannel} />
      <Route path="/alerts/channels/:id">{({ id }) => <AlertChannel key={id} id={Number(id)} />}</Route>
      <Route path="/alerts/settings" component={AlertDefaults} />
      <Route path="/sessions" component={Sessions} />
      <Route path="/sessions/:id">{({ id }) => <SessionView key={id} id={id} />}</Route>
      <Route path="/check-sessions/:id">{({ id }) => <Redirect to={`/sessions/${id}`} replace />}</Route>
      <Route path="/test-sessions/:id">{({ id }) => <Redirect to={`/sessions/${id}`} replace />}</Route>
      <Route path="/test-sessions/:id/results/:resultId">
        {({ id, resultId }) => <TestResult key={resultId} sessionId={id} resultId={resultId} />}
      </Route>
      <Route path="/status-pages" component={StatusPages} />
      <Route path="/status-pages/new" component={NewStatusPage} />
      <Route path="/status-pages/:id">{({ id }) => <StatusPage key={id} id={id} />}</Route>
      <Route path="/services" component={Services} />
      <Route path="/incidents" component={Incidents} />
      <Route path="/incidents/new" component={NewIncident} />
      <Route path="/incidents/:id">{({ id }) => <Incident key={id} id={id} />}</Route>
      <Route path="/dashboards" component={Dashboards} />
      <Route path="/dashboards/:id">{({ id }) => <Dashboard key={id} id={id} />}</Route>
      <Route path="/settings/*?" component={Settings} />
      <Route path="/maintenance" component={Maintenance} />
      <Route path="/maintenance/new">
        <MaintenanceWindow id={null} />
      </Route>
      <Route path="/maintenance/:id">{({ id }) => <MaintenanceWindow key={id} id={Number(id)} />}</Route>
      <Route path="/locations" component={Locations} />
      <Route path="/locations/_new">
        <LocationForm />
      </Route>
      <Route path="/locations/:slug">{({ slug }) => <LocationView key={slug} slug={slug} />}</Route>
      <Route path="/locations/:slug/edit">{({ slug }) => <LocationForm key={slug} slug={slug} />}</Route>
      <Route path="/reports" component={Reports} />
      <Route path="/accounts/:accountId/*?">
        {(params) => <OfAccount id={params.accountId} rest={params['*'] ?? ''} />}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}

/** Links of other clients name the account: it is chosen, and the rest of the address opened. */
function OfAccount({ id, rest }: { id: string; rest: string }) {
  const { signIn, account, switchAccount } = useSession()
  const isMember = signIn.accounts.some((one) => one.id === id)
  useEffect(() => {
    if (isMember && account.id !== id) switchAccount(id)
  }, [isMember, account.id, id, switchAccount])
  if (!isMember) return <NotFound />
  return account.id === id ? <Redirect to={`/${rest}${location.search}`} replace /> : <FirstLoad />
}

function SignedIn({ children }: { children: ReactNode }) {
  const { data, error, refetch } = useSignIn()
  if (data) return <SessionProvider signIn={data}>{children}</SessionProvider>
  if (data === null) return <ToSignIn />
  return error ? <Failure what="Your session" error={error} onRetry={refetch} isWhole /> : <FirstLoad />
}

/** To the set-up of a new installation, else to sign in and then back here. */
function ToSignIn() {
  const [path, navigate] = useLocation()
  useEffect(() => {
    const next = `${path}${location.search}`
    const toLogin = () =>
      navigate(next === '/' ? '/login' : `/login?next=${encodeURIComponent(next)}`, { replace: true })
    call('GET /v1/setup').then(
      ({ isDone }) => (isDone ? toLogin() : navigate('/setup', { replace: true })),
      toLogin,
    )
  }, [path, navigate])
  return <FirstLoad />
}
