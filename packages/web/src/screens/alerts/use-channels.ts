import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { callList } from '../../api/call.ts'
import { loadAll } from '../../api/load-all.ts'
import { type Channel, channelKinds, channelName } from './channel-kinds.ts'

export const channelsKey = ['alert-channels']
export function useChannels() {
  return useQuery({
    queryKey: channelsKey,
    queryFn: ({ signal }): Promise<Channel[]> =>
      loadAll((page) => callList('GET /v1/alert-channels', { query: { limit: 100, page } }, signal)),
  })
}

/** The name of a channel by its id and the type that it had. */
export function useChannelNames(): (
  id: number,
  type: Channel['type'],
) => { name: string; isDeleted: boolean } {
  const { data } = useChannels()
  return useCallback(
    (id, type) => {
      const channel = data?.find((one) => one.id === id)
      return channel === undefined
        ? { name: channelKinds[type].label, isDeleted: data !== undefined }
        : { name: channelName(channel), isDeleted: false }
    },
    [data],
  )
}
