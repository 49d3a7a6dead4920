-- Details of passing runs that aren't in the sample. Their partitions are dropped after a day, so nothing is deleted row by row.
create table unsampled_details (
  account_id uuid not null,
  check_id uuid not null,
  scheduled_at timestamptz(3) not null,
  run_id uuid not null,
  attempt smallint not null,
  detail text not null,
  primary key (check_id, scheduled_at, run_id, attempt)
) partition by range (scheduled_at);
comment on table unsampled_details is 'As result_details, which has the details of all other runs.';
