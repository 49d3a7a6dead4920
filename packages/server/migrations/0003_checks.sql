-- Groups, checks, and who is told about them.

create table check_groups (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
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
  setup_snippet_id integer references snippets on delete set null,
  tear_down_snippet_id integer references snippets on delete set null,
  settings jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id)
);
comment on column check_groups.settings is 'apiCheckDefaults, browserCheckDefaults, environmentVariables and the local scripts.';

create table checks (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
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
  setup_snippet_id integer references snippets on delete set null,
  tear_down_snippet_id integer references snippets on delete set null,
  settings jsonb not null,
  dependencies jsonb,
  ping_token uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id),
  constraint checks_ping_token unique (ping_token),
  constraint checks_group foreign key (account_id, group_id) references check_groups (account_id, id)
);
comment on column checks.settings is 'What belongs to the check type, checked by its contract: request, script, heartbeat, ….';
comment on column checks.dependencies is 'Files beside a script; apart from settings, since lists never read them.';
create index checks_list on checks (account_id, created_at desc, id);
comment on index checks_list is 'GET /v1/checks: newest first.';
create index checks_in_group on checks (account_id, group_id) where group_id is not null;
comment on index checks_in_group is 'The checks of a group, and whether it may be deleted.';
create index checks_tags on checks using gin (tags);
comment on index checks_tags is 'GET /v1/checks?tag= and everything that selects by tags.';

create table alert_channels (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  type text not null,
  config jsonb not null,
  send_recovery boolean not null,
  send_failure boolean not null,
  send_degraded boolean not null,
  ssl_expiry boolean not null,
  ssl_expiry_threshold integer not null,
  auto_subscribe boolean not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id)
);

create table alert_channel_subscriptions (
  id integer generated always as identity primary key,
  account_id uuid not null,
  alert_channel_id integer not null,
  check_id uuid,
  group_id integer,
  activated boolean not null,
  foreign key (account_id, alert_channel_id) references alert_channels (account_id, id) on delete cascade,
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade,
  foreign key (account_id, group_id) references check_groups (account_id, id) on delete cascade,
  constraint alert_channel_subscriptions_check unique (alert_channel_id, check_id),
  constraint alert_channel_subscriptions_group unique (alert_channel_id, group_id),
  constraint alert_channel_subscriptions_target check ((check_id is null) <> (group_id is null))
);
create index alert_channel_subscriptions_of_check on alert_channel_subscriptions (check_id) where check_id is not null;
create index alert_channel_subscriptions_of_group on alert_channel_subscriptions (group_id) where group_id is not null;
comment on index alert_channel_subscriptions_of_check is 'Who hears of a check.';
comment on index alert_channel_subscriptions_of_group is 'Who hears of a group.';

create table triggers (
  id integer generated always as identity primary key,
  account_id uuid not null,
  check_id uuid,
  group_id integer,
  token jsonb not null,
  created_at timestamptz(3) not null default now(),
  called_at timestamptz(3),
  updated_at timestamptz(3),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade,
  foreign key (account_id, group_id) references check_groups (account_id, id) on delete cascade,
  constraint triggers_check unique (check_id),
  constraint triggers_group unique (group_id),
  constraint triggers_target check ((check_id is null) <> (group_id is null))
);
