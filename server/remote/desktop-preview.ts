import { randomUUID } from 'node:crypto'
import type { Download } from '../../shared/contract/transfer.ts'
import type { RouteCall } from '../call/call.ts'
import { forbidden, notFound } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { refusedWith } from '../devices/calls.ts'
import { refuseUnseenPreview } from './consent.ts'
import { AgentExchange, listingLifetimeMs } from './agent-exchange.ts'
import { counted } from './counted-stream.ts'
import { refusalOfDesktop } from './remote-control.ts'

/** Fits a picture of many large displays. */
const maxPictureBytes = 64 * 1024 * 1024

const refused = refusedWith(503, 'Desktop preview request failed')

export async function previewDesktop(call: RouteCall, device: DeviceState, targetProcessId: number): Promise<Download> {
  if (call.app.config.appOptions.disableDesktopPreview) {
    throw notFound('address')
  }
  const refusal = await refusalOfDesktop(call, device, { targetProcessId })
  if (refusal) {
    throw forbidden(refusal.reason!)
  }
  await refuseUnseenPreview(call, device)
  const exchange = new AgentExchange<Uint8Array>(call, {
    device,
    kind: 'preview',
    session: 'preview',
    // Limited by the lifetime only, because a device may take long to wake its displays.
    answerMs: listingLifetimeMs,
    lifetimeMs: listingLifetimeMs,
    ask: (agent, streamId) => agent.RequestDesktopPreview({ requesterId: randomUUID(), streamId, targetProcessId }),
    refused,
  })
  const { items } = await exchange.stream()
  return { body: counted(items, { most: maxPictureBytes }), onCut: (cut) => exchange.onEnd(cut) }
}
