import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import type { CaptureSettingsDto } from './messages.ts'
import { imageFormat } from './values.ts'

const extension = (what: string) => z.boolean().optional().describe(`The viewer draws ${what}.`)

/** Settings of `UpdateCaptureSettings` in a request for a session. Untrusted, like those of the message. */
export const CaptureSettings = dto('CaptureSettings', {
  captureCursor: z.boolean(),
  enableDirectX: z.boolean(),
  isAutoQualityEnabled: z.boolean(),
  manualQuality: z.number().int(),
  autoQualityLowerThresholdMbps: z.number(),
  autoQualityMaximum: z.number().int(),
  autoQualityMinimum: z.number().int(),
  autoQualityUpperThresholdMbps: z.number(),
  isMaxBandwidthEnabled: z.boolean(),
  maxBandwidthMbps: z.number(),
  encodingFormat: z.enum(imageFormat),
  acceptsMoves: extension('areas that are copied from another place of the picture'),
  acceptsVp8: extension('video in VP8'),
  acceptsLossless: extension('images without loss'),
}) satisfies z.ZodType<CaptureSettingsDto>
