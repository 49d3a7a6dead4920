-- When checks run, who runs them, what the runs leave, and what is counted of them.

create table schedule (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  check_id uuid not null,
  lane text not null,
  locations text[] not null,
  queues text[] not null,
  period_ms bigint,
  phase_ms bigint,
  turn integer not null default 0,
  slot_at timestamptz(3) not null,
  location text not null,
  queue text not null,
  due_at timestamptz(3) not null,
  run_id uuid,
  attempt smallint not null default 1,
  run_started_at timestamptz(3),
  counted_to timestamptz(3),
  lease_id uuid,
  agent_id uuid,
  check_session_id uuid,
  test_session_id uuid,
  give_up_at timestamptz(3),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade,
  constraint schedule_lane unique (check_id, lane)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
comment on table schedule is 'The schedule, which is also the queue: in a lane at most one run is in progress, a waiting retry included.';
comment on column schedule.lane is 'Empty for the scheduled runs of a check, a location''s name for those of a parallel one, a session and location for an on-demand run.';
comment on column schedule.locations is 'Where its runs are made in turn, and in queues the queue of each.';
comment on column schedule.queue is 'Whose agents may claim it: a data-center region, or the id of a private location.';
comment on column schedule.period_ms is 'Null: an on-demand run, whose row goes when it is done.';
comment on column schedule.slot_at is 'The slot that is waited for, or whose run is in progress; when an on-demand run was asked for.';
comment on column schedule.due_at is 'From when on it may be claimed: its slot, the time of a retry, or the end of a lease.';
comment on column schedule.run_id is 'Set while a run is in progress, whether leased or waiting for a retry.';
comment on column schedule.run_started_at is 'When the first attempt was claimed: retries have a limit in time.';
comment on column schedule.counted_to is 'The plan changed while the run was in progress: up to then slots are counted, by the rhythm they had.';
comment on column schedule.give_up_at is 'An on-demand run that nobody claimed by then is timed out.';
create index schedule_due on schedule (queue, due_at);
comment on index schedule_due is 'The claim: what is due in the queues of an agent.';
create index schedule_check_session on schedule (check_session_id) where check_session_id is not null;
comment on index schedule_check_session is 'The runs of a check session that are not done.';
create index schedule_test_session on schedule (test_session_id) where test_session_id is not null;
comment on index schedule_test_session is 'The runs of a test session that are not done.';

create table servers (
  id uuid primary key,
  started_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null
);
comment on table servers is 'The server processes on this store; one that is not seen for a while is gone.';

create table outages (
  began_at timestamptz(3) primary key,
  ended_at timestamptz(3) not null
);
comment on table outages is 'When no server was alive: what was due then was missed for that reason.';

create table agent_keys (
  id uuid primary key,
  name text not null,
  hash bytea not null constraint agent_keys_hash unique,
  masked_key text not null,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3)
);
comment on table agent_keys is 'Operator keys of data-center agents, made on the server''s machine only.';

create table agents (
  id uuid primary key,
  account_id uuid references accounts on delete cascade,
  private_location_id uuid references private_locations on delete cascade,
  agent_key_id uuid references agent_keys on delete cascade,
  locations text[] not null,
  version text not null,
  state text not null,
  facts jsonb not null,
  started_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null
);
comment on table agents is 'Agent processes: of a private location, of the operator, or (neither) built into a server.';
create index agents_of_private_location on agents (private_location_id) where private_location_id is not null;
comment on index agents_of_private_location is 'The running agents of a private location.';

create table private_location_metrics (
  private_location_id uuid not null references private_locations on delete cascade,
  measured_at timestamptz(3) not null,
  queue_size integer not null,
  oldest_ms bigint not null,
  primary key (private_location_id, measured_at)
);

create table results (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamptz(3) not null,
  run_id uuid not null,
  attempt smallint not null,
  id uuid not null,
  check_type text not null,
  source text not null,
  result_type text not null,
  location text not null,
  started_at timestamptz(3) not null,
  stopped_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
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
  primary key (check_id, scheduled_at, run_id, attempt)
) partition by range (scheduled_at);
comment on column results.id is 'Begins with scheduled_at, as a UUID of version 7: a result is found by its id without an index on it.';
comment on column results.source is 'schedule, session or heartbeat: only scheduled runs count as coverage.';
comment on column results.metrics is 'In the order that the contract has for the check type.';

