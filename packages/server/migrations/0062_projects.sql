-- Projects as code: resources that a client deploys as a whole, and their deployments.

create table projects (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  logical_id text not null,
  name text not null,
  repo_url text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  unique (account_id, id),
  constraint projects_logical_id unique (account_id, logical_id)
);
comment on table projects is 'Sets of resources that are deployed together.';

create table import_plans (
  id uuid primary key,
  account_id uuid not null,
  project_id uuid not null,
  resources jsonb not null,
  created_at timestamptz(3) not null default now(),
  applied_at timestamptz(3),
  committed_at timestamptz(3),
  unique (account_id, id),
  foreign key (account_id, project_id) references projects (account_id, id) on delete cascade
);
comment on table import_plans is 'Resources of the account that a project takes over.';
comment on column import_plans.resources is 'Which resources, and the logical ids they get. Without their settings, which may hold secrets.';
create index import_plans_project on import_plans (project_id, created_at);
comment on index import_plans_project is 'The plans of a project.';

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
  created_at timestamptz(3) not null default now(),
  deployed_at timestamptz(3),
  primary key (project_id, type, logical_id),
  constraint project_resources_physical unique (account_id, type, physical_id),
  foreign key (account_id, project_id) references projects (account_id, id) on delete cascade,
  foreign key (account_id, import_plan_id) references import_plans (account_id, id) on delete cascade
);
comment on table project_resources is 'Which resource of the account a logical id stands for.';
comment on column project_resources.payload_hash is 'Signature of the payload that was deployed last; null: it was imported and never deployed.';
comment on column project_resources.version is 'When the resource was changed by that deployment. Another time now means that it was edited since.';
comment on column project_resources.import_plan_id is 'A plan that is not committed: deployments do not delete the resource.';
create index project_resources_plan on project_resources (account_id, import_plan_id) where import_plan_id is not null;
comment on index project_resources_plan is 'The bindings of an import plan.';

create table project_deployments (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  project_logical_id text not null,
  kind text not null,
  status text not null,
  progress integer not null default 0,
  error jsonb,
  result jsonb,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  ended_at timestamptz(3),
  cancel_requested_at timestamptz(3),
  lease_until timestamptz(3) not null,
  constraint project_deployments_kind check (kind in ('DEPLOY', 'DELETE')),
  constraint project_deployments_status check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'))
);
comment on table project_deployments is 'Deployments and deletions of projects. They never hold what was sent: it has secrets.';
comment on column project_deployments.project_logical_id is 'No reference: the project may not exist yet, or not any more.';
comment on column project_deployments.lease_until is 'Its server extends it. After that time it is over: the server was stopped.';
create unique index project_deployments_running on project_deployments (account_id, project_logical_id)
  where status in ('PENDING', 'RUNNING');
comment on index project_deployments_running is 'One at a time for each project.';
create index project_deployments_lease on project_deployments (lease_until) where status in ('PENDING', 'RUNNING');
comment on index project_deployments_lease is 'Those whose server was stopped.';
create index project_deployments_age on project_deployments (account_id, created_at desc);
comment on index project_deployments_age is 'Retention.';
