-- Generated from migrations/ by npm run generate; do not edit.

create table accounts (
  id uuid not null,
  name text not null,
  runtime_id text not null,
  plan text not null,
  settings jsonb not null,
  alert_settings jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  link_epoch integer default 0 not null,
  constraint accounts_pkey PRIMARY KEY (id)
);
comment on column accounts.link_epoch is 'Part of every signed link; raised by `vedette links revoke`.';

create table agent_keys (
  id uuid not null,
  name text not null,
  hash bytea not null,
  masked_key text not null,
  created_at timestamp(3) with time zone default now() not null,
  last_used_at timestamp(3) with time zone,
  constraint agent_keys_hash UNIQUE (hash),
  constraint agent_keys_pkey PRIMARY KEY (id)
);
comment on table agent_keys is 'Operator keys of data-center agents, made on the server''s machine only.';

create table agentic_scripts (
  id uuid not null,
  account_id uuid not null,
  check_id uuid not null,
  prompt_hash text not null,
  script text not null,
  status text not null,
  result_id uuid,
  created_at timestamp(3) with time zone default now() not null,
  decided_at timestamp(3) with time zone,
  constraint agentic_scripts_account_id_id_key UNIQUE (account_id, id),
  constraint agentic_scripts_pkey PRIMARY KEY (id),
  constraint agentic_scripts_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE
);
comment on column agentic_scripts.prompt_hash is 'SHA-256 of the prompt: a script serves that very prompt and no other.';
comment on column agentic_scripts.result_id is 'Of the run that wrote it; results go with their retention.';
CREATE UNIQUE INDEX agentic_scripts_current ON agentic_scripts USING btree (check_id, prompt_hash) WHERE (status = 'current'::text);
comment on index agentic_scripts_current is 'A prompt has one script in use; read with every run of its check.';
CREATE INDEX agentic_scripts_list ON agentic_scripts USING btree (account_id, check_id, created_at DESC, id);
comment on index agentic_scripts_list is 'GET /v1/checks/agentic/{id}/scripts.';
CREATE UNIQUE INDEX agentic_scripts_proposed ON agentic_scripts USING btree (check_id, prompt_hash) WHERE (status = 'proposed'::text);
comment on index agentic_scripts_proposed is 'And at most one that waits for review.';

create table agents (
  id uuid not null,
  account_id uuid,
  private_location_id uuid,
  agent_key_id uuid,
  locations text[] not null,
  version text not null,
  state text not null,
  facts jsonb not null,
  started_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  name text,
  constraint agents_pkey PRIMARY KEY (id),
  constraint agents_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint agents_agent_key_id_fkey FOREIGN KEY (agent_key_id) REFERENCES agent_keys(id) ON DELETE CASCADE,
  constraint agents_private_location_id_fkey FOREIGN KEY (private_location_id) REFERENCES private_locations(id) ON DELETE CASCADE
);
comment on table agents is 'Agent processes: of a private location, of the operator, or (neither) built into a server.';
comment on column agents.name is 'Host name, or AGENT_NAME; null for agents of a release that sends none.';
CREATE INDEX agents_of_private_location ON agents USING btree (private_location_id) WHERE (private_location_id IS NOT NULL);
comment on index agents_of_private_location is 'The running agents of a private location.';

create table alert_channel_subscriptions (
  id integer generated always as identity not null,
  account_id uuid not null,
  alert_channel_id integer not null,
  check_id uuid,
  group_id integer,
  activated boolean not null,
  constraint alert_channel_subscriptions_check UNIQUE (alert_channel_id, check_id),
  constraint alert_channel_subscriptions_group UNIQUE (alert_channel_id, group_id),
  constraint alert_channel_subscriptions_pkey PRIMARY KEY (id),
  constraint alert_channel_subscriptions_account_id_alert_channel_id_fkey FOREIGN KEY (account_id, alert_channel_id) REFERENCES alert_channels(account_id, id) ON DELETE CASCADE,
  constraint alert_channel_subscriptions_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE,
  constraint alert_channel_subscriptions_account_id_group_id_fkey FOREIGN KEY (account_id, group_id) REFERENCES check_groups(account_id, id) ON DELETE CASCADE,
  constraint alert_channel_subscriptions_target CHECK (((check_id IS NULL) <> (group_id IS NULL)))
);
CREATE INDEX alert_channel_subscriptions_of_check ON alert_channel_subscriptions USING btree (check_id) WHERE (check_id IS NOT NULL);
comment on index alert_channel_subscriptions_of_check is 'Who hears of a check.';
CREATE INDEX alert_channel_subscriptions_of_group ON alert_channel_subscriptions USING btree (group_id) WHERE (group_id IS NOT NULL);
comment on index alert_channel_subscriptions_of_group is 'Who hears of a group.';

create table alert_channels (
  id integer generated always as identity not null,
  account_id uuid not null,
  type text not null,
  config jsonb not null,
  send_recovery boolean not null,
  send_failure boolean not null,
  send_degraded boolean not null,
  ssl_expiry boolean not null,
  ssl_expiry_threshold integer not null,
  auto_subscribe boolean not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  failure text,
  is_refusing boolean default false not null,
  constraint alert_channels_account_id_id_key UNIQUE (account_id, id),
  constraint alert_channels_pkey PRIMARY KEY (id),
  constraint alert_channels_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on column alert_channels.failing_since is 'Since when nothing could be delivered; null after a delivery that went well.';
comment on column alert_channels.is_refusing is 'It said that it will not take our messages, as it is set up.';

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
  episode_at timestamp(3) with time zone,
  is_reminder boolean not null,
  reminder_sequence integer not null,
  status text not null,
  notification_result text,
  accepted text[] default '{}'::text[] not null,
  attempts smallint default 0 not null,
  tried_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone,
  place bigint generated always as identity not null,
  created_at timestamp(3) with time zone not null,
  location_alarm_id uuid,
  lead_check_id uuid,
  facts jsonb,
  constraint alert_notifications_pkey PRIMARY KEY (check_id, id),
  constraint alert_notifications_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on table alert_notifications is 'One message of one alert to one channel: what is to be delivered, and then the log of it.';
comment on column alert_notifications.check_id is 'The check that the alert is about; of a message about a location alarm, the id of the alarm.';
comment on column alert_notifications.accepted is 'The parts (addresses, chat rooms) that took it: a retry leaves them out.';
comment on column alert_notifications.due_at is 'From when on it may be claimed: its time, a retry, or the end of a claim; null when it is over.';
comment on column alert_notifications.place is 'The order in which a channel hears of a check.';
comment on column alert_notifications.lead_check_id is 'Of a message about a location alarm: the first of its checks.';
comment on column alert_notifications.facts is 'Of a message about a location alarm: what it says.';
CREATE INDEX alert_notifications_due ON alert_notifications USING btree (alert_channel_id, due_at) WHERE (due_at IS NOT NULL);
comment on index alert_notifications_due is 'The claim: what is due, channel by channel.';
CREATE INDEX alert_notifications_log ON alert_notifications USING btree (account_id, created_at DESC, id);
comment on index alert_notifications_log is 'GET /v1/alert-notifications; retention.';
CREATE UNIQUE INDEX alert_notifications_of_alarm ON alert_notifications USING btree (location_alarm_id, alert_channel_id, kind) WHERE (location_alarm_id IS NOT NULL);
comment on index alert_notifications_of_alarm is 'One message per channel when an alarm begins, and one when it is over.';
CREATE INDEX alert_notifications_order ON alert_notifications USING btree (alert_channel_id, check_id, place) WHERE (due_at IS NOT NULL);
comment on index alert_notifications_order is 'The claim: whether an earlier one of the same check is open.';

create table alert_states (
  check_id uuid not null,
  account_id uuid not null,
  state text not null,
  previous_state text not null,
  raw_state text not null,
  runs integer not null,
  since timestamp(3) with time zone,
  episode_at timestamp(3) with time zone not null,
  decided text not null,
  is_told boolean not null,
  alert_id uuid,
  reminders_sent integer default 0 not null,
  remind_at timestamp(3) with time zone,
  settle_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone,
  lead jsonb not null,
  constraint alert_states_pkey PRIMARY KEY (check_id)
);
comment on table alert_states is 'Where the alerts of a check stand while it is not passing; a passing check has no row, nor has one of which all was told and nothing is due: its last alert says that. Without a reference, which would double what a row costs: those of deleted checks are swept.';
comment on column alert_states.raw_state is 'What the last run was before the share of failing locations was looked at.';
comment on column alert_states.decided is 'none, degraded or failure: what was decided of this episode, told or silenced.';
comment on column alert_states.alert_id is 'The alert that reminders repeat.';
comment on column alert_states.settle_at is 'The last results came late: when to tell what they ended in.';
comment on column alert_states.due_at is 'The first of what is to be done without a result: escalation, reminder, settling.';
comment on column alert_states.lead is 'Of the last run, for an alert that no result brings.';
CREATE INDEX alert_states_due ON alert_states USING btree (due_at) WHERE (due_at IS NOT NULL);
comment on index alert_states_due is 'Escalations and reminders that are due.';

create table api_keys (
  id uuid not null,
  user_id uuid,
  account_id uuid,
  role text,
  name text not null,
  hash bytea not null,
  masked_key text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  constraint api_keys_hash UNIQUE (hash),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint api_keys_owner CHECK ((((user_id IS NOT NULL) AND (account_id IS NULL) AND (role IS NULL)) OR ((user_id IS NULL) AND (account_id IS NOT NULL) AND (role IS NOT NULL))))
);
comment on table api_keys is 'User keys carry their user''s roles; service keys belong to one account and carry their own.';
CREATE INDEX api_keys_account ON api_keys USING btree (account_id);
comment on index api_keys_account is 'The service keys of an account.';
CREATE INDEX api_keys_user ON api_keys USING btree (user_id);
comment on index api_keys_user is 'The keys of a user.';

create table artifacts (
  account_id uuid not null,
  id uuid not null,
  scheduled_at timestamp(3) with time zone not null,
  check_id uuid not null,
  result_id uuid not null,
  type text not null,
  name text not null,
  content_type text not null,
  size_bytes bigint not null,
  sha256 text not null,
  created_at timestamp(3) with time zone default now() not null,
  constraint artifacts_pkey PRIMARY KEY (id, scheduled_at, check_id)
) partition by RANGE (scheduled_at);
comment on table artifacts is 'Files of results and of results of test sessions; they go with the results of their day.';
comment on column artifacts.id is 'Begins with scheduled_at, as a UUID of version 7, and follows from result and name: recorded twice, it is the same.';
comment on column artifacts.check_id is 'The check, or the draft, that was run.';
CREATE INDEX artifacts_of_blob ON ONLY artifacts USING btree (account_id, sha256);
comment on index artifacts_of_blob is 'Releasing blobs: whether one is still referred to.';
CREATE INDEX artifacts_of_result ON ONLY artifacts USING btree (result_id);
comment on index artifacts_of_result is 'The asset manifests.';

create table audit_entries (
  id uuid not null,
  account_id uuid not null,
  created_at timestamp(3) with time zone not null,
  user_id uuid,
  key_id uuid,
  actor_name text,
  source text not null,
  address text,
  request_id text not null,
  operation text not null,
  summary text not null,
  action text not null,
  outcome text default 'unknown'::text not null,
  resource_kind text not null,
  resource_id text,
  resource_name text,
  changes jsonb default '[]'::jsonb not null,
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint audit_entries_check CHECK (((user_id IS NOT NULL) OR (key_id IS NOT NULL)))
);
comment on table audit_entries is 'Inserted before a request changes something, and completed after it.';
comment on column audit_entries.user_id is 'No reference: entries outlive users and keys.';
comment on column audit_entries.changes is 'What a caller with READ_ONLY sees before and after: [{field, before, after}].';
CREATE INDEX audit_entries_account ON audit_entries USING btree (account_id, created_at DESC, id);
comment on index audit_entries_account is 'The log of an account.';
CREATE INDEX audit_entries_age ON audit_entries USING btree (created_at);
comment on index audit_entries_age is 'Deletes old entries.';
CREATE INDEX audit_entries_resource ON audit_entries USING btree (account_id, resource_id, created_at DESC);
comment on index audit_entries_resource is 'The log of one resource.';

create table blobs (
  account_id uuid not null,
  sha256 text not null,
  size_bytes bigint not null,
  is_stored boolean default false not null,
  created_at timestamp(3) with time zone default now() not null,
  last_used_at timestamp(3) with time zone not null,
  examine_at timestamp(3) with time zone not null,
  constraint blobs_pkey PRIMARY KEY (account_id, sha256)
);
comment on table blobs is 'Bytes in the blob store. No reference to the account: the bytes of a deleted one have to be deleted too.';
comment on column blobs.is_stored is 'Whether the bytes are there: the row is written before them, and outlives them.';
comment on column blobs.last_used_at is 'When it was last uploaded or asked for: the result that names it comes soon after.';
comment on column blobs.examine_at is 'From when on it is looked at whether anything still refers to it.';
CREATE INDEX blobs_examine ON blobs USING btree (examine_at);
comment on index blobs_examine is 'Releasing blobs: those to look at next.';

create table certificate_chains (
  account_id uuid not null,
  check_id uuid not null,
  chain_sha256 text not null,
  first_seen_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  subject text not null,
  issuer text not null,
  valid_to timestamp(3) with time zone not null,
  location text not null,
  constraint certificate_chains_pkey PRIMARY KEY (check_id, chain_sha256, first_seen_at),
  constraint certificate_chains_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE
);
comment on table certificate_chains is 'The certificate chains that targets of checks have sent, and when. A chain that returns after a while has another row.';
comment on column certificate_chains.last_seen_at is 'At most an hour too early: not every run writes it.';
comment on column certificate_chains.location is 'Where it was seen first.';

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
  scheduled_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone not null,
  episode_at timestamp(3) with time zone,
  error_group_id uuid,
  facts jsonb,
  created_at timestamp(3) with time zone not null,
  notify_at timestamp(3) with time zone,
  ran_at jsonb,
  constraint check_alerts_pkey PRIMARY KEY (check_id, id)
);
comment on table check_alerts is 'State changes of checks: told to people, or held back (NO_ALERT).';
comment on column check_alerts.id is 'Begins with created_at, as a UUID of version 7: the alerts of a check are in the order of their ids.';
comment on column check_alerts.kind is 'failure, degraded, recovery or ssl; null when it was held back.';
comment on column check_alerts.held_by is 'Why nobody was told: threshold, parallel_threshold, untold, muted, inactive or maintenance.';
comment on column check_alerts.episode_at is 'When the trouble began that the alert belongs to; with the check it names the episode.';
comment on column check_alerts.facts is 'What messages tell beyond the columns, as it was when its channels were notified.';
comment on column check_alerts.notify_at is 'From when on its notifications are to be made; null when they are, or when it was held back.';
comment on column check_alerts.ran_at is 'The agent that ran what the alert is about: {agentId, agentName, isBuiltIn}.';
CREATE INDEX check_alerts_history ON check_alerts USING btree (account_id, created_at DESC, id);
comment on index check_alerts_history is 'GET /v1/alert-history: a page of an account without reading the others.';
CREATE INDEX check_alerts_list ON check_alerts USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');
comment on index check_alerts_list is 'GET /v1/check-alerts; retention. Alerts are added in the order of their time, so a summary of pages does.';
CREATE INDEX check_alerts_waiting ON check_alerts USING btree (notify_at) WHERE (notify_at IS NOT NULL);
comment on index check_alerts_waiting is 'Alerts whose channels are to be notified.';

