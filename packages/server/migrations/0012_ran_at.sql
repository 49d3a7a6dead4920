-- Which agent ran what, beside the location that was asked for; and the results of a whole account, latest first.

alter table results
  add column agent_id uuid,
  add column agent_name text,
  add column is_built_in_agent boolean;
comment on column results.agent_id is 'The agent process that ran it; null for heartbeats, and for runs recorded before agents were stored.';
comment on column results.agent_name is 'What that agent calls itself: its host name, or AGENT_NAME.';
create index results_of_account on results (account_id, scheduled_at);
comment on index results_of_account is 'GET /v2/check-results: the latest results of an account.';
create index results_failed_of_account on results (account_id, scheduled_at) where has_failures;
comment on index results_failed_of_account is 'GET /v2/check-results?hasFailures=true: failures are rare, so the other index would read many rows for few.';

alter table check_statuses add column ran_at jsonb;
comment on column check_statuses.ran_at is 'The agent that ran the last run: {agentId, agentName, isBuiltIn}.';

alter table check_alerts add column ran_at jsonb;
comment on column check_alerts.ran_at is 'The agent that ran what the alert is about: {agentId, agentName, isBuiltIn}.';

alter table test_session_results add column ran_at jsonb;
comment on column test_session_results.ran_at is 'The agent that ran it: {agentId, agentName, isBuiltIn}.';

alter table agents add column name text;
comment on column agents.name is 'Host name, or AGENT_NAME; null for agents of a release that sends none.';
