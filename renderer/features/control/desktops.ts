import { queryOptions } from '@tanstack/react-query'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { viewer } from '../../api/hubs.ts'
import * as t from '../../texts.ts'

/** Maximum number of desktops shown per device: each has its own preview. */
export const mostDesktops = 50

const listEveryMs = 10_000

/** Desktops of a device; polled while shown, and reloaded when the device reconnects. */
export const desktopsOf = ({ id, connectionId, isOnline }: DeviceResponseDto, isShown: boolean) =>
  queryOptions({
    queryKey: ['desktops', id, connectionId],
    queryFn: async () => {
      const { isSuccess, reason, value } = await viewer.GetActiveDesktopSessions2({ deviceId: id }).catch(() => {
        throw new Error(t.visit.noAnswer)
      })
      if (!isSuccess) {
        throw new Error(reason ?? t.device.refreshFailed)
      }
      return value?.sessions ?? []
    },
    enabled: isOnline && isShown,
    refetchInterval: listEveryMs,
    retry: false,
  })

/** Splits a desktop's name: the agent puts notes in brackets after it, such as why it cannot be shown. */
export function describeDesktop({
  name,
  areRemoteControlPermissionsGranted: isShowable,
  asksPerson = false,
}: DesktopSession) {
  const [, title = name, note = ''] = /^(.*?) \((.*)\)$/s.exec(name) ?? []
  const notes = note
    .split('; ')
    .map((text) => text.replace(/^cannot be shown: /, ''))
    .filter((text) => text !== '')
  return {
    title,
    notes: asksPerson ? [...notes, t.control.asksPerson] : notes,
    /** Without what the person has not allowed yet. */
    hasPreview: isShowable && !asksPerson,
    isShowable,
  }
}