create table check_groups (
  id integer generated always as identity not null,
  account_id uuid not null,
  name text not null,
  activated boolean not null,
  muted boolean not null,
  tags text[] not null,
  locations text[] not null,
  private_locations text[],
  concurrency integer not null,
  run_parallel boolean,
  runtime_id text,
  double_check boolean not null,
  use_global_alert_settings boolean,
  alert_settings jsonb,
  retry_strategy jsonb,
  setup_snippet_id integer,
  tear_down_snippet_id integer,
  settings jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  activation_changed_at timestamp(3) with time zone,
  muted_until timestamp(3) with time zone,
  constraint check_groups_account_id_id_key UNIQUE (account_id, id),
  constraint check_groups_pkey PRIMARY KEY (id),
  constraint check_groups_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint check_groups_setup_snippet_id_fkey FOREIGN KEY (setup_snippet_id) REFERENCES snippets(id) ON DELETE SET NULL,
  constraint check_groups_tear_down_snippet_id_fkey FOREIGN KEY (tear_down_snippet_id) REFERENCES snippets(id) ON DELETE SET NULL
);
comment on column check_groups.settings is 'apiCheckDefaults, browserCheckDefaults, environmentVariables and the local scripts.';
comment on column check_groups.activation_changed_at is 'When the group was last activated or deactivated; null: never since it was created.';
comment on column check_groups.muted_until is 'Alerts of its checks are silenced until then, besides `muted`. A loop of the server clears it.';
CREATE INDEX check_groups_muted_until ON check_groups USING btree (muted_until) WHERE (muted_until IS NOT NULL);
comment on index check_groups_muted_until is 'The loop that ends mutes.';

create table check_sessions (
  id uuid not null,
  account_id uuid not null,
  check_id uuid not null,
  check_type text not null,
  name text not null,
  status text not null,
  run_source text,
  run_locations text[] not null,
  options jsonb not null,
  expected smallint not null,
  done smallint default 0 not null,
  failed smallint default 0 not null,
  degraded smallint default 0 not null,
  errors smallint default 0 not null,
  timed_out smallint default 0 not null,
  cancelled smallint default 0 not null,
  started_at timestamp(3) with time zone not null,
  stopped_at timestamp(3) with time zone,
  constraint check_sessions_pkey PRIMARY KEY (id),
  constraint check_sessions_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE
);
comment on column check_sessions.options is 'What the runs of this session are given beyond the check: environmentUrl, refreshCache; sealed where secret.';
CREATE INDEX check_sessions_list ON check_sessions USING btree (account_id, started_at DESC, id);
comment on index check_sessions_list is 'GET /v1/sessions: the latest first.';
CREATE INDEX check_sessions_started ON check_sessions USING btree (started_at);
comment on index check_sessions_started is 'Retention: the oldest go.';

create table check_statuses (
  check_id uuid not null,
  account_id uuid not null,
  has_failures boolean not null,
  has_errors boolean not null,
  is_degraded boolean not null,
  longest_run real,
  shortest_run real,
  last_run_location text,
  last_check_run_id text,
  ssl_days_remaining integer,
  decided_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  known_at timestamp(3) with time zone,
  state_since timestamp(3) with time zone,
  failure_message text,
  ran_at jsonb,
  constraint check_statuses_pkey PRIMARY KEY (check_id),
  constraint check_statuses_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE
);
comment on column check_statuses.known_at is 'When the last run ended that said something about the target: an error of our own says nothing.';
comment on column check_statuses.state_since is 'When the run ended that brought the check into the state in which its last run left it.';
comment on column check_statuses.failure_message is 'Of the last run, when it failed.';
comment on column check_statuses.ran_at is 'The agent that ran the last run: {agentId, agentName, isBuiltIn}.';
CREATE INDEX check_statuses_account ON check_statuses USING btree (account_id);
comment on index check_statuses_account is 'GET /v1/check-statuses.';

create table check_summaries (
  check_id uuid not null,
  account_id uuid not null,
  until timestamp(0) with time zone not null,
  is_outdated boolean default true not null,
  runs_24h integer default 0 not null,
  passed_24h integer default 0 not null,
  executed_24h integer default 0 not null,
  runs_7d integer default 0 not null,
  passed_7d integer default 0 not null,
  p95_24h real,
  constraint check_summaries_pkey PRIMARY KEY (check_id)
);
comment on table check_summaries is 'Sums over the rollups of the hours before `until`. Without a reference, since a roll-up must not fail when its check is deleted meanwhile; the loop that refreshes summaries deletes those of deleted checks.';
comment on column check_summaries.is_outdated is 'An hour was rolled up since.';
comment on column check_summaries.executed_24h is 'Scheduled runs, as coverage counts them.';
comment on column check_summaries.p95_24h is 'Of the response time, in milliseconds.';
CREATE INDEX check_summaries_account ON check_summaries USING btree (account_id);
comment on index check_summaries_account is 'GET /v1/overview/checks.';
CREATE INDEX check_summaries_due ON check_summaries USING btree (until) WHERE (is_outdated OR (runs_7d > 0));
comment on index check_summaries_due is 'The loop that refreshes them: the oldest first.';

