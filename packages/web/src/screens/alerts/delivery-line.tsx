// One message to one channel: whether it arrived, the attempts, and the response of the channel.
import { Link } from 'wouter'
import type { ResponseTo } from '../../api/call.ts'
import { formatNumberOf } from '../../core/format.ts'
import type { StateName } from '../../core/states.ts'
import { StateLabel } from '../../parts/state-icon.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { type DeliveryStatus, deliveryStatuses } from './history-filters.ts'
import { useChannelNames } from './use-channels.ts'

export type Delivery = ResponseTo<'GET /v1/alert-history'>['entries'][number]['deliveries'][number]

const stateOf: Record<DeliveryStatus, StateName> = {
  SUCCESS: 'passing',
  FAILURE: 'failing',
  IN_PROGRESS: 'unknown',
  RATE_LIMITED: 'degraded',
}

export function DeliveryLine({ delivery }: { delivery: Delivery }) {
  return (
    <div className="delivery">
      <span className="delivery-head">
        <StateLabel state={stateOf[delivery.status]} label={deliveryStatuses[delivery.status]} />
        <span>
          to <ChannelLink delivery={delivery} />
          {delivery.isReminder && <span className="muted-text"> (reminder)</span>}
        </span>
      </span>
      <DeliveryDetail delivery={delivery} />
    </div>
  )
}

function ChannelLink({
  delivery: { alertChannelId, channelType },
}: {
  delivery: Pick<Delivery, 'alertChannelId' | 'channelType'>
}) {
  const nameOf = useChannelNames()
  const { name, isDeleted } = nameOf(alertChannelId, channelType)
  return isDeleted ? (
    <span className="muted-text">{name} (deleted)</span>
  ) : (
    <Link href={`/alerts/channels/${alertChannelId}`}>{name}</Link>
  )
}

/** A message that arrived at once has nothing to explain. */
function DeliveryDetail({ delivery }: { delivery: Delivery }) {
  const { status, attempts, nextAttemptAt, triedAt, response } = delivery
  const isPlain = status === 'SUCCESS' && attempts <= 1
  return (
    <span className="muted-text delivery-detail">
      {!isPlain && attempts > 0 && `${formatNumberOf(attempts, 'attempt')}. `}
      {status === 'IN_PROGRESS' && nextAttemptAt !== null && (
        <>
          Next attempt <RelativeTime at={nextAttemptAt} />.{' '}
        </>
      )}
      {isPlain && triedAt === null && 'Not tried yet. '}
      {response}
    </span>
  )
}
