-- Subscribers of a status page can choose some of its services.
alter table status_page_subscriptions add column service_ids uuid[];
comment on column status_page_subscriptions.service_ids is 'Mails are about incidents of these; null: of all services. Services may have been deleted since.';

create unique index mails_incident_update on mails (subscription_id, (facts ->> 'updateId')) where kind = 'incident_update';
comment on index mails_incident_update is 'An update of an incident is mailed to a subscriber once.';
