-- Notices about published maintenance to subscribers of status pages.
alter table maintenance_windows add column notices_due_at timestamptz(3);
comment on column maintenance_windows.notices_due_at is 'When to look for notices next; null: no status page shows the window.';
create index maintenance_windows_notices on maintenance_windows (notices_due_at) where notices_due_at is not null;
comment on index maintenance_windows_notices is 'The claim: windows whose notices are due.';

drop index maintenance_windows_account;
alter table maintenance_windows add unique (account_id, id);

create table maintenance_notices (
  account_id uuid not null,
  window_id integer not null,
  starts_at timestamptz(3) not null,
  kind text not null,
  minutes_before integer not null,
  created_at timestamptz(3) not null,
  primary key (window_id, starts_at, kind, minutes_before),
  foreign key (account_id, window_id) references maintenance_windows (account_id, id) on delete cascade
);
comment on table maintenance_notices is 'Which notices about an occurrence were written to the outbox, or passed because they are turned off. Kept until no notice about it can follow.';
