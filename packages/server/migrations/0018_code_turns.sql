-- Fair sharing of code slots: which account was served least recently.

create table code_turns (
  account_id uuid primary key references accounts (id) on delete cascade,
  claimed_at timestamptz(3) not null
);
comment on table code_turns is 'When a run of code of the account was last claimed. Among accounts with equally many runs on an agent, the one with the oldest turn goes first.';