create table checks (
  id uuid not null,
  account_id uuid not null,
  check_type text not null,
  name text not null,
  description text,
  activated boolean not null,
  muted boolean not null,
  should_fail boolean not null,
  double_check boolean not null,
  locations text[],
  private_locations text[],
  tags text[] not null,
  frequency integer not null,
  frequency_offset integer,
  run_parallel boolean not null,
  group_id integer,
  group_order integer,
  runtime_id text,
  use_global_alert_settings boolean not null,
  alert_settings jsonb,
  retry_strategy jsonb,
  trigger_incident jsonb,
  setup_snippet_id integer,
  tear_down_snippet_id integer,
  settings jsonb not null,
  dependencies jsonb,
  ping_token uuid,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  activation_changed_at timestamp(3) with time zone,
  muted_until timestamp(3) with time zone,
  constraint checks_account_id_id_key UNIQUE (account_id, id),
  constraint checks_ping_token UNIQUE (ping_token),
  constraint checks_pkey PRIMARY KEY (id),
  constraint checks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint checks_group FOREIGN KEY (account_id, group_id) REFERENCES check_groups(account_id, id),
  constraint checks_setup_snippet_id_fkey FOREIGN KEY (setup_snippet_id) REFERENCES snippets(id) ON DELETE SET NULL,
  constraint checks_tear_down_snippet_id_fkey FOREIGN KEY (tear_down_snippet_id) REFERENCES snippets(id) ON DELETE SET NULL
);
comment on column checks.settings is 'What belongs to the check type, checked by its contract: request, script, heartbeat, ….';
comment on column checks.dependencies is 'Files beside a script; apart from settings, since lists never read them.';
comment on column checks.activation_changed_at is 'When the check was last activated or deactivated; null: never since it was created.';
comment on column checks.muted_until is 'Alerts are silenced until then, besides `muted`. A loop of the server clears it.';
CREATE INDEX checks_code_bundle ON checks USING btree (account_id, ((settings ->> 'codeBundlePath'::text))) WHERE (settings ? 'codeBundlePath'::text);
comment on index checks_code_bundle is 'Retention: whether a check still names a code bundle.';
CREATE INDEX checks_in_group ON checks USING btree (account_id, group_id) WHERE (group_id IS NOT NULL);
comment on index checks_in_group is 'The checks of a group, and whether it may be deleted.';
CREATE INDEX checks_list ON checks USING btree (account_id, created_at DESC, id);
comment on index checks_list is 'GET /v1/checks: newest first.';
CREATE INDEX checks_muted_until ON checks USING btree (muted_until) WHERE (muted_until IS NOT NULL);
comment on index checks_muted_until is 'The loop that ends mutes.';
CREATE INDEX checks_tags ON checks USING gin (tags);
comment on index checks_tags is 'GET /v1/checks?tag= and everything that selects by tags.';

