import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import type { CaptureSettingsDto } from './messages.ts'
import { imageFormat } from './values.ts'

const extension = z.boolean().optional().describe('As in `UpdateCaptureSettings`.')

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
  acceptsMoves: extension,
  acceptsVp8: extension,
  acceptsLossless: extension,
}) satisfies z.ZodType<CaptureSettingsDto>
