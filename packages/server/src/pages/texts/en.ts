// The words of public pages in English. Other languages have the same keys.
import type { PublicState } from '../status/uptime.ts'

const states: Record<PublicState, string> = {
  passing: 'Operational',
  degraded: 'Degraded performance',
  partial: 'Partial outage',
  failing: 'Major outage',
  maintenance: 'Under maintenance',
}

const updateStatuses: Record<string, string> = {
  INVESTIGATING: 'Investigating',
  IDENTIFIED: 'Identified',
  MONITORING: 'Monitoring',
  RESOLVED: 'Resolved',
  MAINTENANCE: 'Maintenance',
}

export const en = {
  language: 'English',
  states,
  updateStatuses,
  allOperational: 'All systems operational',
  underMaintenance: 'Some services are under maintenance',
  /** `names`: of the services, joined by commas. */
  trouble: (state: string, names: string) => `${state}: ${names}`,
  troubleOfMany: (state: string, count: number) => `${state}: ${count} services`,
  checkStates: {
    passing: 'passing',
    degraded: 'degraded',
    failing: 'failing',
    unknown: 'not running',
    maintenance: 'in maintenance',
    inactive: 'paused',
  },
  dashboard: 'Dashboard',
  sections: 'Sections',
  checks: 'Checks',
  check: 'Check',
  incidents: 'Incidents',
  range: 'Time range',
  noChecks: 'No check has the tags of this dashboard.',
  availability: 'Availability',
  packetLoss: 'Loss',
  trend: 'Response time',
  noData: 'No runs in this range',
  pages: 'Pages',
  previousPage: 'Previous page',
  nextPage: 'Next page',
  pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,
  checksOver: (range: string) => `Checks over the last ${range}`,
  lastRun: 'Last run',
  latestRuns: 'Latest runs',
  runStates: {
    passing: 'Passed',
    degraded: 'Degraded',
    failing: 'Failed',
    unknown: 'Couldn’t run',
    running: 'Running',
  },
  time: 'Time',
  now: 'Now',
  asTable: 'As a table',
  trendOf: (range: string, low: string, high: string, failed: number, parts: number) =>
    `P95 of response times over the last ${range}: ${low} to ${high}. Failed runs in ${failed} of ${parts} parts.`,
  trendWithoutTimes: (range: string, failed: number, parts: number) =>
    `No response times over the last ${range}. Failed runs in ${failed} of ${parts} parts.`,
  openIncidents: 'Open incidents',
  affected: 'Affects',
  noServices: 'This page has no services yet.',
  uptime: (percent: string) => `${percent} uptime`,
  daysAgo: (days: number) => `${days} days ago`,
  today: 'Today',
  dayDown: (state: string, duration: string) => `${state}, ${duration}`,
  daysWithIncidents: 'Days with incidents',
  noIncidentIn90Days: 'No incident in the last 90 days.',
  pastIncidents: 'Past incidents',
  noIncidents: 'No incidents reported.',
  noIncidentsInMonth: 'No incidents in this month.',
  history: 'Incident history',
  newer: 'Newer',
  older: 'Older',
  backToPage: (name: string) => `Back to ${name}`,
  lasted: (duration: string) => `Lasted ${duration}`,
  ongoing: (duration: string) => `Ongoing for ${duration}`,
  updates: 'Updates',
  addedLater: (time: string) => `Added later, on ${time}`,
  subscribe: 'Subscribe',
  subscribeByMail: 'Get incident updates by email',
  feeds: 'Feeds',
  bannerDetails: 'Details',
  bannerDismiss: 'Dismiss',
  support: 'Support',
  privacyPolicy: 'Privacy policy',
  termsOfService: 'Terms of service',
  updatedAt: (time: string) => `Updated ${time}`,
  staleSince: (time: string) =>
    `This page shows the state of ${time}. Newer data isn’t available at the moment.`,
  asOf: (time: string) => `This is the page as it was on ${time}.`,
  asOfNow: 'Show it as it is now',
  pageAtTime: 'See the whole page as it was at a time (UTC)',
  open: 'Open',
  unavailableTitle: 'This page isn’t available at the moment',
  unavailable: 'It will be tried again in a few seconds.',
  timesInUtc: 'All times are in UTC.',
  skipToContent: 'Skip to content',
  duration: (days: number, hours: number, minutes: number) => {
    if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`
    if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
    return minutes > 0 ? `${minutes} min` : 'less than a minute'
  },
}

export type Texts = typeof en
