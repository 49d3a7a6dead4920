-- Drafts: checks that aren't stored, run by a test session before they are saved.

alter table test_sessions add column is_recorded boolean not null default true;
comment on column test_sessions.is_recorded is 'False: not listed, and deleted an hour after its end.';
create index test_sessions_unrecorded on test_sessions (stopped_at) where not is_recorded;
comment on index test_sessions_unrecorded is 'Retention: unrecorded sessions that ended.';

create table drafts (
  id uuid primary key,
  account_id uuid not null,
  test_session_id uuid not null,
  check_type text not null,
  check_id uuid,
  code_bundle_path text,
  sealed_check jsonb not null,
  unique (account_id, id),
  foreign key (account_id, test_session_id) references test_sessions (account_id, id) on delete cascade
);
comment on table drafts is 'Checks that are not stored, of test sessions that are not over.';
comment on column drafts.check_id is 'The stored check that is being edited. No reference: it may be deleted meanwhile.';
comment on column drafts.code_bundle_path is 'Of a suite: retention keeps the bundle.';
comment on column drafts.sealed_check is 'The whole check as one sealed text.';
create index drafts_session on drafts (test_session_id);
comment on index drafts_session is 'The drafts of a session that is over.';

-- A lane belongs to a stored check or to a draft. Release 0.1.0 joins lanes with checks, so it never claims lanes of drafts.
alter table schedule alter column check_id drop not null;
alter table schedule add column draft_id uuid;
alter table schedule add constraint schedule_of_one check ((check_id is null) <> (draft_id is null));
alter table schedule add foreign key (account_id, draft_id) references drafts (account_id, id) on delete cascade;
create unique index schedule_draft_lane on schedule (draft_id, lane) where draft_id is not null;
comment on index schedule_draft_lane is 'The lanes of a draft that is deleted.';
