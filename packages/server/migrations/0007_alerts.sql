-- What is decided about results, who is told of it and how that went; and why something failed.

create table check_alerts (
  id uuid not null,
  account_id uuid not null,
  check_id uuid not null,
  check_type text not null,
  alert_type text not null,
  kind text,
  held_by text,
  name text not null,
  run_location text not null,
  response_time real,
  error text,
  status_code smallint,
  result_id uuid,
  scheduled_at timestamptz(3) not null,
  started_at timestamptz(3) not null,
  episode_at timestamptz(3),
  error_group_id uuid,
  facts jsonb,
  created_at timestamptz(3) not null,
  notify_at timestamptz(3),
  primary key (check_id, id)
);
comment on column check_alerts.id is 'Begins with created_at, as a UUID of version 7: the alerts of a check are in the order of their ids.';
comment on column check_alerts.notify_at is 'From when on its notifications are to be made; null when they are, or when it was held back.';
comment on table check_alerts is 'State changes of checks: told to people, or held back (NO_ALERT).';
comment on column check_alerts.kind is 'failure, degraded, recovery or ssl; null when it was held back.';
comment on column check_alerts.held_by is 'Why nobody was told: threshold, parallel_threshold, untold, muted, inactive or maintenance.';
comment on column check_alerts.episode_at is 'When the trouble began that the alert belongs to; with the check it names the episode.';
comment on column check_alerts.facts is 'What messages tell beyond the columns, as it was when its channels were notified.';
create index check_alerts_list on check_alerts using brin (created_at) with (pages_per_range = 16, autosummarize = on);
comment on index check_alerts_list is 'GET /v1/check-alerts; retention. Alerts are added in the order of their time, so a summary of pages does.';
create index check_alerts_waiting on check_alerts (notify_at) where notify_at is not null;
comment on index check_alerts_waiting is 'Alerts whose channels are to be notified.';

