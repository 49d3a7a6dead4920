-- What the state of a check is derived from, and messages to alert channels about checks whose state is unknown.

alter table check_statuses
  add column known_at timestamptz(3),
  add column state_since timestamptz(3),
  add column failure_message text;
-- Before this release it wasn't recorded when a state began: at the latest with the last decided run.
update check_statuses set known_at = decided_at, state_since = decided_at where decided_at > to_timestamp(0);
comment on column check_statuses.known_at is 'When the last run ended that said something about the target: an error of our own says nothing.';
comment on column check_statuses.state_since is 'When the run ended that brought the check into the state in which its last run left it.';
comment on column check_statuses.failure_message is 'Of the last run, when it failed.';

alter table schedule add column planned_at timestamptz(3), add column served jsonb not null default '{}';
comment on column schedule.planned_at is 'Since when it goes round these locations.';
comment on column schedule.served is 'By location, in epoch milliseconds: when its last run there ended.';

alter table checks add column activation_changed_at timestamptz(3);
comment on column checks.activation_changed_at is 'When the check was last activated or deactivated; null: never since it was created.';
alter table check_groups add column activation_changed_at timestamptz(3);
comment on column check_groups.activation_changed_at is 'When the group was last activated or deactivated; null: never since it was created.';
update checks set activation_changed_at = coalesce(updated_at, created_at) where not activated;
update check_groups set activation_changed_at = coalesce(updated_at, created_at) where not activated;

alter table location_alarms add column cause text, add column check_ids uuid[] not null default '{}';
comment on column location_alarms.cause is 'no_agent, unserved_type, overdue or server_outage; null: as its kind says.';
comment on column location_alarms.check_ids is 'Of alarms about checks whose state is unknown: all of them.';

-- A message about a location alarm belongs to no single check: its check_id is the id of the alarm.
alter table alert_notifications
  drop constraint alert_notifications_account_id_check_id_fkey,
  add foreign key (account_id) references accounts on delete cascade,
  add column location_alarm_id uuid,
  add column lead_check_id uuid,
  add column facts jsonb;
comment on column alert_notifications.check_id is 'The check that the alert is about; of a message about a location alarm, the id of the alarm.';
comment on column alert_notifications.lead_check_id is 'Of a message about a location alarm: the first of its checks.';
comment on column alert_notifications.facts is 'Of a message about a location alarm: what it says.';
create unique index alert_notifications_of_alarm on alert_notifications (location_alarm_id, alert_channel_id, kind)
  where location_alarm_id is not null;
comment on index alert_notifications_of_alarm is 'One message per channel when an alarm begins, and one when it is over.';
