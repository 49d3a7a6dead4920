-- What agentic checks replay: the script that a first run wrote, and the repaired ones that wait for someone's word.

create table agentic_scripts (
  id uuid primary key,
  account_id uuid not null,
  check_id uuid not null,
  prompt_hash text not null,
  script text not null,
  status text not null,
  result_id uuid,
  created_at timestamptz(3) not null default now(),
  decided_at timestamptz(3),
  unique (account_id, id),
  foreign key (account_id, check_id) references checks (account_id, id) on delete cascade
);
comment on column agentic_scripts.prompt_hash is 'SHA-256 of the prompt: a script serves that very prompt and no other.';
comment on column agentic_scripts.result_id is 'Of the run that wrote it; results go with their retention.';
create unique index agentic_scripts_current on agentic_scripts (check_id, prompt_hash) where status = 'current';
comment on index agentic_scripts_current is 'A prompt has one script in use; read with every run of its check.';
create unique index agentic_scripts_proposed on agentic_scripts (check_id, prompt_hash) where status = 'proposed';
comment on index agentic_scripts_proposed is 'And at most one that waits for review.';
create index agentic_scripts_list on agentic_scripts (account_id, check_id, created_at desc, id);
comment on index agentic_scripts_list is 'GET /v1/checks/agentic/{id}/scripts.';