create table alert_states (
  check_id uuid primary key,
  account_id uuid not null,
  state text not null,
  previous_state text not null,
  raw_state text not null,
  runs integer not null,
  since timestamptz(3),
  episode_at timestamptz(3) not null,
  decided text not null,
  is_told boolean not null,
  alert_id uuid,
  reminders_sent integer not null default 0,
  remind_at timestamptz(3),
  settle_at timestamptz(3),
  due_at timestamptz(3),
  lead jsonb not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on table alert_states is 'Where the alerts of a check stand while it is not passing; a passing check has no row, nor has one of which all was told and nothing is due: its last alert says that. Without a reference, which would double what a row costs: those of deleted checks are swept.';
comment on column alert_states.raw_state is 'What the last run was before the share of failing locations was looked at.';
comment on column alert_states.decided is 'none, degraded or failure: what was decided of this episode, told or silenced.';
comment on column alert_states.alert_id is 'The alert that reminders repeat.';
comment on column alert_states.settle_at is 'The last results came late: when to tell what they ended in.';
comment on column alert_states.due_at is 'The first of what is to be done without a result: escalation, reminder, settling.';
comment on column alert_states.lead is 'Of the last run, for an alert that no result brings.';
create index alert_states_due on alert_states (due_at) where due_at is not null;
comment on index alert_states_due is 'Escalations and reminders that are due.';

create table alert_notifications (
  id uuid not null,
  account_id uuid not null,
  check_id uuid not null,
  check_type text not null,
  check_alert_id uuid not null,
  alert_channel_id integer not null,
  type text not null,
  kind text not null,
  result_id uuid,
  episode_at timestamptz(3),
  is_reminder boolean not null,
  reminder_sequence integer not null,
  status text not null,
  notification_result text,
  accepted text[] not null default '{}',
  attempts smallint not null default 0,
  tried_at timestamptz(3),
  due_at timestamptz(3),
  place bigint generated always as identity,
  created_at timestamptz(3) not null,
  primary key (check_id, id),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on table alert_notifications is 'One message of one alert to one channel: what is to be delivered, and then the log of it.';
comment on column alert_notifications.accepted is 'The parts (addresses, chat rooms) that took it: a retry leaves them out.';
comment on column alert_notifications.due_at is 'From when on it may be claimed: its time, a retry, or the end of a claim; null when it is over.';
comment on column alert_notifications.place is 'The order in which a channel hears of a check.';
create index alert_notifications_due on alert_notifications (alert_channel_id, due_at) where due_at is not null;
comment on index alert_notifications_due is 'The claim: what is due, channel by channel.';
create index alert_notifications_order on alert_notifications (alert_channel_id, check_id, place) where due_at is not null;
comment on index alert_notifications_order is 'The claim: whether an earlier one of the same check is open.';
create index alert_notifications_log on alert_notifications (account_id, created_at desc, id);
comment on index alert_notifications_log is 'GET /v1/alert-notifications; retention.';

alter table alert_channels
  add column failing_since timestamptz(3),
  add column failure text,
  add column is_refusing boolean not null default false;
comment on column alert_channels.failing_since is 'Since when nothing could be delivered; null after a delivery that went well.';
comment on column alert_channels.is_refusing is 'It said that it will not take our messages, as it is set up.';

create table ssl_notices (
  check_id uuid not null,
  account_id uuid not null,
  alert_channel_id integer not null,
  expires_at timestamptz(3) not null,
  told_at timestamptz(3) not null,
  primary key (check_id, alert_channel_id),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade,
  foreign key (account_id, alert_channel_id) references alert_channels (account_id, id) on delete cascade
);
comment on table ssl_notices is 'Which channels know that a certificate is about to expire.';
comment on column ssl_notices.expires_at is 'About when, as it was told: that is how a renewed certificate is known to be another one.';

alter table parallel_runs
  add column decided boolean not null default false,
  add column deadline_at timestamptz(3),
  add column lead jsonb;
update parallel_runs set decided = true;
comment on table parallel_runs is 'One run in several locations at once: decided once, when it is certain what it comes to, or at its deadline.';
comment on column parallel_runs.lead is 'The location that says most: a failed one before a degraded one before the rest.';
create index parallel_runs_deadline on parallel_runs (deadline_at) where not decided;
comment on index parallel_runs_deadline is 'Runs that wait for locations that may never report.';

create table triggered_incidents (
  check_id uuid primary key,
  account_id uuid not null,
  incident_id uuid not null,
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade,
  foreign key (account_id, incident_id) references incidents (account_id, id) on delete cascade
);
comment on table triggered_incidents is 'The incident that a failing check opened, until its recovery resolves it.';

create table mails (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  kind text not null,
  recipient text not null,
  facts jsonb not null,
  subscription_id uuid references status_page_subscriptions on delete cascade,
  status text not null,
  result text,
  attempts smallint not null default 0,
  due_at timestamptz(3),
  created_at timestamptz(3) not null
);
comment on table mails is 'What is mailed to subscribers of status pages and to owners of accounts: to be delivered, and then the log of it.';
create index mails_due on mails (due_at) where due_at is not null;
comment on index mails_due is 'The claim: what is due.';
create index mails_created on mails (created_at);
comment on index mails_created is 'Retention: the oldest go.';

create table location_alarms (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  queue text not null,
  location text not null,
  kind text not null,
  check_count integer not null,
  facts jsonb not null,
  opened_at timestamptz(3) not null,
  resolved_at timestamptz(3)
);
comment on table location_alarms is 'Checks that do not run: a location without an agent, or runs overdue there. One for all checks of a location.';
create unique index location_alarms_open on location_alarms (account_id, queue, kind) where resolved_at is null;
comment on index location_alarms_open is 'At most one open alarm of a kind.';
create index location_alarms_list on location_alarms (account_id, opened_at desc, id);
comment on index location_alarms_list is 'The alarms of an account, latest first.';

alter table maintenance_windows
  add column timezone text,
  add column description text;
comment on column maintenance_windows.timezone is 'IANA name by which repeats keep their hour; null: UTC.';

create table root_cause_analyses (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  error_group_id uuid references error_groups on delete cascade,
  test_session_error_group_id uuid references test_session_error_groups on delete cascade,
  check_id uuid,
  check_type text,
  status text not null,
  is_automatic boolean not null,
  user_context text not null,
  provider text,
  model text,
  duration_ms integer,
  analysis jsonb,
  attempts smallint not null default 0,
  due_at timestamptz(3),
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  constraint root_cause_analyses_of_one check ((error_group_id is null) <> (test_session_error_group_id is null))
);
comment on table root_cause_analyses is 'Why a group of errors happens: asked for, then found by rules over the evidence.';
create index root_cause_analyses_due on root_cause_analyses (due_at) where due_at is not null;
comment on index root_cause_analyses_due is 'The claim: analyses that are to be made.';
create index root_cause_analyses_of_group on root_cause_analyses (error_group_id, created_at desc);
comment on index root_cause_analyses_of_group is 'The analyses of an error group, latest first.';
create index root_cause_analyses_of_test_group on root_cause_analyses (test_session_error_group_id, created_at desc);
comment on index root_cause_analyses_of_test_group is 'The analyses of an error group of test sessions, latest first.';
