import { queryOptions } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { desktopPreview } from '../../../shared/api/desktop-preview.ts'
import { ApiError, buildUrl } from '../../../shared/contract/client.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { openBody } from '../../api/http.ts'
import { pictureSize } from '../../../shared/picture-size.ts'
import * as t from '../../texts.ts'

const pictureEveryMs = 30_000
/** 8K. Decoded, such a picture takes 130 MB, and a page shows several. */
const mostPixels = 7680 * 4320
/** HTTP status for unsupported content. */
const notShown = 415

/** Image of a desktop. Rejects unknown formats and images too large to decode: the device is untrusted (T35). */
export async function takePicture(
  { id: deviceId, tenantId }: DeviceResponseDto,
  targetProcessId: number,
  signal?: AbortSignal,
): Promise<Blob> {
  const url = buildUrl(desktopPreview.routes.get.path, { tenantId, params: { deviceId, targetProcessId } })
  const bytes = await new Response(await openBody(url, signal)).arrayBuffer()
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
