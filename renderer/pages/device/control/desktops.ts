import { queryOptions } from '@tanstack/react-query'
import { desktopPreview } from '../../../../shared/api/desktop-preview.ts'
import type { DevicePermission } from '../../../../shared/access.ts'
import { ApiError } from '../../../../shared/contract/client.ts'
import { ProblemDetails } from '../../../../shared/contract/problem.ts'
import type { DesktopSession } from '../../../../shared/dtos/desktop-session.ts'
import { viewer } from '../../../api/hubs.ts'
import { en as t } from '../../../strings/en.ts'
import { isClipboardHere } from './use-shared-clipboard.ts'

const listEveryMs = 10_000
const pictureEveryMs = 30_000

/** The desktops of a device, asked for anew while somebody looks at them. */
export const desktopsOf = (deviceId: string, isShown: boolean) =>
  queryOptions({
    queryKey: ['desktops', deviceId],
    queryFn: async () => {
      const { isSuccess, reason, value } = await viewer.GetActiveDesktopSessions2({ deviceId })
      if (!isSuccess) {
        throw new Error(reason ?? t.control.listFailed)
      }
      return value?.sessions ?? []
    },
    enabled: isShown,
    refetchInterval: listEveryMs,
    retry: false,
  })

/** A picture of what a desktop shows now. */
export const previewOf = (deviceId: string, tenantId: string, processId: number, isShown: boolean) =>
  queryOptions({
    queryKey: ['desktop-preview', deviceId, processId],
    queryFn: async ({ signal }) => {
      const path = desktopPreview.routes.get.path
        .replace(':deviceId', deviceId)
        .replace(':targetProcessId', String(processId))
      const answer = await fetch(`${path}?tenantId=${tenantId}`, { signal, cache: 'no-store' })
      if (!answer.ok) {
        throw new ApiError(answer.status, ProblemDetails.safeParse(await answer.json().catch(() => undefined)).data)
      }
      // Whatever the device says it is: it is shown as this and nothing else.
      return new Blob([await answer.arrayBuffer()], { type: 'image/jpeg' })
    },
    enabled: isShown,
    refetchInterval: pictureEveryMs,
    staleTime: pictureEveryMs,
    retry: false,
  })

/** What stands in brackets after the name: the agent says there why a desktop cannot be shown. */
export function describeDesktop({ name, areRemoteControlPermissionsGranted: isShowable }: DesktopSession) {
  const [, title = name, note = ''] = /^(.*?) \((.*)\)$/s.exec(name) ?? []
  return {
    title,
    notes: note
      .split('; ')
      .map((text) => text.replace(/^cannot be shown: /, ''))
      .filter((text) => text !== ''),
    isShowable,
  }
}

interface Limit {
  text: string
  permission?: DevicePermission
}

const rights: readonly [DevicePermission, string][] = [
  ['device.remote-control.interact', t.control.cannotInteract],
  ['device.clipboard.read', t.control.cannotRead],
  ['device.clipboard.write', t.control.cannotWrite],
  ['device.remote-control.block-input', t.control.cannotBlock],
  ['device.ctrl-alt-del.send', t.control.cannotCtrlAltDel],
  ['device.desktop-preview.read', t.control.cannotPreview],
]

/** What will not work, said before anybody connects. */
export const limitsOf = (can: (permission: DevicePermission) => boolean): Limit[] => [
  ...rights.filter(([permission]) => !can(permission)).map(([permission, text]) => ({ text, permission })),
  ...(isClipboardHere() ? [] : [{ text: t.control.noClipboardHere }]),
]
