-- Dashboards, their incidents, and maintenance windows.

create table dashboards (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  dashboard_id text not null,
  custom_url text,
  custom_domain text,
  is_private boolean not null,
  tags text[] not null,
  settings jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  constraint dashboards_dashboard_id unique (dashboard_id),
  unique (account_id, id)
);
create unique index dashboards_custom_url on dashboards (lower(custom_url));
create unique index dashboards_custom_domain on dashboards (lower(custom_domain));
comment on index dashboards_custom_url is 'A subdomain name belongs to one dashboard of all accounts.';
comment on index dashboards_custom_domain is 'A domain belongs to one dashboard of all accounts.';

create table dashboard_keys (
  id uuid primary key,
  account_id uuid not null,
  dashboard_id integer not null,
  hash bytea not null unique,
  masked_key text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  foreign key (account_id, dashboard_id) references dashboards (account_id, id) on delete cascade
);
create index dashboard_keys_dashboard on dashboard_keys (dashboard_id);
comment on index dashboard_keys_dashboard is 'The keys shown with a dashboard.';

create table dashboard_incidents (
  id uuid primary key,
  account_id uuid not null,
  dashboard_id integer not null,
  name text not null,
  impact text not null,
  started_at timestamptz(3) not null,
  stopped_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id),
  foreign key (account_id, dashboard_id) references dashboards (account_id, id) on delete cascade
);
create index dashboard_incidents_dashboard on dashboard_incidents (dashboard_id, started_at desc);
comment on index dashboard_incidents_dashboard is 'The incidents shown on a dashboard, newest first.';

create table dashboard_incident_updates (
  id uuid primary key,
  account_id uuid not null,
  incident_id uuid not null,
  status text not null,
  description text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  foreign key (account_id, incident_id) references dashboard_incidents (account_id, id) on delete cascade
);
create index dashboard_incident_updates_incident on dashboard_incident_updates (incident_id, created_at desc);
comment on index dashboard_incident_updates_incident is 'The updates of an incident, newest first.';

create table maintenance_windows (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  tags text[] not null,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  repeat_interval integer,
  repeat_unit text,
  repeat_ends_at timestamptz(3),
  pause_all_checks boolean not null,
  silence_all_alerts boolean not null,
  silence_alerts_tags text[] not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3)
);
create index maintenance_windows_account on maintenance_windows (account_id, id);
comment on index maintenance_windows_account is 'The list of windows of an account.';
