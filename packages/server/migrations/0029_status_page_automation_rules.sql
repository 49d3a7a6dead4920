-- Rules that open and resolve incidents of status pages when checks with certain tags fail and recover.

create table status_page_automation_rules (
  id uuid primary key,
  account_id uuid not null,
  status_page_id uuid not null,
  name text not null,
  enabled boolean not null,
  tags text[] not null,
  first_update text not null,
  last_update text not null,
  notify_subscribers boolean not null,
  cool_down_minutes integer not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id),
  unique (account_id, status_page_id, id),
  foreign key (account_id, status_page_id) references status_pages (account_id, id) on delete cascade
);
create index status_page_automation_rules_page on status_page_automation_rules (status_page_id, created_at);
comment on index status_page_automation_rules_page is 'The rules of a page.';

create table status_page_rule_components (
  account_id uuid not null,
  status_page_id uuid not null,
  rule_id uuid not null,
  component_id uuid not null,
  position integer not null,
  impact text not null,
  primary key (rule_id, component_id),
  foreign key (account_id, status_page_id, rule_id)
    references status_page_automation_rules (account_id, status_page_id, id) on delete cascade,
  foreign key (account_id, status_page_id, component_id)
    references status_page_components (account_id, status_page_id, id) on delete cascade
);
create index status_page_rule_components_component on status_page_rule_components (component_id);
comment on index status_page_rule_components_component is 'The rules of a component that is deleted.';

create table status_page_rule_incidents (
  rule_id uuid primary key,
  account_id uuid not null,
  incident_id uuid not null,
  is_open boolean not null,
  foreign key (account_id, rule_id) references status_page_automation_rules (account_id, id) on delete cascade,
  foreign key (account_id, incident_id) references incidents (account_id, id) on delete cascade
);
comment on table status_page_rule_incidents is 'The last incident of a rule. It stays after it is resolved, since a failure within the cool-down opens it again.';
create index status_page_rule_incidents_incident on status_page_rule_incidents (incident_id);
comment on index status_page_rule_incidents_incident is 'The rule of an incident that is deleted.';
create index status_page_rule_incidents_open on status_page_rule_incidents (rule_id) where is_open;
comment on index status_page_rule_incidents_open is 'Incidents that no failing check keeps open any more.';

create table status_page_rule_failures (
  account_id uuid not null,
  rule_id uuid not null,
  check_id uuid not null,
  primary key (rule_id, check_id),
  foreign key (account_id, rule_id) references status_page_automation_rules (account_id, id) on delete cascade,
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
);
comment on table status_page_rule_failures is 'The failing checks that keep the incident of a rule open.';
create index status_page_rule_failures_check on status_page_rule_failures (check_id);
comment on index status_page_rule_failures_check is 'The rules that a recovery concerns.';

alter table incident_services add column severity text;
comment on column incident_services.severity is 'How bad the incident is for this service; null: as bad as the incident.';
