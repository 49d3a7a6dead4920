-- Log lines of code runs in progress. Unlogged: they are copies, a crash may lose them, and backups leave them out.

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
  primary key (test_session_id, number),
  unique (lease_id, first_line),
  foreign key (account_id, test_session_id) references test_sessions (account_id, id) on delete cascade
);
comment on table run_log_chunks is 'What agents send while runs of test sessions are in progress; deleted an hour after the session. The result has the whole log.';
comment on column run_log_chunks.number is 'In the order in which chunks of a session were committed: readers resume by it.';
comment on column run_log_chunks.first_line is 'The position of its first line in what the agent sends: a chunk that is sent twice is stored once.';
comment on column run_log_chunks.lines is 'A JSON list of {time, level, msg}, scrubbed by the agent. Text, since jsonb refuses some characters.';
