import { randomUUID } from 'node:crypto'
import type { Download } from '../../../shared/contract/transfer.ts'
import type { Context } from '../../context.ts'
import { AppError, notFound } from '../../errors.ts'
import { AgentExchange, listingLifetimeMs } from '../agents/exchange.ts'
import { counted } from './downloads.ts'

/** A picture of many large displays; no device sends more. */
const maxPictureBytes = 64 * 1024 * 1024

const refused = (reason: string) => new AppError(503, reason, { title: 'Desktop preview request failed' })

export async function previewDesktop(context: Context, deviceId: string, targetProcessId: number): Promise<Download> {
  if (context.app.config.appOptions.disableDesktopPreview) {
    throw notFound('address')
  }
  const exchange = new AgentExchange<string>(context, {
    deviceId,
    kind: 'preview',
    // Nothing but its lifetime limits it: a device may take long to wake its displays.
    answerMs: listingLifetimeMs,
    lifetimeMs: listingLifetimeMs,
    ask: (agent, streamId) => agent.RequestDesktopPreview({ requesterId: randomUUID(), streamId, targetProcessId }),
    refused,
  })
  const { items } = await exchange.stream()
  return { body: counted(items, { most: maxPictureBytes }), onCut: (cut) => exchange.onEnd(cut) }
}
