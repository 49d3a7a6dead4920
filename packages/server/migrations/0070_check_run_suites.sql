-- Test sessions of command-line clients: the client chooses the id by which it follows the runs.

alter table test_sessions add column suite_id uuid;
comment on column test_sessions.suite_id is 'Chosen by the client that started it: it follows the runs under this id.';
create index test_sessions_suite on test_sessions (account_id, suite_id) where suite_id is not null;
comment on index test_sessions_suite is 'The runs that a command-line client follows.';

alter table test_session_results
  add column check_run_id uuid,
  add column logical_id text,
  add column file_path text;
comment on column test_session_results.check_run_id is 'Chosen by the client that started it.';
comment on column test_session_results.logical_id is 'Of the check in the project of the client.';
comment on column test_session_results.file_path is 'The file that defines the check in the project of the client.';
