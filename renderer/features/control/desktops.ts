import { queryOptions } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError } from '../../../shared/contract/client.ts'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { desktopPicture } from '../../api/http.ts'
import { fewAtOnce } from '../../api/few-at-once.ts'
import { viewer } from '../../api/hubs.ts'
import { pictureSize } from '../viewer-kit/picture-size.ts'
import * as t from '../../texts.ts'

/** Maximum number of desktops shown per device: each has its own preview. */
export const mostDesktops = 50

const listEveryMs = 10_000
const pictureEveryMs = 30_000

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

/** 8K. Decoded, such a picture takes 130 MB, and a page shows several. */
const mostPixels = 7680 * 4320
/** HTTP status for unsupported content. */
const notShown = 415

/** Image of a desktop. Rejects unknown formats and images too large to decode: the device is untrusted (T35). */
export async function takePicture(
  { id, tenantId }: DeviceResponseDto,
  processId: number,
  signal?: AbortSignal,
): Promise<Blob> {
  const bytes = await desktopPicture(id, processId, tenantId, signal)
  const size = pictureSize(new Uint8Array(bytes))
  if (!size) {
    throw new ApiError(notShown, undefined, t.control.previewUnknown)
  }
  if (size.width * size.height > mostPixels) {
    throw new ApiError(notShown, undefined, t.control.previewTooLarge(size.width, size.height))
  }
  return new Blob([bytes], { type: size.type })
}

/** Image of a desktop, refreshed while shown. */
export const previewOf = (device: DeviceResponseDto, processId: number, isShown: boolean) =>
  queryOptions({
    queryKey: ['desktop-preview', device.id, processId],
    queryFn: ({ signal }) => takePicture(device, processId, signal),
    enabled: isShown,
    refetchInterval: pictureEveryMs,
    staleTime: pictureEveryMs,
    retry: false,
  })

/** Devices with live pictures on one page: each picture costs its device a whole capture. */
export const mostScreens = 24
const liveEveryMs = 4_000
const asLive = fewAtOnce(3)

/** Image of a desktop for a page with many, refreshed as often as devices and browser can. */
export const livePreviewOf = (device: DeviceResponseDto, processId: number, isShown: boolean) =>
  queryOptions({
    ...previewOf(device, processId, isShown),
    queryFn: ({ signal }) => asLive(() => takePicture(device, processId, signal)),
    refetchInterval: liveEveryMs,
    staleTime: liveEveryMs,
  })

/** Object URL of a picture, revoked after use. */
export function usePictureAddress(picture: Blob | undefined) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const next = picture && URL.createObjectURL(picture)
    setAddress(next)
    return () => {
      if (next !== undefined) {
        URL.revokeObjectURL(next)
      }
    }
  }, [picture])
  return address
}

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
