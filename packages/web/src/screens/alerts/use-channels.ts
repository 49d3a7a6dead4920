import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { callList } from '../../api/call.ts'
import { type Channel, channelKinds, channelName } from './channel-kinds.ts'

export const channelsKey = ['alert-channels']
const pageSize = 100
/** More aren't listed; they still have their own screens. */
const maxPages = 10

export function useChannels() {
  return useQuery({
    queryKey: channelsKey,
    queryFn: async ({ signal }) => {
      const channels: Channel[] = []
      for (let page = 1; page <= maxPages; page += 1) {
        const { entries, total } = await callList(
          'GET /v1/alert-channels',
          { query: { limit: pageSize, page } },
          signal,
        )
        channels.push(...entries)
        if (channels.length >= total) break
      }
      return channels
    },
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