create table client_certificates (
  id uuid not null,
  account_id uuid not null,
  host text not null,
  cert text not null,
  ca text,
  private_key jsonb,
  passphrase jsonb,
  created_at timestamp(3) with time zone default now() not null,
  constraint client_certificates_pkey PRIMARY KEY (id),
  constraint client_certificates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX client_certificates_account ON client_certificates USING btree (account_id, created_at);
comment on index client_certificates_account is 'The list of certificates, newest last.';

create table code_bundles (
  account_id uuid not null,
  path text not null,
  sha256 text not null,
  size_bytes bigint not null,
  created_at timestamp(3) with time zone default now() not null,
  last_used_at timestamp(3) with time zone not null,
  constraint code_bundles_pkey PRIMARY KEY (account_id, path),
  constraint code_bundles_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on table code_bundles is 'What clients uploaded: archives of suites, which checks name by their path, and snapshots to compare with.';
CREATE INDEX code_bundles_of_blob ON code_bundles USING btree (account_id, sha256);
comment on index code_bundles_of_blob is 'Releasing blobs: whether one is still referred to.';
CREATE INDEX code_bundles_used ON code_bundles USING btree (last_used_at);
comment on index code_bundles_used is 'Retention: those that nobody used for long.';

create table code_turns (
  account_id uuid not null,
  claimed_at timestamp(3) with time zone not null,
  constraint code_turns_pkey PRIMARY KEY (account_id),
  constraint code_turns_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on table code_turns is 'When a run of code of the account was last claimed. Among accounts with equally many runs on an agent, the one with the oldest turn goes first.';

create table coverage (
  account_id uuid not null,
  check_id uuid not null,
  hour timestamp(0) with time zone not null,
  location text not null,
  executed integer default 0 not null,
  skipped integer default 0 not null,
  missed integer default 0 not null,
  reasons jsonb default '{}'::jsonb not null,
  lag bytea,
  constraint coverage_pkey PRIMARY KEY (check_id, hour, location)
) partition by RANGE (hour);
comment on column coverage.executed is 'Counted when the hour is folded, like lag; skipped and missed slots are added as they happen.';
CREATE INDEX coverage_gaps ON ONLY coverage USING btree (account_id, hour) WHERE ((missed > 0) OR (skipped > 0));
comment on index coverage_gaps is 'GET /v1/overview: most hours have no gap.';

create table dashboard_incident_updates (
  id uuid not null,
  account_id uuid not null,
  incident_id uuid not null,
  status text not null,
  description text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint dashboard_incident_updates_pkey PRIMARY KEY (id),
  constraint dashboard_incident_updates_account_id_incident_id_fkey FOREIGN KEY (account_id, incident_id) REFERENCES dashboard_incidents(account_id, id) ON DELETE CASCADE
);
CREATE INDEX dashboard_incident_updates_incident ON dashboard_incident_updates USING btree (incident_id, created_at DESC);
comment on index dashboard_incident_updates_incident is 'The updates of an incident, newest first.';

create table dashboard_incidents (
  id uuid not null,
  account_id uuid not null,
  dashboard_id integer not null,
  name text not null,
  impact text not null,
  started_at timestamp(3) with time zone not null,
  stopped_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint dashboard_incidents_account_id_id_key UNIQUE (account_id, id),
  constraint dashboard_incidents_pkey PRIMARY KEY (id),
  constraint dashboard_incidents_account_id_dashboard_id_fkey FOREIGN KEY (account_id, dashboard_id) REFERENCES dashboards(account_id, id) ON DELETE CASCADE
);
CREATE INDEX dashboard_incidents_dashboard ON dashboard_incidents USING btree (dashboard_id, started_at DESC);
comment on index dashboard_incidents_dashboard is 'The incidents shown on a dashboard, newest first.';

create table dashboard_keys (
  id uuid not null,
  account_id uuid not null,
  dashboard_id integer not null,
  hash bytea not null,
  masked_key text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  sealed_key jsonb,
  constraint dashboard_keys_hash_key UNIQUE (hash),
  constraint dashboard_keys_pkey PRIMARY KEY (id),
  constraint dashboard_keys_account_id_dashboard_id_fkey FOREIGN KEY (account_id, dashboard_id) REFERENCES dashboards(account_id, id) ON DELETE CASCADE
);
comment on column dashboard_keys.sealed_key is 'The whole key, sealed. Null for keys of earlier releases, which stored only the hash.';
CREATE INDEX dashboard_keys_dashboard ON dashboard_keys USING btree (dashboard_id);
comment on index dashboard_keys_dashboard is 'The keys shown with a dashboard.';

create table dashboards (
  id integer generated always as identity not null,
  account_id uuid not null,
  dashboard_id text not null,
  custom_url text,
  custom_domain text,
  is_private boolean not null,
  tags text[] not null,
  settings jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint dashboards_account_id_id_key UNIQUE (account_id, id),
  constraint dashboards_dashboard_id UNIQUE (dashboard_id),
  constraint dashboards_pkey PRIMARY KEY (id),
  constraint dashboards_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX dashboards_custom_domain ON dashboards USING btree (lower(custom_domain));
comment on index dashboards_custom_domain is 'A domain belongs to one dashboard of all accounts.';
CREATE UNIQUE INDEX dashboards_custom_url ON dashboards USING btree (lower(custom_url));
comment on index dashboards_custom_url is 'A subdomain name belongs to one dashboard of all accounts.';

create table deployments (
  id uuid not null,
  account_id uuid not null,
  environment_name text,
  environment_url text,
  repository text,
  sha text,
  deployment_id text,
  check_id uuid,
  group_id integer,
  created_at timestamp(3) with time zone default now() not null,
  constraint deployments_pkey PRIMARY KEY (id),
  constraint deployments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on table deployments is 'Marks of when something was deployed, so that a change in results can be laid beside it.';
CREATE INDEX deployments_list ON deployments USING btree (account_id, created_at DESC, id);
comment on index deployments_list is 'The deployments of an account, latest first.';

create table drafts (
  id uuid not null,
  account_id uuid not null,
  test_session_id uuid not null,
  check_type text not null,
  check_id uuid,
  code_bundle_path text,
  sealed_check jsonb not null,
  sealed_group jsonb,
  constraint drafts_account_id_id_key UNIQUE (account_id, id),
  constraint drafts_pkey PRIMARY KEY (id),
  constraint drafts_account_id_test_session_id_fkey FOREIGN KEY (account_id, test_session_id) REFERENCES test_sessions(account_id, id) ON DELETE CASCADE
);
comment on table drafts is 'Checks that are not stored, of test sessions that are not over.';
comment on column drafts.check_id is 'The stored check that is being edited. No reference: it may be deleted meanwhile.';
comment on column drafts.code_bundle_path is 'Of a suite: retention keeps the bundle.';
comment on column drafts.sealed_check is 'The whole check as one sealed text.';
comment on column drafts.sealed_group is 'A group that is not stored either, as one sealed text.';
CREATE INDEX drafts_session ON drafts USING btree (test_session_id);
comment on index drafts_session is 'The drafts of a session that is over.';

create table error_groups (
  id uuid not null,
  account_id uuid not null,
  check_id uuid not null,
  error_hash text not null,
  raw_error_message text,
  cleaned_error_message text not null,
  first_seen timestamp(3) with time zone not null,
  last_seen timestamp(3) with time zone not null,
  archived_until_next_event boolean default false not null,
  archived_for_ever boolean default false not null,
  constraint error_groups_hash UNIQUE (check_id, error_hash),
  constraint error_groups_pkey PRIMARY KEY (id),
  constraint error_groups_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE
);
CREATE INDEX error_groups_list ON error_groups USING btree (account_id, last_seen DESC, id);
comment on index error_groups_list is 'GET /v1/error-groups: the latest first.';

create table heartbeat_events (
  id uuid not null,
  account_id uuid not null,
  check_id uuid not null,
  state text not null,
  occurred_at timestamp(3) with time zone not null,
  source text,
  user_agent text,
  constraint heartbeat_events_pkey PRIMARY KEY (check_id, id)
);
CREATE INDEX heartbeat_events_of_check ON heartbeat_events USING btree (check_id, occurred_at DESC);
comment on index heartbeat_events_of_check is 'The events of a monitor, and its availability.';

create table heartbeats (
  check_id uuid not null,
  account_id uuid not null,
  period_ms bigint not null,
  grace_ms bigint not null,
  last_ping_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone,
  deadline_at timestamp(3) with time zone,
  constraint heartbeats_pkey PRIMARY KEY (check_id),
  constraint heartbeats_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE
);
comment on table heartbeats is 'When each heartbeat monitor expects its next ping; nothing is expected before the first one.';
CREATE INDEX heartbeats_deadline ON heartbeats USING btree (deadline_at) WHERE (deadline_at IS NOT NULL);
comment on index heartbeats_deadline is 'The deadlines that have passed.';

create table identities (
  id uuid not null,
  user_id uuid not null,
  issuer text not null,
  subject text not null,
  email text,
  created_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone not null,
  constraint identities_subject UNIQUE (issuer, subject),
  constraint identities_pkey PRIMARY KEY (id),
  constraint identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on table identities is 'Issuer and subject name a person for good; an email may pass to someone else.';
comment on column identities.email is 'As the provider had it at the last sign-in; only shown.';
CREATE INDEX identities_user ON identities USING btree (user_id);
comment on index identities_user is 'The identities of a user.';

create table import_plans (
  id uuid not null,
  account_id uuid not null,
  project_id uuid not null,
  resources jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  applied_at timestamp(3) with time zone,
  committed_at timestamp(3) with time zone,
  constraint import_plans_account_id_id_key UNIQUE (account_id, id),
  constraint import_plans_pkey PRIMARY KEY (id),
  constraint import_plans_account_id_project_id_fkey FOREIGN KEY (account_id, project_id) REFERENCES projects(account_id, id) ON DELETE CASCADE
);
comment on table import_plans is 'Resources of the account that a project takes over.';
comment on column import_plans.resources is 'Which resources, and the logical ids they get. Without their settings, which may hold secrets.';
CREATE INDEX import_plans_project ON import_plans USING btree (project_id, created_at);
comment on index import_plans_project is 'The plans of a project.';

create table incident_services (
  account_id uuid not null,
  incident_id uuid not null,
  service_id uuid not null,
  severity text,
  constraint incident_services_pkey PRIMARY KEY (incident_id, service_id),
  constraint incident_services_account_id_incident_id_fkey FOREIGN KEY (account_id, incident_id) REFERENCES incidents(account_id, id) ON DELETE CASCADE,
  constraint incident_services_account_id_service_id_fkey FOREIGN KEY (account_id, service_id) REFERENCES status_page_services(account_id, id) ON DELETE CASCADE
);
comment on column incident_services.severity is 'How bad the incident is for this service; null: as bad as the incident.';
CREATE INDEX incident_services_service ON incident_services USING btree (service_id);
comment on index incident_services_service is 'The incidents of a service.';

create table incident_templates (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  incident jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint incident_templates_pkey PRIMARY KEY (id),
  constraint incident_templates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on column incident_templates.incident is 'The body of a request that opens an incident.';
CREATE UNIQUE INDEX incident_templates_name ON incident_templates USING btree (account_id, lower(name));
comment on index incident_templates_name is 'Names are unique in an account; also the list of an account.';

create table incident_updates (
  id uuid not null,
  account_id uuid not null,
  incident_id uuid not null,
  status text not null,
  description text not null,
  public_incident_update_date timestamp(3) with time zone not null,
  notify_subscribers boolean not null,
  created_at timestamp(3) with time zone default now() not null,
  constraint incident_updates_pkey PRIMARY KEY (id),
  constraint incident_updates_account_id_incident_id_fkey FOREIGN KEY (account_id, incident_id) REFERENCES incidents(account_id, id) ON DELETE CASCADE
);
CREATE INDEX incident_updates_incident ON incident_updates USING btree (incident_id, public_incident_update_date DESC);
comment on index incident_updates_incident is 'The updates of an incident, latest first.';
CREATE INDEX incident_updates_recent ON incident_updates USING btree (account_id, created_at DESC);
comment on index incident_updates_recent is 'GET /v1/overview and GET /v1/events: the latest updates of an account.';

create table incidents (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  severity text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  postmortem text,
  postmortem_at timestamp(3) with time zone,
  constraint incidents_account_id_id_key UNIQUE (account_id, id),
  constraint incidents_pkey PRIMARY KEY (id),
  constraint incidents_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on column incidents.postmortem_at is 'When the postmortem was last changed; null: there is none.';
CREATE INDEX incidents_list ON incidents USING btree (account_id, created_at DESC, id);
comment on index incidents_list is 'GET /v1/status-pages/incidents by cursor, latest first.';

create table instance (
  key text not null,
  value jsonb not null,
  constraint instance_pkey PRIMARY KEY (key)
);
comment on table instance is 'Facts of this installation, such as the fingerprint of its secret key.';

create table invites (
  id uuid not null,
  account_id uuid not null,
  email text not null,
  role text not null,
  inviter_email text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  constraint invites_pkey PRIMARY KEY (id),
  constraint invites_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX invites_account ON invites USING btree (account_id);
comment on index invites_account is 'The member list of an account.';

create table location_alarms (
  id uuid not null,
  account_id uuid not null,
  queue text not null,
  location text not null,
  kind text not null,
  check_count integer not null,
  facts jsonb not null,
  opened_at timestamp(3) with time zone not null,
  resolved_at timestamp(3) with time zone,
  cause text,
  check_ids uuid[] default '{}'::uuid[] not null,
  constraint location_alarms_pkey PRIMARY KEY (id),
  constraint location_alarms_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on table location_alarms is 'Checks that do not run: a location without an agent, or runs overdue there. One for all checks of a location.';
comment on column location_alarms.cause is 'no_agent, unserved_type, overdue or server_outage; null: as its kind says.';
comment on column location_alarms.check_ids is 'Of alarms about checks whose state is unknown: all of them.';
CREATE INDEX location_alarms_list ON location_alarms USING btree (account_id, opened_at DESC, id);
comment on index location_alarms_list is 'The alarms of an account, latest first.';
CREATE UNIQUE INDEX location_alarms_open ON location_alarms USING btree (account_id, queue, kind) WHERE (resolved_at IS NULL);
comment on index location_alarms_open is 'At most one open alarm of a kind.';

create table mails (
  id uuid not null,
  account_id uuid not null,
  kind text not null,
  recipient text not null,
  facts jsonb not null,
  subscription_id uuid,
  status text not null,
  result text,
  attempts smallint default 0 not null,
  due_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint mails_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES status_page_subscriptions(id) ON DELETE CASCADE
);
comment on table mails is 'What is mailed to subscribers of status pages and to owners of accounts: to be delivered, and then the log of it.';
CREATE INDEX mails_created ON mails USING btree (created_at);
comment on index mails_created is 'Retention: the oldest go.';
CREATE INDEX mails_due ON mails USING btree (due_at) WHERE (due_at IS NOT NULL);
comment on index mails_due is 'The claim: what is due.';
CREATE UNIQUE INDEX mails_incident_update ON mails USING btree (subscription_id, ((facts ->> 'updateId'::text))) WHERE (kind = 'incident_update'::text);
comment on index mails_incident_update is 'An update of an incident is mailed to a subscriber once.';

create table maintenance_notices (
  account_id uuid not null,
  window_id integer not null,
  starts_at timestamp(3) with time zone not null,
  kind text not null,
  minutes_before integer not null,
  created_at timestamp(3) with time zone not null,
  constraint maintenance_notices_pkey PRIMARY KEY (window_id, starts_at, kind, minutes_before),
  constraint maintenance_notices_account_id_window_id_fkey FOREIGN KEY (account_id, window_id) REFERENCES maintenance_windows(account_id, id) ON DELETE CASCADE
);
comment on table maintenance_notices is 'Which notices about an occurrence were written to the outbox, or passed because they are turned off. Kept until no notice about it can follow.';

create table maintenance_windows (
  id integer generated always as identity not null,
  account_id uuid not null,
  name text not null,
  tags text[] not null,
  starts_at timestamp(3) with time zone not null,
  ends_at timestamp(3) with time zone not null,
  repeat_interval integer,
  repeat_unit text,
  repeat_ends_at timestamp(3) with time zone,
  pause_all_checks boolean not null,
  silence_all_alerts boolean not null,
  silence_alerts_tags text[] not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  timezone text,
  description text,
  status_page_visibility jsonb,
  notices_due_at timestamp(3) with time zone,
  constraint maintenance_windows_account_id_id_key UNIQUE (account_id, id),
  constraint maintenance_windows_pkey PRIMARY KEY (id),
  constraint maintenance_windows_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on column maintenance_windows.timezone is 'IANA name by which repeats keep their hour; null: UTC.';
comment on column maintenance_windows.status_page_visibility is 'The pages and services, and how they show the window; null: no page does. Its ids are kept in step when pages and services are deleted.';
comment on column maintenance_windows.notices_due_at is 'When to look for notices next; null: no status page shows the window.';
CREATE INDEX maintenance_windows_notices ON maintenance_windows USING btree (notices_due_at) WHERE (notices_due_at IS NOT NULL);
comment on index maintenance_windows_notices is 'The claim: windows whose notices are due.';

create table memberships (
  account_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint memberships_pkey PRIMARY KEY (account_id, user_id),
  constraint memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX memberships_user ON memberships USING btree (user_id);
comment on index memberships_user is 'The accounts that a user key reaches.';

create table metrics_tokens (
  id uuid not null,
  account_id uuid not null,
  hash bytea not null,
  masked_key text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint metrics_tokens_hash UNIQUE (hash),
  constraint metrics_tokens_pkey PRIMARY KEY (id),
  constraint metrics_tokens_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on table metrics_tokens is 'What a Prometheus server shows to read the metrics of an account.';
CREATE INDEX metrics_tokens_account ON metrics_tokens USING btree (account_id);
comment on index metrics_tokens_account is 'The tokens of an account.';

create table missed_runs (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamp(3) with time zone not null,
  run_id uuid not null,
  location text not null,
  reason text not null,
  created_at timestamp(3) with time zone default now() not null,
  constraint missed_runs_pkey PRIMARY KEY (check_id, scheduled_at, run_id)
);
comment on table missed_runs is 'Runs that were claimed and then given up: a late result of one takes the mark away again.';

create table one_time_links (
  hash bytea not null,
  kind text not null,
  user_id uuid,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  invite_id uuid,
  email text,
  constraint one_time_links_pkey PRIMARY KEY (hash),
  constraint one_time_links_invite_id_fkey FOREIGN KEY (invite_id) REFERENCES invites(id) ON DELETE CASCADE,
  constraint one_time_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint one_time_links_email CHECK (((kind = 'email'::text) = (email IS NOT NULL))),
  constraint one_time_links_owner CHECK ((num_nonnulls(user_id, invite_id) = 1))
);
comment on table one_time_links is 'Deleted when they are used. Not part of backups.';
comment on column one_time_links.hash is 'SHA-256 of the token in the link.';
comment on column one_time_links.kind is 'setup, reset, invite or email.';
comment on column one_time_links.email is 'The new address that a link of kind email confirms.';
CREATE INDEX one_time_links_invite ON one_time_links USING btree (invite_id);
comment on index one_time_links_invite is 'The link that ends with its invite.';
CREATE INDEX one_time_links_user ON one_time_links USING btree (user_id);
comment on index one_time_links_user is 'The links that a new password ends.';

create table outages (
  began_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone not null,
  constraint outages_pkey PRIMARY KEY (began_at)
);
comment on table outages is 'When no server was alive: what was due then was missed for that reason.';

create table page_domains (
  domain text not null,
  account_id uuid not null,
  dashboard_id integer,
  status_page_id uuid,
  created_at timestamp(3) with time zone default now() not null,
  check_at timestamp(3) with time zone not null,
  proven_at timestamp(3) with time zone,
  missing_since timestamp(3) with time zone,
  problem text,
  constraint page_domains_dashboard UNIQUE (dashboard_id),
  constraint page_domains_status_page UNIQUE (status_page_id),
  constraint page_domains_pkey PRIMARY KEY (domain),
  constraint page_domains_account_id_dashboard_id_fkey FOREIGN KEY (account_id, dashboard_id) REFERENCES dashboards(account_id, id) ON DELETE CASCADE,
  constraint page_domains_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint page_domains_account_id_status_page_id_fkey FOREIGN KEY (account_id, status_page_id) REFERENCES status_pages(account_id, id) ON DELETE CASCADE,
  constraint page_domains_check CHECK ((num_nonnulls(dashboard_id, status_page_id) = 1))
);
comment on column page_domains.domain is 'In lower case, as browsers send it.';
comment on column page_domains.check_at is 'When its DNS record is looked up next.';
comment on column page_domains.proven_at is 'Since when the record proves that the domain belongs to the account; null: it does not.';
comment on column page_domains.missing_since is 'Since when the record of a proven domain is gone.';
comment on column page_domains.problem is 'What the last lookup found instead of the record.';
CREATE INDEX page_domains_due ON page_domains USING btree (check_at);
comment on index page_domains_due is 'The domains whose record is looked up next.';

create table page_images (
  id uuid default gen_random_uuid() not null,
  account_id uuid not null,
  url text not null,
  type text,
  bytes bytea,
  hash text,
  fetched_at timestamp(3) with time zone,
  failure text,
  failures integer default 0 not null,
  due_at timestamp(3) with time zone not null,
  wanted_at timestamp(3) with time zone not null,
  constraint page_images_pkey PRIMARY KEY (id),
  constraint page_images_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint page_images_check CHECK ((((bytes IS NULL) = (hash IS NULL)) AND ((bytes IS NULL) = (type IS NULL))))
);
comment on table page_images is 'One row per account and address. The last good image stays while the address fails.';
comment on column page_images.hash is 'SHA-256 of the bytes in hexadecimal; part of the address that visitors load.';
comment on column page_images.failure is 'Why the last attempt gave no image; null: it did.';
comment on column page_images.failures is 'Failed attempts in a row.';
comment on column page_images.due_at is 'When it is fetched next, or when the claim of a server ends.';
comment on column page_images.wanted_at is 'When a page with this address was last saved.';
CREATE INDEX page_images_due ON page_images USING btree (due_at);
comment on index page_images_due is 'The claim of images to fetch.';
CREATE UNIQUE INDEX page_images_url ON page_images USING btree (account_id, md5(url));
comment on index page_images_url is 'The images of a page. Addresses can be too long for an index.';

create unlogged table page_previews (
  id uuid not null,
  account_id uuid not null,
  draft jsonb not null,
  created_at timestamp(3) with time zone not null,
  constraint page_previews_pkey PRIMARY KEY (id),
  constraint page_previews_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on table page_previews is 'Drafts of status pages and dashboards. Adding one deletes those that are over.';
CREATE INDEX page_previews_account ON page_previews USING btree (account_id, created_at DESC);
comment on index page_previews_account is 'Limits the previews of an account.';
CREATE INDEX page_previews_age ON page_previews USING btree (created_at);
comment on index page_previews_age is 'Deletes previews that are over.';

create table page_webhook_deliveries (
  id uuid not null,
  account_id uuid not null,
  webhook_id uuid not null,
  position bigint generated always as identity not null,
  event text not null,
  incident_id uuid not null,
  update_id uuid not null,
  facts jsonb not null,
  status text not null,
  result text,
  attempts smallint default 0 not null,
  due_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  constraint page_webhook_deliveries_pkey PRIMARY KEY (id),
  constraint page_webhook_deliveries_account_id_webhook_id_fkey FOREIGN KEY (account_id, webhook_id) REFERENCES page_webhooks(account_id, id) ON DELETE CASCADE
);
comment on table page_webhook_deliveries is 'What is sent to webhooks of status pages: to be delivered, and then the log of it.';
comment on column page_webhook_deliveries.position is 'Events of an incident are sent in this order.';
comment on column page_webhook_deliveries.facts is 'What is sent, as of the time of the update: the incident or its page may be deleted.';
comment on column page_webhook_deliveries.due_at is 'The next attempt, or the end of a claim; null: it is finished.';
CREATE INDEX page_webhook_deliveries_created ON page_webhook_deliveries USING btree (created_at);
comment on index page_webhook_deliveries_created is 'Retention: the oldest go.';
CREATE INDEX page_webhook_deliveries_due ON page_webhook_deliveries USING btree (due_at) WHERE (due_at IS NOT NULL);
comment on index page_webhook_deliveries_due is 'The claim: what is due.';
CREATE INDEX page_webhook_deliveries_log ON page_webhook_deliveries USING btree (webhook_id, "position" DESC);
comment on index page_webhook_deliveries_log is 'The log of a webhook, latest first.';
CREATE UNIQUE INDEX page_webhook_deliveries_update ON page_webhook_deliveries USING btree (webhook_id, update_id);
comment on index page_webhook_deliveries_update is 'An update is sent to a webhook once.';

create table page_webhooks (
  id uuid not null,
  account_id uuid not null,
  status_page_id uuid not null,
  name text not null,
  url text not null,
  secret jsonb not null,
  events text[] not null,
  activated boolean not null,
  deactivated_reason text,
  failing_since timestamp(3) with time zone,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint page_webhooks_account_id_id_key UNIQUE (account_id, id),
  constraint page_webhooks_pkey PRIMARY KEY (id),
  constraint page_webhooks_account_id_status_page_id_fkey FOREIGN KEY (account_id, status_page_id) REFERENCES status_pages(account_id, id) ON DELETE CASCADE
);
comment on column page_webhooks.secret is 'The key of the signatures, sealed.';
comment on column page_webhooks.failing_since is 'The first failed attempt since the last success.';
CREATE INDEX page_webhooks_page ON page_webhooks USING btree (status_page_id);
comment on index page_webhooks_page is 'The webhooks of a page.';

create table parallel_runs (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamp(3) with time zone not null,
  session_id uuid not null,
  expected smallint not null,
  done smallint not null,
  failed smallint not null,
  degraded smallint not null,
  errors smallint not null,
  decided boolean default false not null,
  deadline_at timestamp(3) with time zone,
  lead jsonb,
  constraint parallel_runs_pkey PRIMARY KEY (check_id, scheduled_at, session_id),
  constraint parallel_runs_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE
);
comment on table parallel_runs is 'One run in several locations at once: decided once, when it is certain what it comes to, or at its deadline.';
comment on column parallel_runs.lead is 'The location that says most: a failed one before a degraded one before the rest.';
CREATE INDEX parallel_runs_deadline ON parallel_runs USING btree (deadline_at) WHERE (NOT decided);
comment on index parallel_runs_deadline is 'Runs that wait for locations that may never report.';

create table passkeys (
  id uuid not null,
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  constraint passkeys_credential UNIQUE (credential_id),
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on column passkeys.credential_id is 'By which the device names it.';
comment on column passkeys.public_key is 'In COSE, as the device sent it.';
comment on column passkeys.counter is 'How often the device has signed, if it counts: a lower number shows a copy.';
CREATE INDEX passkeys_user ON passkeys USING btree (user_id);
comment on index passkeys_user is 'The passkeys of a user.';

create table passwords (
  user_id uuid not null,
  hash text not null,
  changed_at timestamp(3) with time zone not null,
  constraint passwords_pkey PRIMARY KEY (user_id),
  constraint passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on table passwords is 'Users without a row have no password: they use API keys, or choose one by a link.';
comment on column passwords.hash is 'Argon2id with its parameters, as a PHC string.';

create table private_location_keys (
  id uuid not null,
  account_id uuid not null,
  private_location_id uuid not null,
  hash bytea not null,
  masked_key text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint private_location_keys_hash_key UNIQUE (hash),
  constraint private_location_keys_pkey PRIMARY KEY (id),
  constraint private_location_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint private_location_keys_private_location_id_fkey FOREIGN KEY (private_location_id) REFERENCES private_locations(id) ON DELETE CASCADE
);
CREATE INDEX private_location_keys_location ON private_location_keys USING btree (private_location_id);
comment on index private_location_keys_location is 'The keys shown with a location.';

create table private_location_metrics (
  private_location_id uuid not null,
  measured_at timestamp(3) with time zone not null,
  queue_size integer not null,
  oldest_ms bigint not null,
  constraint private_location_metrics_pkey PRIMARY KEY (private_location_id, measured_at),
  constraint private_location_metrics_private_location_id_fkey FOREIGN KEY (private_location_id) REFERENCES private_locations(id) ON DELETE CASCADE
);

create table private_locations (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  slug_name text not null,
  icon text not null,
  proxy_url jsonb,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint private_locations_slug UNIQUE (account_id, slug_name),
  constraint private_locations_pkey PRIMARY KEY (id),
  constraint private_locations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table project_deployments (
  id uuid not null,
  account_id uuid not null,
  project_logical_id text not null,
  kind text not null,
  status text not null,
  progress integer default 0 not null,
  error jsonb,
  result jsonb,
  created_at timestamp(3) with time zone default now() not null,
  started_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  cancel_requested_at timestamp(3) with time zone,
  lease_until timestamp(3) with time zone not null,
  constraint project_deployments_pkey PRIMARY KEY (id),
  constraint project_deployments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint project_deployments_kind CHECK ((kind = ANY (ARRAY['DEPLOY'::text, 'DELETE'::text]))),
  constraint project_deployments_status CHECK ((status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text])))
);
comment on table project_deployments is 'Deployments and deletions of projects. They never hold what was sent: it has secrets.';
comment on column project_deployments.project_logical_id is 'No reference: the project may not exist yet, or not any more.';
comment on column project_deployments.lease_until is 'Its server extends it. After that time it is over: the server was stopped.';
CREATE INDEX project_deployments_age ON project_deployments USING btree (account_id, created_at DESC);
comment on index project_deployments_age is 'Retention.';
CREATE INDEX project_deployments_lease ON project_deployments USING btree (lease_until) WHERE (status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text]));
comment on index project_deployments_lease is 'Those whose server was stopped.';
CREATE UNIQUE INDEX project_deployments_running ON project_deployments USING btree (account_id, project_logical_id) WHERE (status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text]));
comment on index project_deployments_running is 'One at a time for each project.';

create table project_resources (
  account_id uuid not null,
  project_id uuid not null,
  type text not null,
  logical_id text not null,
  physical_id text not null,
  payload_hash text,
  version text,
  source_file text,
  import_plan_id uuid,
  created_at timestamp(3) with time zone default now() not null,
  deployed_at timestamp(3) with time zone,
  constraint project_resources_physical UNIQUE (account_id, type, physical_id),
  constraint project_resources_pkey PRIMARY KEY (project_id, type, logical_id),
  constraint project_resources_account_id_import_plan_id_fkey FOREIGN KEY (account_id, import_plan_id) REFERENCES import_plans(account_id, id) ON DELETE CASCADE,
  constraint project_resources_account_id_project_id_fkey FOREIGN KEY (account_id, project_id) REFERENCES projects(account_id, id) ON DELETE CASCADE
);
comment on table project_resources is 'Which resource of the account a logical id stands for.';
comment on column project_resources.payload_hash is 'Signature of the payload that was deployed last; null: it was imported and never deployed.';
comment on column project_resources.version is 'When the resource was changed by that deployment. Another time now means that it was edited since.';
comment on column project_resources.import_plan_id is 'A plan that is not committed: deployments do not delete the resource.';
CREATE INDEX project_resources_plan ON project_resources USING btree (account_id, import_plan_id) WHERE (import_plan_id IS NOT NULL);
comment on index project_resources_plan is 'The bindings of an import plan.';

create table projects (
  id uuid not null,
  account_id uuid not null,
  logical_id text not null,
  name text not null,
  repo_url text,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint projects_account_id_id_key UNIQUE (account_id, id),
  constraint projects_logical_id UNIQUE (account_id, logical_id),
  constraint projects_pkey PRIMARY KEY (id),
  constraint projects_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on table projects is 'Sets of resources that are deployed together.';

create table quota_usage (
  account_id uuid not null,
  minute_at timestamp(0) with time zone not null,
  runs integer not null,
  constraint quota_usage_pkey PRIMARY KEY (account_id),
  constraint quota_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on table quota_usage is 'The runs of accounts with a limit, in the last minute in which they had any.';

create table quotas (
  account_id uuid,
  runs_per_minute integer,
  code_seconds_per_hour integer,
  artifact_bytes bigint,
  updated_at timestamp(3) with time zone default now() not null,
  constraint quotas_of_account UNIQUE NULLS NOT DISTINCT (account_id),
  constraint quotas_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint quotas_artifact_bytes_check CHECK ((artifact_bytes >= 0)),
  constraint quotas_code_seconds_per_hour_check CHECK ((code_seconds_per_hour >= 0)),
  constraint quotas_runs_per_minute_check CHECK ((runs_per_minute >= 0))
);
comment on table quotas is 'Limits of accounts, set by the operator. A column that is null has no limit.';
comment on column quotas.account_id is 'Null: accounts without a row of their own.';

create unlogged table rate_windows (
  bucket text not null,
  window_start bigint not null,
  used integer not null,
  constraint rate_windows_pkey PRIMARY KEY (bucket)
);
comment on table rate_windows is 'Requests leased per bucket and window, in blocks, by all server processes.';

create table recovery_codes (
  user_id uuid not null,
  hash bytea not null,
  created_at timestamp(3) with time zone not null,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on table recovery_codes is 'Deleted when they are used.';
comment on column recovery_codes.hash is 'SHA-256 of the id of the user and the code, which has 80 random bits.';

create table result_details (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamp(3) with time zone not null,
  run_id uuid not null,
  attempt smallint not null,
  detail text not null,
  constraint result_details_pkey PRIMARY KEY (check_id, scheduled_at, run_id, attempt)
) partition by RANGE (scheduled_at);
comment on column result_details.detail is 'JSON as the agent wrote it, scrubbed; text, since jsonb refuses some of what responses hold.';

create table results (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamp(3) with time zone not null,
  run_id uuid not null,
  attempt smallint not null,
  id uuid not null,
  check_type text not null,
  source text not null,
  result_type text not null,
  location text not null,
  started_at timestamp(3) with time zone not null,
  stopped_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone default now() not null,
  response_time real,
  has_failures boolean not null,
  has_errors boolean not null,
  is_degraded boolean not null,
  is_cancelled boolean not null,
  over_max_response_time boolean not null,
  status_code smallint,
  metrics real[] not null,
  failure_kind text,
  failure_message text,
  check_session_id uuid,
  error_group_ids uuid[],
  agent_id uuid,
  agent_name text,
  is_built_in_agent boolean,
  constraint results_pkey PRIMARY KEY (check_id, scheduled_at, run_id, attempt)
) partition by RANGE (scheduled_at);
comment on column results.id is 'Begins with scheduled_at, as a UUID of version 7: a result is found by its id without an index on it.';
comment on column results.source is 'schedule, session or heartbeat: only scheduled runs count as coverage.';
comment on column results.metrics is 'In the order that the contract has for the check type.';
comment on column results.agent_id is 'The agent process that ran it; null for heartbeats, and for runs recorded before agents were stored.';
comment on column results.agent_name is 'What that agent calls itself: its host name, or AGENT_NAME.';
CREATE INDEX results_failed_of_account ON ONLY results USING btree (account_id, scheduled_at) WHERE has_failures;
comment on index results_failed_of_account is 'GET /v2/check-results?hasFailures=true: failures are rare, so the other index would read many rows for few.';
CREATE INDEX results_of_account ON ONLY results USING btree (account_id, scheduled_at);
comment on index results_of_account is 'GET /v2/check-results: the latest results of an account.';

create table rollup_pending (
  account_id uuid not null,
  check_id uuid not null,
  hour timestamp(0) with time zone not null,
  touched_at timestamp(3) with time zone default now() not null,
  constraint rollup_pending_pkey PRIMARY KEY (check_id, hour)
);
comment on table rollup_pending is 'Hours whose rollups are not written, or have become wrong by a late result: these are read from the results.';
CREATE INDEX rollup_pending_hour ON rollup_pending USING btree (hour);
comment on index rollup_pending_hour is 'The fold: the oldest hours first.';

create table rollups (
  account_id uuid not null,
  check_id uuid not null,
  grain text not null,
  bucket_at timestamp(0) with time zone not null,
  location text not null,
  dimension text not null,
  outcome text not null,
  runs integer not null,
  degraded integer not null,
  retries integer not null,
  sketches bytea[] not null,
  constraint rollups_pkey PRIMARY KEY (check_id, grain, bucket_at, location, dimension, outcome)
) partition by RANGE (bucket_at);
comment on table rollups is 'Final results of an hour or a day, added up; sketches in the order of results.metrics.';
comment on column rollups.dimension is 'The status code of API checks and URL monitors, the page of browser checks.';

create table root_cause_analyses (
  id uuid not null,
  account_id uuid not null,
  error_group_id uuid,
  test_session_error_group_id uuid,
  check_id uuid,
  check_type text,
  status text not null,
  is_automatic boolean not null,
  user_context text not null,
  provider text,
  model text,
  duration_ms integer,
  analysis jsonb,
  attempts smallint default 0 not null,
  due_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  completed_at timestamp(3) with time zone,
  constraint root_cause_analyses_pkey PRIMARY KEY (id),
  constraint root_cause_analyses_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint root_cause_analyses_error_group_id_fkey FOREIGN KEY (error_group_id) REFERENCES error_groups(id) ON DELETE CASCADE,
  constraint root_cause_analyses_test_session_error_group_id_fkey FOREIGN KEY (test_session_error_group_id) REFERENCES test_session_error_groups(id) ON DELETE CASCADE,
  constraint root_cause_analyses_of_one CHECK (((error_group_id IS NULL) <> (test_session_error_group_id IS NULL)))
);
comment on table root_cause_analyses is 'Why a group of errors happens: asked for, then found by rules over the evidence.';
CREATE INDEX root_cause_analyses_due ON root_cause_analyses USING btree (due_at) WHERE (due_at IS NOT NULL);
comment on index root_cause_analyses_due is 'The claim: analyses that are to be made.';
CREATE INDEX root_cause_analyses_of_group ON root_cause_analyses USING btree (error_group_id, created_at DESC);
comment on index root_cause_analyses_of_group is 'The analyses of an error group, latest first.';
CREATE INDEX root_cause_analyses_of_test_group ON root_cause_analyses USING btree (test_session_error_group_id, created_at DESC);
comment on index root_cause_analyses_of_test_group is 'The analyses of an error group of test sessions, latest first.';

create unlogged table run_log_chunks (
  account_id uuid not null,
  test_session_id uuid not null,
  number integer not null,
  sequence_id uuid not null,
  attempt smallint not null,
  lease_id uuid not null,
  first_line integer not null,
  lines text not null,
  bytes integer not null,
  constraint run_log_chunks_lease_id_first_line_key UNIQUE (lease_id, first_line),
  constraint run_log_chunks_pkey PRIMARY KEY (test_session_id, number),
  constraint run_log_chunks_account_id_test_session_id_fkey FOREIGN KEY (account_id, test_session_id) REFERENCES test_sessions(account_id, id) ON DELETE CASCADE
);
comment on table run_log_chunks is 'What agents send while runs of test sessions are in progress; deleted an hour after the session. The result has the whole log.';
comment on column run_log_chunks.number is 'In the order in which chunks of a session were committed: readers resume by it.';
comment on column run_log_chunks.first_line is 'The position of its first line in what the agent sends: a chunk that is sent twice is stored once.';
comment on column run_log_chunks.lines is 'A JSON list of {time, level, msg}, scrubbed by the agent. Text, since jsonb refuses some characters.';

create table saved_views (
  id uuid not null,
  account_id uuid not null,
  user_id uuid,
  name text not null,
  query text not null,
  is_shared boolean not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint saved_views_pkey PRIMARY KEY (id),
  constraint saved_views_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint saved_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on column saved_views.user_id is 'Who made it; null: a service key. Other members see it only if it is shared.';
CREATE INDEX saved_views_account ON saved_views USING btree (account_id, name);
comment on index saved_views_account is 'GET /v1/saved-views.';
CREATE INDEX saved_views_user ON saved_views USING btree (user_id);
comment on index saved_views_user is 'The deletion of a user.';

create table schedule (
  id bigint generated always as identity not null,
  account_id uuid not null,
  check_id uuid,
  lane text not null,
  locations text[] not null,
  queues text[] not null,
  period_ms bigint,
  phase_ms bigint,
  turn integer default 0 not null,
  slot_at timestamp(3) with time zone not null,
  location text not null,
  queue text not null,
  due_at timestamp(3) with time zone not null,
  run_id uuid,
  attempt smallint default 1 not null,
  run_started_at timestamp(3) with time zone,
  counted_to timestamp(3) with time zone,
  lease_id uuid,
  agent_id uuid,
  check_session_id uuid,
  test_session_id uuid,
  give_up_at timestamp(3) with time zone,
  planned_at timestamp(3) with time zone,
  served jsonb default '{}'::jsonb not null,
  draft_id uuid,
  constraint schedule_lane UNIQUE (check_id, lane),
  constraint schedule_pkey PRIMARY KEY (id),
  constraint schedule_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE,
  constraint schedule_account_id_draft_id_fkey FOREIGN KEY (account_id, draft_id) REFERENCES drafts(account_id, id) ON DELETE CASCADE,
  constraint schedule_of_one CHECK (((check_id IS NULL) <> (draft_id IS NULL)))
);
comment on table schedule is 'The schedule, which is also the queue: in a lane at most one run is in progress, a waiting retry included.';
comment on column schedule.lane is 'Empty for the scheduled runs of a check, a location''s name for those of a parallel one, a session and location for an on-demand run.';
comment on column schedule.locations is 'Where its runs are made in turn, and in queues the queue of each.';
comment on column schedule.period_ms is 'Null: an on-demand run, whose row goes when it is done.';
comment on column schedule.slot_at is 'The slot that is waited for, or whose run is in progress; when an on-demand run was asked for.';
comment on column schedule.queue is 'Whose agents may claim it: a data-center region, or the id of a private location.';
comment on column schedule.due_at is 'From when on it may be claimed: its slot, the time of a retry, or the end of a lease.';
comment on column schedule.run_id is 'Set while a run is in progress, whether leased or waiting for a retry.';
comment on column schedule.run_started_at is 'When the first attempt was claimed: retries have a limit in time.';
comment on column schedule.counted_to is 'The plan changed while the run was in progress: up to then slots are counted, by the rhythm they had.';
comment on column schedule.give_up_at is 'An on-demand run that nobody claimed by then is timed out.';
comment on column schedule.planned_at is 'Since when it goes round these locations.';
comment on column schedule.served is 'By location, in epoch milliseconds: when its last run there ended.';
CREATE INDEX schedule_check_session ON schedule USING btree (check_session_id) WHERE (check_session_id IS NOT NULL);
comment on index schedule_check_session is 'The runs of a check session that are not done.';
CREATE UNIQUE INDEX schedule_draft_lane ON schedule USING btree (draft_id, lane) WHERE (draft_id IS NOT NULL);
comment on index schedule_draft_lane is 'The lanes of a draft that is deleted.';
CREATE INDEX schedule_due ON schedule USING btree (queue, due_at);
comment on index schedule_due is 'The claim: what is due in the queues of an agent.';
CREATE INDEX schedule_due_of_account ON schedule USING btree (queue, account_id, due_at);
comment on index schedule_due_of_account is 'The claim, when runs are late: what is due for each account.';
CREATE INDEX schedule_test_session ON schedule USING btree (test_session_id) WHERE (test_session_id IS NOT NULL);
comment on index schedule_test_session is 'The runs of a test session that are not done.';

create table schema_migrations (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp(3) with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (number)
);

create table servers (
  id uuid not null,
  started_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  constraint servers_pkey PRIMARY KEY (id)
);
comment on table servers is 'The server processes on this store; one that is not seen for a while is gone.';

create unlogged table sign_in_attempts (
  bucket text not null,
  failures integer not null,
  failed_at timestamp(3) with time zone not null,
  retry_at timestamp(3) with time zone not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (bucket)
);
comment on table sign_in_attempts is 'Failed attempts by client, and by client and user.';
comment on column sign_in_attempts.bucket is 'An address, or the hash of an address and an email.';
comment on column sign_in_attempts.retry_at is 'Before that time further attempts are refused.';

create unlogged table sign_in_challenges (
  hash bytea not null,
  kind text not null,
  user_id uuid,
  facts jsonb,
  expires_at timestamp(3) with time zone not null,
  constraint sign_in_challenges_pkey PRIMARY KEY (hash),
  constraint sign_in_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on table sign_in_challenges is 'What a sign-in or a new factor waits for. Deleted when it is used. Not part of backups.';
comment on column sign_in_challenges.hash is 'SHA-256 of the token or challenge that the client sends back.';
comment on column sign_in_challenges.kind is 'second_factor, totp_enrollment, passkey_registration, passkey or single_sign_on.';
comment on column sign_in_challenges.facts is 'What the next step needs; secrets are sealed.';
CREATE INDEX sign_in_challenges_user ON sign_in_challenges USING btree (user_id);
comment on index sign_in_challenges_user is 'The challenges that a new password or factor ends.';

create table sign_ins (
  id uuid not null,
  user_id uuid not null,
  hash bytea not null,
  user_agent text,
  address text not null,
  signed_in_at timestamp(3) with time zone not null,
  confirmed_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  constraint sign_ins_hash UNIQUE (hash),
  constraint sign_ins_pkey PRIMARY KEY (id),
  constraint sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on table sign_ins is 'Not part of backups: a restore must not revive a sign-in that was ended.';
comment on column sign_ins.hash is 'SHA-256 of the value of the cookie.';
comment on column sign_ins.confirmed_at is 'When the password was last entered.';
CREATE INDEX sign_ins_user ON sign_ins USING btree (user_id);
comment on index sign_ins_user is 'The sign-ins of a user.';

create table snippets (
  id integer generated always as identity not null,
  account_id uuid not null,
  name text not null,
  script text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint snippets_account_id_id_key UNIQUE (account_id, id),
  constraint snippets_pkey PRIMARY KEY (id),
  constraint snippets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table ssl_notices (
  check_id uuid not null,
  account_id uuid not null,
  alert_channel_id integer not null,
  expires_at timestamp(3) with time zone not null,
  told_at timestamp(3) with time zone not null,
  constraint ssl_notices_pkey PRIMARY KEY (check_id, alert_channel_id, expires_at),
  constraint ssl_notices_account_id_alert_channel_id_fkey FOREIGN KEY (account_id, alert_channel_id) REFERENCES alert_channels(account_id, id) ON DELETE CASCADE,
  constraint ssl_notices_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE
);
comment on table ssl_notices is 'Which channels know that a certificate is about to expire.';
comment on column ssl_notices.expires_at is 'About when, as it was told, give or take two days: that is how one certificate is known from another.';

create table status_page_automation_rules (
  id uuid not null,
  account_id uuid not null,
  status_page_id uuid not null,
  name text not null,
  enabled boolean not null,
  tags text[] not null,
  first_update text not null,
  last_update text not null,
  notify_subscribers boolean not null,
  cool_down_minutes integer not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint status_page_automation_rules_account_id_id_key UNIQUE (account_id, id),
  constraint status_page_automation_rules_account_id_status_page_id_id_key UNIQUE (account_id, status_page_id, id),
  constraint status_page_automation_rules_pkey PRIMARY KEY (id),
  constraint status_page_automation_rules_account_id_status_page_id_fkey FOREIGN KEY (account_id, status_page_id) REFERENCES status_pages(account_id, id) ON DELETE CASCADE
);
CREATE INDEX status_page_automation_rules_page ON status_page_automation_rules USING btree (status_page_id, created_at);
comment on index status_page_automation_rules_page is 'The rules of a page.';

create table status_page_components (
  id uuid default gen_random_uuid() not null,
  account_id uuid not null,
  status_page_id uuid not null,
  parent_id uuid,
  service_id uuid,
  owns_service boolean default false not null,
  name text,
  description text,
  hidden boolean default false not null,
  display_order integer not null,
  configuration jsonb default '{}'::jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint status_page_components_account_id_status_page_id_id_key UNIQUE (account_id, status_page_id, id),
  constraint status_page_components_pkey PRIMARY KEY (id),
  constraint status_page_components_account_id_service_id_fkey FOREIGN KEY (account_id, service_id) REFERENCES status_page_services(account_id, id) ON DELETE CASCADE,
  constraint status_page_components_account_id_status_page_id_fkey FOREIGN KEY (account_id, status_page_id) REFERENCES status_pages(account_id, id) ON DELETE CASCADE,
  constraint status_page_components_account_id_status_page_id_parent_id_fkey FOREIGN KEY (account_id, status_page_id, parent_id) REFERENCES status_page_components(account_id, status_page_id, id) ON DELETE CASCADE,
  constraint status_page_components_check CHECK (((service_id IS NOT NULL) OR (name IS NOT NULL)))
);
comment on table status_page_components is 'Groups (without service_id) and services of status pages.';
comment on column status_page_components.owns_service is 'The service was created with the component, has its name, and is deleted with it.';
comment on column status_page_components.name is 'Null: that of the service.';
CREATE INDEX status_page_components_page ON status_page_components USING btree (status_page_id, parent_id, display_order);
comment on index status_page_components_page is 'The components of a page, and those of a group, in their order.';
CREATE UNIQUE INDEX status_page_components_service ON status_page_components USING btree (service_id, status_page_id, parent_id) NULLS NOT DISTINCT WHERE (service_id IS NOT NULL);
comment on index status_page_components_service is 'The pages that show a service; a group has it at most once.';

create table status_page_keys (
  id uuid not null,
  account_id uuid not null,
  status_page_id uuid not null,
  hash bytea not null,
  masked_key text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint status_page_keys_hash_key UNIQUE (hash),
  constraint status_page_keys_pkey PRIMARY KEY (id),
  constraint status_page_keys_account_id_status_page_id_fkey FOREIGN KEY (account_id, status_page_id) REFERENCES status_pages(account_id, id) ON DELETE CASCADE
);
CREATE INDEX status_page_keys_page ON status_page_keys USING btree (status_page_id);
comment on index status_page_keys_page is 'The keys shown with a private page.';

create table status_page_rule_components (
  account_id uuid not null,
  status_page_id uuid not null,
  rule_id uuid not null,
  component_id uuid not null,
  position integer not null,
  impact text not null,
  constraint status_page_rule_components_pkey PRIMARY KEY (rule_id, component_id),
  constraint status_page_rule_components_account_id_status_page_id_comp_fkey FOREIGN KEY (account_id, status_page_id, component_id) REFERENCES status_page_components(account_id, status_page_id, id) ON DELETE CASCADE,
  constraint status_page_rule_components_account_id_status_page_id_rule_fkey FOREIGN KEY (account_id, status_page_id, rule_id) REFERENCES status_page_automation_rules(account_id, status_page_id, id) ON DELETE CASCADE
);
CREATE INDEX status_page_rule_components_component ON status_page_rule_components USING btree (component_id);
comment on index status_page_rule_components_component is 'The rules of a component that is deleted.';

create table status_page_rule_failures (
  account_id uuid not null,
  rule_id uuid not null,
  check_id uuid not null,
  constraint status_page_rule_failures_pkey PRIMARY KEY (rule_id, check_id),
  constraint status_page_rule_failures_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE,
  constraint status_page_rule_failures_account_id_rule_id_fkey FOREIGN KEY (account_id, rule_id) REFERENCES status_page_automation_rules(account_id, id) ON DELETE CASCADE
);
comment on table status_page_rule_failures is 'The failing checks that keep the incident of a rule open.';
CREATE INDEX status_page_rule_failures_check ON status_page_rule_failures USING btree (check_id);
comment on index status_page_rule_failures_check is 'The rules that a recovery concerns.';

create table status_page_rule_incidents (
  rule_id uuid not null,
  account_id uuid not null,
  incident_id uuid not null,
  is_open boolean not null,
  constraint status_page_rule_incidents_pkey PRIMARY KEY (rule_id),
  constraint status_page_rule_incidents_account_id_incident_id_fkey FOREIGN KEY (account_id, incident_id) REFERENCES incidents(account_id, id) ON DELETE CASCADE,
  constraint status_page_rule_incidents_account_id_rule_id_fkey FOREIGN KEY (account_id, rule_id) REFERENCES status_page_automation_rules(account_id, id) ON DELETE CASCADE
);
comment on table status_page_rule_incidents is 'The last incident of a rule. It stays after it is resolved, since a failure within the cool-down opens it again.';
CREATE INDEX status_page_rule_incidents_incident ON status_page_rule_incidents USING btree (incident_id);
comment on index status_page_rule_incidents_incident is 'The rule of an incident that is deleted.';
CREATE INDEX status_page_rule_incidents_open ON status_page_rule_incidents USING btree (rule_id) WHERE is_open;
comment on index status_page_rule_incidents_open is 'Incidents that no failing check keeps open any more.';

create table status_page_services (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  constraint status_page_services_account_id_id_key UNIQUE (account_id, id),
  constraint status_page_services_pkey PRIMARY KEY (id),
  constraint status_page_services_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on column status_page_services.deleted_at is 'Deleted, and kept only because incidents name it; no other query shows it.';
CREATE INDEX status_page_services_list ON status_page_services USING btree (account_id, created_at DESC, id);
comment on index status_page_services_list is 'GET /v1/status-pages/services by cursor.';

create table status_page_subscriptions (
  id uuid not null,
  account_id uuid not null,
  status_page_id uuid not null,
  type text not null,
  address text not null,
  status text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone default now() not null,
  service_ids uuid[],
  constraint status_page_subscriptions_pkey PRIMARY KEY (id),
  constraint status_page_subscriptions_account_id_status_page_id_fkey FOREIGN KEY (account_id, status_page_id) REFERENCES status_pages(account_id, id) ON DELETE CASCADE
);
comment on column status_page_subscriptions.service_ids is 'Mails are about incidents of these; null: of all services. Services may have been deleted since.';
CREATE UNIQUE INDEX status_page_subscriptions_address ON status_page_subscriptions USING btree (status_page_id, lower(address));
comment on index status_page_subscriptions_address is 'One subscription per address and page.';

create table status_pages (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  url text not null,
  custom_domain text,
  is_private boolean not null,
  settings jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  version smallint default 2 not null,
  public_since timestamp(3) with time zone,
  constraint status_pages_account_id_id_key UNIQUE (account_id, id),
  constraint status_pages_pkey PRIMARY KEY (id),
  constraint status_pages_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on column status_pages.version is '2: made of cards; 3: made of components. Only says whether clients must send cards.';
comment on column status_pages.public_since is 'Since when it is public; null: it is private, or was created by release 0.1.0 during an upgrade.';
CREATE UNIQUE INDEX status_pages_custom_domain ON status_pages USING btree (lower(custom_domain));
comment on index status_pages_custom_domain is 'A domain belongs to one page of all accounts.';
CREATE INDEX status_pages_list ON status_pages USING btree (account_id, created_at DESC, id);
comment on index status_pages_list is 'GET /v1/status-pages by cursor.';
CREATE UNIQUE INDEX status_pages_url ON status_pages USING btree (lower(url));
comment on index status_pages_url is 'A slug belongs to one page of all accounts.';

create table test_session_error_groups (
  id uuid not null,
  account_id uuid not null,
  project_id uuid,
  environments text[] not null,
  error_hash text not null,
  raw_error_message text,
  cleaned_error_message text not null,
  first_seen timestamp(3) with time zone not null,
  last_seen timestamp(3) with time zone not null,
  archived_until_next_event boolean default false not null,
  archived_for_ever boolean default false not null,
  pwt_metadata jsonb,
  constraint test_session_error_groups_hash UNIQUE NULLS NOT DISTINCT (account_id, project_id, error_hash),
  constraint test_session_error_groups_pkey PRIMARY KEY (id),
  constraint test_session_error_groups_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX test_session_error_groups_list ON test_session_error_groups USING btree (account_id, last_seen DESC, id);
comment on index test_session_error_groups_list is 'GET /v1/test-session-error-groups: the latest first.';

create table test_session_results (
  id uuid not null,
  account_id uuid not null,
  test_session_id uuid not null,
  check_id uuid,
  check_type text not null,
  name text not null,
  sequence_id uuid not null,
  attempt smallint not null,
  result_type text not null,
  status text not null,
  location text not null,
  private_location_id uuid,
  has_failures boolean default false not null,
  has_errors boolean default false not null,
  is_degraded boolean default false not null,
  is_cancelled boolean default false not null,
  over_max_response_time boolean default false not null,
  response_time real,
  started_at timestamp(3) with time zone,
  stopped_at timestamp(3) with time zone,
  schedule_error text,
  error_group_ids uuid[],
  detail text,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  ran_at jsonb,
  check_run_id uuid,
  logical_id text,
  file_path text,
  constraint test_session_results_attempt UNIQUE (test_session_id, sequence_id, attempt),
  constraint test_session_results_pkey PRIMARY KEY (id),
  constraint test_session_results_account_id_test_session_id_fkey FOREIGN KEY (account_id, test_session_id) REFERENCES test_sessions(account_id, id) ON DELETE CASCADE
);
comment on column test_session_results.check_id is 'No reference: what a test found outlives the check.';
comment on column test_session_results.ran_at is 'The agent that ran it: {agentId, agentName, isBuiltIn}.';
comment on column test_session_results.check_run_id is 'Chosen by the client that started it.';
comment on column test_session_results.logical_id is 'Of the check in the project of the client.';
comment on column test_session_results.file_path is 'The file that defines the check in the project of the client.';

create table test_sessions (
  id uuid not null,
  account_id uuid not null,
  project_id uuid,
  name text not null,
  status text not null,
  provider text not null,
  location text not null,
  private_location_id uuid,
  invoker_user_id uuid,
  metadata jsonb not null,
  options jsonb not null,
  expected integer not null,
  done integer default 0 not null,
  failed integer default 0 not null,
  cancelled integer default 0 not null,
  started_at timestamp(3) with time zone not null,
  stopped_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  is_recorded boolean default true not null,
  suite_id uuid,
  constraint test_sessions_account_id_id_key UNIQUE (account_id, id),
  constraint test_sessions_pkey PRIMARY KEY (id),
  constraint test_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint test_sessions_invoker_user_id_fkey FOREIGN KEY (invoker_user_id) REFERENCES users(id) ON DELETE SET NULL,
  constraint test_sessions_private_location_id_fkey FOREIGN KEY (private_location_id) REFERENCES private_locations(id) ON DELETE SET NULL
);
comment on column test_sessions.options is 'environmentVariables (secret ones sealed), retryStrategy, refreshCache.';
comment on column test_sessions.is_recorded is 'False: not listed, and deleted an hour after its end.';
comment on column test_sessions.suite_id is 'Chosen by the client that started it: it follows the runs under this id.';
CREATE INDEX test_sessions_list ON test_sessions USING btree (account_id, started_at DESC, id);
comment on index test_sessions_list is 'GET /v1/test-sessions: the latest first; retention.';
CREATE INDEX test_sessions_suite ON test_sessions USING btree (account_id, suite_id) WHERE (suite_id IS NOT NULL);
comment on index test_sessions_suite is 'The runs that a command-line client follows.';
CREATE INDEX test_sessions_unrecorded ON test_sessions USING btree (stopped_at) WHERE (NOT is_recorded);
comment on index test_sessions_unrecorded is 'Retention: unrecorded sessions that ended.';

create table totp_factors (
  user_id uuid not null,
  secret jsonb not null,
  last_step bigint not null,
  enrolled_at timestamp(3) with time zone not null,
  constraint totp_factors_pkey PRIMARY KEY (user_id),
  constraint totp_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on table totp_factors is 'Users with a row enter a code after their password.';
comment on column totp_factors.secret is 'Sealed with the id of the user.';
comment on column totp_factors.last_step is 'The 30-second step of the last accepted code: codes up to it no longer work.';

create table triggered_incidents (
  check_id uuid not null,
  account_id uuid not null,
  incident_id uuid not null,
  constraint triggered_incidents_pkey PRIMARY KEY (check_id),
  constraint triggered_incidents_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE,
  constraint triggered_incidents_account_id_incident_id_fkey FOREIGN KEY (account_id, incident_id) REFERENCES incidents(account_id, id) ON DELETE CASCADE
);
comment on table triggered_incidents is 'The incident that a failing check opened, until its recovery resolves it.';

create table triggers (
  id integer generated always as identity not null,
  account_id uuid not null,
  check_id uuid,
  group_id integer,
  token jsonb not null,
  created_at timestamp(3) with time zone default now() not null,
  called_at timestamp(3) with time zone,
  updated_at timestamp(3) with time zone,
  constraint triggers_check UNIQUE (check_id),
  constraint triggers_group UNIQUE (group_id),
  constraint triggers_pkey PRIMARY KEY (id),
  constraint triggers_account_id_check_id_fkey FOREIGN KEY (account_id, check_id) REFERENCES checks(account_id, id) ON DELETE CASCADE,
  constraint triggers_account_id_group_id_fkey FOREIGN KEY (account_id, group_id) REFERENCES check_groups(account_id, id) ON DELETE CASCADE,
  constraint triggers_target CHECK (((check_id IS NULL) <> (group_id IS NULL)))
);

create table unsampled_details (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamp(3) with time zone not null,
  run_id uuid not null,
  attempt smallint not null,
  detail text not null,
  constraint unsampled_details_pkey PRIMARY KEY (check_id, scheduled_at, run_id, attempt)
) partition by RANGE (scheduled_at);
comment on table unsampled_details is 'As result_details, which has the details of all other runs.';

create table users (
  id uuid not null,
  name text,
  email text not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint users_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX users_email ON users USING btree (lower(email));
comment on index users_email is 'One user per address, whatever its case.';

create table variables (
  account_id uuid not null,
  key text not null,
  value jsonb not null,
  locked boolean not null,
  secret boolean not null,
  created_at timestamp(3) with time zone default now() not null,
  updated_at timestamp(3) with time zone,
  constraint variables_pkey PRIMARY KEY (account_id, key),
  constraint variables_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
comment on column variables.value is 'A string, or {"$sealed": …} where the variable is secret or locked.';

create view status_page_card_services as
 SELECT account_id,
    parent_id AS card_id,
    service_id,
    display_order AS "position"
   FROM status_page_components
  WHERE ((parent_id IS NOT NULL) AND (service_id IS NOT NULL));

create view status_page_cards as
 SELECT id,
    account_id,
    status_page_id,
    name,
    display_order AS "position",
    created_at,
    updated_at
   FROM status_page_components
  WHERE ((parent_id IS NULL) AND (service_id IS NULL));

create view status_page_shown_services as
 SELECT c.account_id,
    c.status_page_id,
    c.service_id,
    COALESCE(c.name, service.name) AS name
   FROM (((status_page_components c
     JOIN status_page_services service ON (((service.account_id = c.account_id) AND (service.id = c.service_id))))
     LEFT JOIN status_page_components parent ON (((parent.account_id = c.account_id) AND (parent.status_page_id = c.status_page_id) AND (parent.id = c.parent_id))))
     LEFT JOIN status_page_components root ON (((root.account_id = parent.account_id) AND (root.status_page_id = parent.status_page_id) AND (root.id = parent.parent_id))))
  WHERE ((NOT c.hidden) AND (parent.hidden IS NOT TRUE) AND (root.hidden IS NOT TRUE));
comment on view status_page_shown_services is 'What visitors see: services that are neither hidden nor in a hidden group. A service may occur in several groups.';