create table result_details (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamptz(3) not null,
  run_id uuid not null,
  attempt smallint not null,
  detail text not null,
  primary key (check_id, scheduled_at, run_id, attempt)
) partition by range (scheduled_at);
comment on column result_details.detail is 'JSON as the agent wrote it, scrubbed; text, since jsonb refuses some of what responses hold.';

create table missed_runs (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamptz(3) not null,
  run_id uuid not null,
  location text not null,
  reason text not null,
  created_at timestamptz(3) not null default now(),
  primary key (check_id, scheduled_at, run_id),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
);
comment on table missed_runs is 'Runs that were claimed and then given up: a late result of one takes the mark away again.';

create table coverage (
  account_id uuid not null,
  check_id uuid not null,
  hour timestamptz(0) not null,
  location text not null,
  executed integer not null default 0,
  skipped integer not null default 0,
  missed integer not null default 0,
  reasons jsonb not null default '{}',
  lag bytea,
  primary key (check_id, hour, location)
) partition by range (hour);
comment on column coverage.executed is 'Counted when the hour is folded, like lag; skipped and missed slots are added as they happen.';

create table rollups (
  account_id uuid not null,
  check_id uuid not null,
  grain text not null,
  bucket_at timestamptz(0) not null,
  location text not null,
  dimension text not null,
  outcome text not null,
  runs integer not null,
  degraded integer not null,
  retries integer not null,
  sketches bytea[] not null,
  primary key (check_id, grain, bucket_at, location, dimension, outcome)
) partition by range (bucket_at);
comment on table rollups is 'Final results of an hour or a day, added up; sketches in the order of results.metrics.';
comment on column rollups.dimension is 'The status code of API checks and URL monitors, the page of browser checks.';

create table rollup_pending (
  account_id uuid not null,
  check_id uuid not null,
  hour timestamptz(0) not null,
  touched_at timestamptz(3) not null default now(),
  primary key (check_id, hour)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on table rollup_pending is 'Hours whose rollups are not written, or have become wrong by a late result: these are read from the results.';
create index rollup_pending_hour on rollup_pending (hour);
comment on index rollup_pending_hour is 'The fold: the oldest hours first.';

create table check_statuses (
  check_id uuid primary key,
  account_id uuid not null,
  has_failures boolean not null,
  has_errors boolean not null,
  is_degraded boolean not null,
  longest_run real,
  shortest_run real,
  last_run_location text,
  last_check_run_id text,
  ssl_days_remaining integer,
  decided_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index check_statuses_account on check_statuses (account_id);
comment on index check_statuses_account is 'GET /v1/check-statuses.';

create table parallel_runs (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamptz(3) not null,
  session_id uuid not null,
  expected smallint not null,
  done smallint not null,
  failed smallint not null,
  degraded smallint not null,
  errors smallint not null,
  primary key (check_id, scheduled_at, session_id),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
);
comment on table parallel_runs is 'One run in several locations at once: it is decided when the last location is done.';

create table error_groups (
  id uuid primary key,
  account_id uuid not null,
  check_id uuid not null,
  error_hash text not null,
  raw_error_message text,
  cleaned_error_message text not null,
  first_seen timestamptz(3) not null,
  last_seen timestamptz(3) not null,
  archived_until_next_event boolean not null default false,
  archived_for_ever boolean not null default false,
  constraint error_groups_hash unique (check_id, error_hash),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
);
create index error_groups_list on error_groups (account_id, last_seen desc, id);
comment on index error_groups_list is 'GET /v1/error-groups: the latest first.';

create table check_sessions (
  id uuid primary key,
  account_id uuid not null,
  check_id uuid not null,
  check_type text not null,
  name text not null,
  status text not null,
  run_source text,
  run_locations text[] not null,
  options jsonb not null,
  expected smallint not null,
  done smallint not null default 0,
  failed smallint not null default 0,
  degraded smallint not null default 0,
  errors smallint not null default 0,
  timed_out smallint not null default 0,
  cancelled smallint not null default 0,
  started_at timestamptz(3) not null,
  stopped_at timestamptz(3),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
);
comment on column check_sessions.options is 'What the runs of this session are given beyond the check: environmentUrl, refreshCache; sealed where secret.';
create index check_sessions_started on check_sessions (started_at);
comment on index check_sessions_started is 'Retention: the oldest go.';

create table test_sessions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  project_id uuid,
  name text not null,
  status text not null,
  provider text not null,
  location text not null,
  private_location_id uuid references private_locations on delete set null,
  invoker_user_id uuid references users on delete set null,
  metadata jsonb not null,
  options jsonb not null,
  expected integer not null,
  done integer not null default 0,
  failed integer not null default 0,
  cancelled integer not null default 0,
  started_at timestamptz(3) not null,
  stopped_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id)
);
comment on column test_sessions.options is 'environmentVariables (secret ones sealed), retryStrategy, refreshCache.';
create index test_sessions_list on test_sessions (account_id, started_at desc, id);
comment on index test_sessions_list is 'GET /v1/test-sessions: the latest first; retention.';

