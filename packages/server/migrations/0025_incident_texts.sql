-- Templates of incidents, and what is written about an incident afterwards.
create table incident_templates (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  incident jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3)
);
comment on column incident_templates.incident is 'The body of a request that opens an incident.';
create unique index incident_templates_name on incident_templates (account_id, lower(name));
comment on index incident_templates_name is 'Names are unique in an account; also the list of an account.';

alter table incidents add column postmortem text;
alter table incidents add column postmortem_at timestamptz(3);
comment on column incidents.postmortem_at is 'When the postmortem was last changed; null: there is none.';
