import type { Download } from '../../shared/contract/transfer.ts'
import { followFileType } from '../../shared/dtos/file-messages.ts'
import { success } from '../../shared/dtos/hub-result.ts'
import type { RouteCall } from '../call/call.ts'
import { AppError } from '../ground/errors.ts'
import { accountOf } from '../ground/principal.ts'
import { agentMessage, patienceMs, refusedWith } from '../devices/calls.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { recordDownload } from './downloads.ts'
import { extendFilesVisit } from '../remote/consent.ts'
import { AgentExchange } from '../remote/agent-exchange.ts'
import { maxFollowed } from './followed-files.ts'
import { fileAnswerOf } from './file-messages.ts'

/** Maximum time for which a file is followed. */
const longestMs = 12 * 60 * 60_000
/** Interval of checks whether the person at the device would have to be asked again. */
const consentMs = 2_000

/** Sends the end of a file, and what is appended to it until the client disconnects. */
export async function followFile(
  call: RouteCall,
  device: DeviceState,
  wanted: { path: string; lines: number },
): Promise<Download> {
  const exchange = begin(call, device, wanted)
  await exchange.answer()
  const { items } = await exchange.stream()
  await recordDownload(call, device, [wanted.path], 0)
  return { body: items, isBodyOwned: true, onCut: (cut) => exchange.onEnd(cut) }
}

function begin(call: RouteCall, device: DeviceState, wanted: { path: string; lines: number }) {
  const place = call.app.followedFiles.open({ reader: `${accountOf(call.principal)} ${device.id}` })
  if (place.take(1)) {
    throw new AppError(429, `You already follow ${maxFollowed} files of this device. Close one of them first.`)
  }
  try {
    const exchange = new AgentExchange<Uint8Array>(call, {
      kind: 'file',
      session: 'download',
      device,
      answerMs: patienceMs,
      lifetimeMs: longestMs,
      refused: refusedWith(400),
      async ask(agent, streamId) {
        fileAnswerOf(await agent.ReceiveDto(agentMessage(followFileType, { streamId, ...wanted })))
        return success
      },
    })
    const check = () => extendFilesVisit(call, device).catch((refusal: AppError) => exchange.end(refusal))
    const stopChecking = call.app.clock.every(consentMs, () => void check())
    exchange.onEnd(() => {
      stopChecking()
      place.close()
    })
    return exchange
  } catch (error) {
    place.close()
    throw error
  }
}