create table test_session_results (
  id uuid primary key,
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
  has_failures boolean not null default false,
  has_errors boolean not null default false,
  is_degraded boolean not null default false,
  is_cancelled boolean not null default false,
  over_max_response_time boolean not null default false,
  response_time real,
  started_at timestamptz(3),
  stopped_at timestamptz(3),
  schedule_error text,
  error_group_ids uuid[],
  detail text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  constraint test_session_results_attempt unique (test_session_id, sequence_id, attempt),
  foreign key (account_id, test_session_id) references test_sessions (account_id, id) on delete cascade
);
comment on column test_session_results.check_id is 'No reference: what a test found outlives the check.';

create table test_session_error_groups (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  project_id uuid,
  environments text[] not null,
  error_hash text not null,
  raw_error_message text,
  cleaned_error_message text not null,
  first_seen timestamptz(3) not null,
  last_seen timestamptz(3) not null,
  archived_until_next_event boolean not null default false,
  archived_for_ever boolean not null default false,
  pwt_metadata jsonb,
  constraint test_session_error_groups_hash unique nulls not distinct (account_id, project_id, error_hash)
);
create index test_session_error_groups_list on test_session_error_groups (account_id, last_seen desc, id);
comment on index test_session_error_groups_list is 'GET /v1/test-session-error-groups: the latest first.';

create table heartbeats (
  check_id uuid primary key,
  account_id uuid not null,
  period_ms bigint not null,
  grace_ms bigint not null,
  last_ping_at timestamptz(3),
  due_at timestamptz(3),
  deadline_at timestamptz(3),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
) with (fillfactor = 70);
comment on table heartbeats is 'When each heartbeat monitor expects its next ping; nothing is expected before the first one.';
create index heartbeats_deadline on heartbeats (deadline_at) where deadline_at is not null;
comment on index heartbeats_deadline is 'The deadlines that have passed.';

create table heartbeat_events (
  id uuid primary key,
  account_id uuid not null,
  check_id uuid not null,
  state text not null,
  occurred_at timestamptz(3) not null,
  source text,
  user_agent text,
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
);
create index heartbeat_events_of_check on heartbeat_events (check_id, occurred_at desc);
comment on index heartbeat_events_of_check is 'The events of a monitor, and its availability.';

create table deployments (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  environment_name text,
  environment_url text,
  repository text,
  sha text,
  deployment_id text,
  check_id uuid,
  group_id integer,
  created_at timestamptz(3) not null default now()
);
comment on table deployments is 'Marks of when something was deployed, so that a change in results can be laid beside it.';
create index deployments_list on deployments (account_id, created_at desc, id);
comment on index deployments_list is 'The deployments of an account, latest first.';

create table metrics_tokens (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  hash bytea not null constraint metrics_tokens_hash unique,
  masked_key text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3)
);
comment on table metrics_tokens is 'What a Prometheus server shows to read the metrics of an account.';
create index metrics_tokens_account on metrics_tokens (account_id);
comment on index metrics_tokens_account is 'The tokens of an account.';
