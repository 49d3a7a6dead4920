// Generated from migrations/ by npm run generate; do not edit.
import type * as contracts from '@vedette/contracts'
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { z } from 'zod'
import type { CheckSessionOptions, TestSessionOptions } from './session-columns.ts'
import type { Sealed } from './vault.ts'

/** Read as ISO text, written as text or Date. */
type Instant = ColumnType<string, string | Date, string | Date>
type NullableInstant = ColumnType<string | null, string | Date | null | undefined, string | Date | null>
type GeneratedInstant = ColumnType<string, string | Date | undefined, string | Date>
/** Read parsed, written as JSON text. */
type Json<T = unknown> = ColumnType<T, string, string>
type NullableJson<T = unknown> = ColumnType<T | null, string | null | undefined, string | null>
type GeneratedJson<T = unknown> = ColumnType<T, string | undefined, string>
/** Text of a set that contracts define. It's checked when it is written, so its type is known when it is read. */
type OneOf<T extends string> = ColumnType<T, string, string>
type NullableOneOf<T extends string> = ColumnType<T | null, string | null | undefined, string | null>
type ListOf<T extends string> = ColumnType<T[], readonly string[], readonly string[]>

export interface Tables {
  accounts: {
    id: string
    name: string
    runtime_id: string
    plan: string
    settings: Json<contracts.AccountSettings>
    alert_settings: Json<contracts.AlertSettings>
    created_at: GeneratedInstant
    updated_at: NullableInstant
    link_epoch: Generated<number>
  }
  agent_keys: {
    id: string
    name: string
    hash: Buffer
    masked_key: string
    created_at: GeneratedInstant
    last_used_at: NullableInstant
  }
  agentic_scripts: {
    id: string
    account_id: string
    check_id: string
    prompt_hash: string
    script: string
    status: OneOf<(typeof contracts.agenticScriptStatuses)[number]>
    result_id: string | null
    created_at: GeneratedInstant
    decided_at: NullableInstant
  }
  agents: {
    id: string
    account_id: string | null
    private_location_id: string | null
    agent_key_id: string | null
    locations: string[]
    version: string
    state: string
    facts: Json
    started_at: Instant
    last_seen_at: Instant
    name: string | null
  }
  alert_channel_subscriptions: {
    id: GeneratedAlways<number>
    account_id: string
    alert_channel_id: number
    check_id: string | null
    group_id: number | null
    activated: boolean
  }
  alert_channels: {
    id: GeneratedAlways<number>
    account_id: string
    type: OneOf<contracts.ChannelType>
    config: Json<Record<string, unknown>>
    send_recovery: boolean
    send_failure: boolean
    send_degraded: boolean
    ssl_expiry: boolean
    ssl_expiry_threshold: number
    auto_subscribe: boolean
    created_at: GeneratedInstant
    updated_at: NullableInstant
    failing_since: NullableInstant
    failure: string | null
    is_refusing: Generated<boolean>
  }
  alert_notifications: {
    id: string
    account_id: string
    check_id: string
    check_type: OneOf<contracts.CheckType>
    check_alert_id: string
    alert_channel_id: number
    type: OneOf<contracts.ChannelType>
    kind: string
    result_id: string | null
    episode_at: NullableInstant
    is_reminder: boolean
    reminder_sequence: number
    status: OneOf<(typeof contracts.notificationStatuses)[number]>
    notification_result: string | null
    accepted: Generated<string[]>
    attempts: Generated<number>
    tried_at: NullableInstant
    due_at: NullableInstant
    place: GeneratedAlways<number>
    created_at: Instant
    location_alarm_id: string | null
    lead_check_id: string | null
    facts: NullableJson
  }
  alert_states: {
    check_id: string
    account_id: string
    state: string
    previous_state: string
    raw_state: string
    runs: number
    since: NullableInstant
    episode_at: Instant
    decided: string
    is_told: boolean
    alert_id: string | null
    reminders_sent: Generated<number>
    remind_at: NullableInstant
    settle_at: NullableInstant
    due_at: NullableInstant
    lead: Json
  }
  api_keys: {
    id: string
    user_id: string | null
    account_id: string | null
    role: NullableOneOf<contracts.Role>
    name: string
    hash: Buffer
    masked_key: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
    last_used_at: NullableInstant
  }
  artifacts: {
    account_id: string
    id: string
    scheduled_at: Instant
    check_id: string
    result_id: string
    type: OneOf<(typeof contracts.assetTypes)[number]>
    name: string
    content_type: string
    size_bytes: number
    sha256: string
    created_at: GeneratedInstant
  }
  audit_entries: {
    id: string
    account_id: string
    created_at: Instant
    user_id: string | null
    key_id: string | null
    actor_name: string | null
    source: string
    address: string | null
    request_id: string
    operation: string
    summary: string
    action: OneOf<contracts.AuditAction>
    outcome: OneOf<contracts.AuditOutcome>
    resource_kind: string
    resource_id: string | null
    resource_name: string | null
    changes: GeneratedJson<z.output<typeof contracts.AuditEntry>['changes']>
  }
  blobs: {
    account_id: string
    sha256: string
    size_bytes: number
    is_stored: Generated<boolean>
    created_at: GeneratedInstant
    last_used_at: Instant
    examine_at: Instant
  }
  certificate_chains: {
    account_id: string
    check_id: string
    chain_sha256: string
    first_seen_at: Instant
    last_seen_at: Instant
    subject: string
    issuer: string
    valid_to: Instant
    location: string
  }
  check_alerts: {
    id: string
    account_id: string
    check_id: string
    check_type: OneOf<contracts.CheckType>
    alert_type: OneOf<contracts.AlertType>
    kind: string | null
    held_by: string | null
    name: string
    run_location: string
    response_time: number | null
    error: string | null
    status_code: number | null
    result_id: string | null
    scheduled_at: Instant
    started_at: Instant
    episode_at: NullableInstant
    error_group_id: string | null
    facts: NullableJson
    created_at: Instant
    notify_at: NullableInstant
    ran_at: NullableJson<contracts.RanAt>
  }
  check_groups: {
    id: GeneratedAlways<number>
    account_id: string
    name: string
    activated: boolean
    muted: boolean
    tags: string[]
    locations: ListOf<contracts.LocationId>
    private_locations: string[] | null
    concurrency: number
    run_parallel: boolean | null
    runtime_id: NullableOneOf<contracts.RuntimeId>
    double_check: boolean
    use_global_alert_settings: boolean | null
    alert_settings: NullableJson<contracts.AlertSettings>
    retry_strategy: NullableJson<contracts.CheckGroupValues['retryStrategy']>
    setup_snippet_id: number | null
    tear_down_snippet_id: number | null
    settings: Json<contracts.CheckGroupSettings>
    created_at: GeneratedInstant
    updated_at: NullableInstant
    activation_changed_at: NullableInstant
    muted_until: NullableInstant
  }
  check_sessions: {
    id: string
    account_id: string
    check_id: string
    check_type: OneOf<contracts.CheckType>
    name: string
    status: OneOf<contracts.CheckSessionStatus>
    run_source: NullableOneOf<contracts.RunSource>
    run_locations: string[]
    options: Json<CheckSessionOptions>
    expected: number
    done: Generated<number>
    failed: Generated<number>
    degraded: Generated<number>
    errors: Generated<number>
    timed_out: Generated<number>
    cancelled: Generated<number>
    started_at: Instant
    stopped_at: NullableInstant
  }
  check_statuses: {
    check_id: string
    account_id: string
    has_failures: boolean
    has_errors: boolean
    is_degraded: boolean
    longest_run: number | null
    shortest_run: number | null
    last_run_location: string | null
    last_check_run_id: string | null
    ssl_days_remaining: number | null
    decided_at: Instant
    created_at: GeneratedInstant
    updated_at: NullableInstant
    known_at: NullableInstant
    state_since: NullableInstant
    failure_message: string | null
    ran_at: NullableJson<contracts.RanAt>
  }
  check_summaries: {
    check_id: string
    account_id: string
    until: Instant
    is_outdated: Generated<boolean>
    runs_24h: Generated<number>
    passed_24h: Generated<number>
    executed_24h: Generated<number>
    runs_7d: Generated<number>
    passed_7d: Generated<number>
    p95_24h: number | null
  }
  checks: {
    id: string
    account_id: string
    check_type: OneOf<contracts.CheckType>
    name: string
    description: string | null
    activated: boolean
    muted: boolean
    should_fail: boolean
    double_check: boolean
    locations: string[] | null
    private_locations: string[] | null
    tags: string[]
    frequency: number
    frequency_offset: number | null
    run_parallel: boolean
    group_id: number | null
    group_order: number | null
    runtime_id: string | null
    use_global_alert_settings: boolean
    alert_settings: NullableJson<contracts.AlertSettings>
    retry_strategy: NullableJson<contracts.RetryStrategy>
    trigger_incident: NullableJson<contracts.TriggerIncident>
    setup_snippet_id: number | null
    tear_down_snippet_id: number | null
    settings: Json<Record<string, unknown>>
    dependencies: NullableJson
    ping_token: string | null
    created_at: GeneratedInstant
    updated_at: NullableInstant
    activation_changed_at: NullableInstant
    muted_until: NullableInstant
  }
  client_certificates: {
    id: string
    account_id: string
    host: string
    cert: string
    ca: string | null
    private_key: NullableJson<Sealed>
    passphrase: NullableJson<Sealed>
    created_at: GeneratedInstant
  }
  code_bundles: {
    account_id: string
    path: string
    sha256: string
    size_bytes: number
    created_at: GeneratedInstant
    last_used_at: Instant
  }
  code_turns: {
    account_id: string
    claimed_at: Instant
  }
  coverage: {
    account_id: string
    check_id: string
    hour: Instant
    location: string
    executed: Generated<number>
    skipped: Generated<number>
    missed: Generated<number>
    reasons: GeneratedJson
    lag: Buffer | null
  }
  dashboard_incident_updates: {
    id: string
    account_id: string
    incident_id: string
    status: OneOf<z.output<typeof contracts.DashboardIncidentStatus>>
    description: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  dashboard_incidents: {
    id: string
    account_id: string
    dashboard_id: number
    name: string
    impact: OneOf<z.output<typeof contracts.DashboardIncidentImpact>>
    started_at: Instant
    stopped_at: NullableInstant
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  dashboard_keys: {
    id: string
    account_id: string
    dashboard_id: number
    hash: Buffer
    masked_key: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
    sealed_key: NullableJson
  }
  dashboards: {
    id: GeneratedAlways<number>
    account_id: string
    dashboard_id: string
    custom_url: string | null
    custom_domain: string | null
    is_private: boolean
    tags: string[]
    settings: Json<contracts.DashboardSettings>
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  deployments: {
    id: string
    account_id: string
    environment_name: string | null
    environment_url: string | null
    repository: string | null
    sha: string | null
    deployment_id: string | null
    check_id: string | null
    group_id: number | null
    created_at: GeneratedInstant
  }
  drafts: {
    id: string
    account_id: string
    test_session_id: string
    check_type: OneOf<contracts.CheckType>
    check_id: string | null
    code_bundle_path: string | null
    sealed_check: Json<Sealed>
    sealed_group: NullableJson<Sealed>
  }
  error_groups: {
    id: string
    account_id: string
    check_id: string
    error_hash: string
    raw_error_message: string | null
    cleaned_error_message: string
    first_seen: Instant
    last_seen: Instant
    archived_until_next_event: Generated<boolean>
    archived_for_ever: Generated<boolean>
  }
  heartbeat_events: {
    id: string
    account_id: string
    check_id: string
    state: OneOf<contracts.HeartbeatState>
    occurred_at: Instant
    source: string | null
    user_agent: string | null
  }
  heartbeats: {
    check_id: string
    account_id: string
    period_ms: number
    grace_ms: number
    last_ping_at: NullableInstant
    due_at: NullableInstant
    deadline_at: NullableInstant
  }
  identities: {
    id: string
    user_id: string
    issuer: string
    subject: string
    email: string | null
    created_at: Instant
    last_used_at: Instant
  }
  import_plans: {
    id: string
    account_id: string
    project_id: string
    resources: Json
    created_at: GeneratedInstant
    applied_at: NullableInstant
    committed_at: NullableInstant
  }
  incident_services: {
    account_id: string
    incident_id: string
    service_id: string
    severity: NullableOneOf<z.output<typeof contracts.StatusPageIncidentSeverity>>
  }
  incident_templates: {
    id: string
    account_id: string
    name: string
    incident: Json<contracts.StoredIncident>
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  incident_updates: {
    id: string
    account_id: string
    incident_id: string
    status: OneOf<z.output<typeof contracts.StatusPageIncidentStatus>>
    description: string
    public_incident_update_date: Instant
    notify_subscribers: boolean
    created_at: GeneratedInstant
  }
  incidents: {
    id: string
    account_id: string
    name: string
    severity: OneOf<z.output<typeof contracts.StatusPageIncidentSeverity>>
    created_at: GeneratedInstant
    updated_at: NullableInstant
    postmortem: string | null
    postmortem_at: NullableInstant
  }
  instance: {
    key: string
    value: Json
  }
  invites: {
    id: string
    account_id: string
    email: string
    role: OneOf<contracts.Role>
    inviter_email: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
    expires_at: Instant
  }
  location_alarms: {
    id: string
    account_id: string
    queue: string
    location: string
    kind: OneOf<z.output<typeof contracts.LocationAlarm>['kind']>
    check_count: number
    facts: Json<Partial<z.output<typeof contracts.LocationAlarm>> & { checks: string[] }>
    opened_at: Instant
    resolved_at: NullableInstant
    cause: NullableOneOf<contracts.AlarmCause>
    check_ids: Generated<string[]>
  }
  mails: {
    id: string
    account_id: string
    kind: string
    recipient: string
    facts: Json
    subscription_id: string | null
    status: string
    result: string | null
    attempts: Generated<number>
    due_at: NullableInstant
    created_at: Instant
  }
  maintenance_notices: {
    account_id: string
    window_id: number
    starts_at: Instant
    kind: string
    minutes_before: number
    created_at: Instant
  }
  maintenance_windows: {
    id: GeneratedAlways<number>
    account_id: string
    name: string
    tags: string[]
    starts_at: Instant
    ends_at: Instant
    repeat_interval: number | null
    repeat_unit: NullableOneOf<NonNullable<contracts.MaintenanceWindowValues['repeatUnit']>>
    repeat_ends_at: NullableInstant
    pause_all_checks: boolean
    silence_all_alerts: boolean
    silence_alerts_tags: string[]
    created_at: GeneratedInstant
    updated_at: NullableInstant
    timezone: string | null
    description: string | null
    status_page_visibility: NullableJson<contracts.MaintenanceVisibility>
    notices_due_at: NullableInstant
  }
  memberships: {
    account_id: string
    user_id: string
    role: OneOf<contracts.Role>
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  metrics_tokens: {
    id: string
    account_id: string
    hash: Buffer
    masked_key: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  missed_runs: {
    account_id: string
    check_id: string
    scheduled_at: Instant
    run_id: string
    location: string
    reason: string
    created_at: GeneratedInstant
  }
  one_time_links: {
    hash: Buffer
    kind: string
    user_id: string | null
    created_at: Instant
    expires_at: Instant
    invite_id: string | null
    email: string | null
  }
  outages: {
    began_at: Instant
    ended_at: Instant
  }
  page_domains: {
    domain: string
    account_id: string
    dashboard_id: number | null
    status_page_id: string | null
    created_at: GeneratedInstant
    check_at: Instant
    proven_at: NullableInstant
    missing_since: NullableInstant
    problem: string | null
  }
  page_images: {
    id: Generated<string>
    account_id: string
    url: string
    type: string | null
    bytes: Buffer | null
    hash: string | null
    fetched_at: NullableInstant
    failure: string | null
    failures: Generated<number>
    due_at: Instant
    wanted_at: Instant
  }
  page_previews: {
    id: string
    account_id: string
    draft: Json<contracts.PagePreviewDraft>
    created_at: Instant
  }
  page_webhook_deliveries: {
    id: string
    account_id: string
    webhook_id: string
    position: GeneratedAlways<number>
    event: OneOf<z.output<typeof contracts.StatusPageWebhookEvent>>
    incident_id: string
    update_id: string
    facts: Json
    status: OneOf<z.output<typeof contracts.StatusPageWebhookDelivery>['status']>
    result: string | null
    attempts: Generated<number>
    due_at: NullableInstant
    created_at: Instant
  }
  page_webhooks: {
    id: string
    account_id: string
    status_page_id: string
    name: string
    url: string
    secret: Json<Sealed>
    events: ListOf<z.output<typeof contracts.StatusPageWebhookEvent>>
    activated: boolean
    deactivated_reason: string | null
    failing_since: NullableInstant
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  parallel_runs: {
    account_id: string
    check_id: string
    scheduled_at: Instant
    session_id: string
    expected: number
    done: number
    failed: number
    degraded: number
    errors: number
    decided: Generated<boolean>
    deadline_at: NullableInstant
    lead: NullableJson
  }
  passkeys: {
    id: string
    user_id: string
    credential_id: Buffer
    public_key: Buffer
    counter: number
    transports: string[]
    name: string
    created_at: Instant
    last_used_at: NullableInstant
  }
  passwords: {
    user_id: string
    hash: string
    changed_at: Instant
  }
  private_location_keys: {
    id: string
    account_id: string
    private_location_id: string
    hash: Buffer
    masked_key: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  private_location_metrics: {
    private_location_id: string
    measured_at: Instant
    queue_size: number
    oldest_ms: number
  }
  private_locations: {
    id: string
    account_id: string
    name: string
    slug_name: string
    icon: string
    proxy_url: NullableJson<string | Sealed>
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  project_deployments: {
    id: string
    account_id: string
    project_logical_id: string
    kind: string
    status: string
    progress: Generated<number>
    error: NullableJson
    result: NullableJson
    created_at: GeneratedInstant
    started_at: NullableInstant
    ended_at: NullableInstant
    cancel_requested_at: NullableInstant
    lease_until: Instant
  }
  project_resources: {
    account_id: string
    project_id: string
    type: string
    logical_id: string
    physical_id: string
    payload_hash: string | null
    version: string | null
    source_file: string | null
    import_plan_id: string | null
    created_at: GeneratedInstant
    deployed_at: NullableInstant
  }
  projects: {
    id: string
    account_id: string
    logical_id: string
    name: string
    repo_url: string | null
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  quota_usage: {
    account_id: string
    minute_at: Instant
    runs: number
  }
  quotas: {
    account_id: string | null
    runs_per_minute: number | null
    code_seconds_per_hour: number | null
    artifact_bytes: number | null
    updated_at: GeneratedInstant
  }
  rate_windows: {
    bucket: string
    window_start: number
    used: number
  }
  recovery_codes: {
    user_id: string
    hash: Buffer
    created_at: Instant
  }
  result_details: {
    account_id: string
    check_id: string
    scheduled_at: Instant
    run_id: string
    attempt: number
    detail: string
  }
  results: {
    account_id: string
    check_id: string
    scheduled_at: Instant
    run_id: string
    attempt: number
    id: string
    check_type: OneOf<contracts.CheckType>
    source: string
    result_type: OneOf<z.output<typeof contracts.ResultType>>
    location: string
    started_at: Instant
    stopped_at: Instant
    created_at: GeneratedInstant
    response_time: number | null
    has_failures: boolean
    has_errors: boolean
    is_degraded: boolean
    is_cancelled: boolean
    over_max_response_time: boolean
    status_code: number | null
    metrics: number[]
    failure_kind: NullableOneOf<contracts.FailureKind>
    failure_message: string | null
    check_session_id: string | null
    error_group_ids: string[] | null
    agent_id: string | null
    agent_name: string | null
    is_built_in_agent: boolean | null
  }
  rollup_pending: {
    account_id: string
    check_id: string
    hour: Instant
    touched_at: GeneratedInstant
  }
  rollups: {
    account_id: string
    check_id: string
    grain: string
    bucket_at: Instant
    location: string
    dimension: string
    outcome: string
    runs: number
    degraded: number
    retries: number
    sketches: Buffer[]
  }
  root_cause_analyses: {
    id: string
    account_id: string
    error_group_id: string | null
    test_session_error_group_id: string | null
    check_id: string | null
    check_type: NullableOneOf<contracts.CheckType>
    status: string
    is_automatic: boolean
    user_context: string
    provider: string | null
    model: string | null
    duration_ms: number | null
    analysis: NullableJson<contracts.RootCause>
    attempts: Generated<number>
    due_at: NullableInstant
    created_at: Instant
    completed_at: NullableInstant
  }
  run_log_chunks: {
    account_id: string
    test_session_id: string
    number: number
    sequence_id: string
    attempt: number
    lease_id: string
    first_line: number
    lines: string
    bytes: number
  }
  saved_views: {
    id: string
    account_id: string
    user_id: string | null
    name: string
    query: string
    is_shared: boolean
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  schedule: {
    id: GeneratedAlways<number>
    account_id: string
    check_id: string | null
    lane: string
    locations: string[]
    queues: string[]
    period_ms: number | null
    phase_ms: number | null
    turn: Generated<number>
    slot_at: Instant
    location: string
    queue: string
    due_at: Instant
    run_id: string | null
    attempt: Generated<number>
    run_started_at: NullableInstant
    counted_to: NullableInstant
    lease_id: string | null
    agent_id: string | null
    check_session_id: string | null
    test_session_id: string | null
    give_up_at: NullableInstant
    planned_at: NullableInstant
    served: GeneratedJson
    draft_id: string | null
  }
  schema_migrations: {
    number: number
    name: string
    checksum: string
    applied_at: GeneratedInstant
  }
  servers: {
    id: string
    started_at: Instant
    last_seen_at: Instant
  }
  sign_in_attempts: {
    bucket: string
    failures: number
    failed_at: Instant
    retry_at: Instant
  }
  sign_in_challenges: {
    hash: Buffer
    kind: string
    user_id: string | null
    facts: NullableJson
    expires_at: Instant
  }
  sign_ins: {
    id: string
    user_id: string
    hash: Buffer
    user_agent: string | null
    address: string
    signed_in_at: Instant
    confirmed_at: Instant
    last_used_at: Instant
    expires_at: Instant
  }
  snippets: {
    id: GeneratedAlways<number>
    account_id: string
    name: string
    script: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  ssl_notices: {
    check_id: string
    account_id: string
    alert_channel_id: number
    expires_at: Instant
    told_at: Instant
  }
  status_page_automation_rules: {
    id: string
    account_id: string
    status_page_id: string
    name: string
    enabled: boolean
    tags: string[]
    first_update: string
    last_update: string
    notify_subscribers: boolean
    cool_down_minutes: number
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  status_page_components: {
    id: Generated<string>
    account_id: string
    status_page_id: string
    parent_id: string | null
    service_id: string | null
    owns_service: Generated<boolean>
    name: string | null
    description: string | null
    hidden: Generated<boolean>
    display_order: number
    configuration: GeneratedJson<z.output<typeof contracts.StatusPageComponentConfiguration>>
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  status_page_keys: {
    id: string
    account_id: string
    status_page_id: string
    hash: Buffer
    masked_key: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  status_page_rule_components: {
    account_id: string
    status_page_id: string
    rule_id: string
    component_id: string
    position: number
    impact: OneOf<z.output<typeof contracts.ComponentImpact>>
  }
  status_page_rule_failures: {
    account_id: string
    rule_id: string
    check_id: string
  }
  status_page_rule_incidents: {
    rule_id: string
    account_id: string
    incident_id: string
    is_open: boolean
  }
  status_page_services: {
    id: string
    account_id: string
    name: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
    deleted_at: NullableInstant
  }
  status_page_subscriptions: {
    id: string
    account_id: string
    status_page_id: string
    type: OneOf<z.output<typeof contracts.StatusPageSubscription>['type']>
    address: string
    status: OneOf<z.output<typeof contracts.StatusPageSubscriptionStatus>>
    created_at: GeneratedInstant
    updated_at: GeneratedInstant
    service_ids: string[] | null
  }
  status_pages: {
    id: string
    account_id: string
    name: string
    url: string
    custom_domain: string | null
    is_private: boolean
    settings: Json<contracts.StatusPageSettings>
    created_at: GeneratedInstant
    updated_at: NullableInstant
    version: Generated<number>
    public_since: NullableInstant
  }
  test_session_error_groups: {
    id: string
    account_id: string
    project_id: string | null
    environments: string[]
    error_hash: string
    raw_error_message: string | null
    cleaned_error_message: string
    first_seen: Instant
    last_seen: Instant
    archived_until_next_event: Generated<boolean>
    archived_for_ever: Generated<boolean>
    pwt_metadata: NullableJson<contracts.SuiteTest[]>
  }
  test_session_results: {
    id: string
    account_id: string
    test_session_id: string
    check_id: string | null
    check_type: OneOf<contracts.CheckType>
    name: string
    sequence_id: string
    attempt: number
    result_type: OneOf<z.output<typeof contracts.TestSessionResult>['resultType']>
    status: OneOf<(typeof contracts.testSessionStatuses)[number]>
    location: string
    private_location_id: string | null
    has_failures: Generated<boolean>
    has_errors: Generated<boolean>
    is_degraded: Generated<boolean>
    is_cancelled: Generated<boolean>
    over_max_response_time: Generated<boolean>
    response_time: number | null
    started_at: NullableInstant
    stopped_at: NullableInstant
    schedule_error: string | null
    error_group_ids: string[] | null
    detail: string | null
    created_at: GeneratedInstant
    updated_at: NullableInstant
    ran_at: NullableJson<contracts.RanAt>
    check_run_id: string | null
    logical_id: string | null
    file_path: string | null
  }
  test_sessions: {
    id: string
    account_id: string
    project_id: string | null
    name: string
    status: OneOf<(typeof contracts.testSessionStatuses)[number]>
    provider: OneOf<(typeof contracts.testSessionProviders)[number]>
    location: string
    private_location_id: string | null
    invoker_user_id: string | null
    metadata: Json<contracts.TestSessionMetadata>
    options: Json<TestSessionOptions>
    expected: number
    done: Generated<number>
    failed: Generated<number>
    cancelled: Generated<number>
    started_at: Instant
    stopped_at: NullableInstant
    created_at: GeneratedInstant
    updated_at: NullableInstant
    is_recorded: Generated<boolean>
    suite_id: string | null
  }
  totp_factors: {
    user_id: string
    secret: Json
    last_step: number
    enrolled_at: Instant
  }
  triggered_incidents: {
    check_id: string
    account_id: string
    incident_id: string
  }
  triggers: {
    id: GeneratedAlways<number>
    account_id: string
    check_id: string | null
    group_id: number | null
    token: Json<Sealed>
    created_at: GeneratedInstant
    called_at: NullableInstant
    updated_at: NullableInstant
  }
  unsampled_details: {
    account_id: string
    check_id: string
    scheduled_at: Instant
    run_id: string
    attempt: number
    detail: string
  }
  users: {
    id: string
    name: string | null
    email: string
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
  variables: {
    account_id: string
    key: string
    value: Json<string | Sealed>
    locked: boolean
    secret: boolean
    created_at: GeneratedInstant
    updated_at: NullableInstant
  }
}
