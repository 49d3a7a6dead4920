-- History can be distributed over several machines by check_id: every key contains it, and nothing refers to tables that
-- stay on the first machine. The rows of deleted checks and accounts are deleted by the statement that deletes those.
alter table missed_runs drop constraint missed_runs_account_id_check_id_fkey;

alter table heartbeat_events drop constraint heartbeat_events_account_id_check_id_fkey;
alter table heartbeat_events drop constraint heartbeat_events_pkey;
alter table heartbeat_events add constraint heartbeat_events_pkey primary key (check_id, id);

-- `id` stays first: links name an artifact by it.
update artifacts set check_id = result_id where check_id is null;
alter table artifacts alter column check_id set not null;
alter table artifacts drop constraint artifacts_pkey;
alter table artifacts add constraint artifacts_pkey primary key (id, scheduled_at, check_id);
comment on column artifacts.check_id is 'The check, or the draft, that was run.';
