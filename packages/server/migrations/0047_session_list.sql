-- Check sessions are listed together with test sessions.

create index check_sessions_list on check_sessions (account_id, started_at desc, id);
comment on index check_sessions_list is 'GET /v1/sessions: the latest first.';
