-- What lists of checks show and sort by, for the last full hours: reading 10,000 checks from their rollups takes seconds.

create table check_summaries (
  check_id uuid primary key,
  account_id uuid not null,
  until timestamptz(0) not null,
  is_outdated boolean not null default true,
  runs_24h integer not null default 0,
  passed_24h integer not null default 0,
  executed_24h integer not null default 0,
  runs_7d integer not null default 0,
  passed_7d integer not null default 0,
  p95_24h real
);
comment on table check_summaries is 'Sums over the rollups of the hours before `until`. Without a reference, since a roll-up must not fail when its check is deleted meanwhile; the loop that refreshes summaries deletes those of deleted checks.';
comment on column check_summaries.is_outdated is 'An hour was rolled up since.';
comment on column check_summaries.executed_24h is 'Scheduled runs, as coverage counts them.';
comment on column check_summaries.p95_24h is 'Of the response time, in milliseconds.';

create index check_summaries_account on check_summaries (account_id);
comment on index check_summaries_account is 'GET /v1/overview/checks.';
create index check_summaries_due on check_summaries (until) where is_outdated or runs_7d > 0;
comment on index check_summaries_due is 'The loop that refreshes them: the oldest first.';

insert into check_summaries (check_id, account_id, until) select id, account_id, to_timestamp(0) from checks;
