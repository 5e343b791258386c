import { useMutation, useQuery } from '@tanstack/react-query'
import { IconStar, IconStarFilled } from '@tabler/icons-react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { api } from '../../api/http.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { invalidate, queryClient } from '../../api/query-client.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'
import * as t from '../../texts.ts'
import classes from './star-button.module.css'

/** Stars and removes stars at once; the lists that count stars follow. */
export const useStarring = () =>
  useMutation({
    mutationFn: ({ deviceId, isOn }: { deviceId: string; isOn: boolean }) =>
      api.deviceViews[isOn ? 'star' : 'unstar']({ params: { deviceId } }),
    onMutate: ({ deviceId, isOn }) =>
      queryClient.setQueryData(organizationQueries.deviceStars.queryKey, (stars) => {
        const next = new Set(stars)
        next[isOn ? 'add' : 'delete'](deviceId)
        return next
      }),
    onSettled: () => invalidate(organizationQueries.deviceStars.queryKey, ['devices', 'facets'], ['devices', 'page']),
  })

/** Star of a device, for the signed-in person alone. Shown on hover, and always on starred devices. */
export function StarButton({ device }: { device: DeviceResponseDto }) {
  const stars = useQuery(organizationQueries.deviceStars).data
  const { mutate } = useStarring()
  const isStarred = stars?.has(device.id) ?? false
  const Sign = isStarred ? IconStarFilled : IconStar
  const label = (isStarred ? t.devices.unstar : t.devices.star)(nameOfDevice(device))
  return (
    <button
      type="button"
      // The list has its own key; a row holds no tab stops.
      tabIndex={-1}
      className={classes.star}
      aria-label={label}
      title={label}
      data-on={isStarred || undefined}
      onClick={(event) => {
        event.stopPropagation()
        mutate({ deviceId: device.id, isOn: !isStarred })
      }}
    >
      <Sign size={14} stroke={1.6} aria-hidden />
    </button>
  )
}
