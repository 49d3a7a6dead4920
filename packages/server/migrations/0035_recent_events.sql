-- The home screen: updates of incidents in the last day, and slots without a run.

create index incident_updates_recent on incident_updates (account_id, created_at desc);
comment on index incident_updates_recent is 'GET /v1/overview and GET /v1/events: the latest updates of an account.';

create index coverage_gaps on coverage (account_id, hour) where missed > 0 or skipped > 0;
comment on index coverage_gaps is 'GET /v1/overview: most hours have no gap.';
